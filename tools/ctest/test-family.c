/* What: unit tests of the t-exponential family: qalgebra, gamma-ratio, student
 *       and divergence.
 * Values with a comment "50 digits" come from mpmath at that precision.     */
#include "divergence.h"
#include "gamma-ratio.h"
#include "qalgebra.h"
#include "status.h"
#include "student.h"

#include "check.h"

#define NEAR(got, want, tol) CHECK_NEAR(got, want, tol)
/* relative for numbers below 1 too */
#define CLOSE(got, want, tol) CHECK_SCALED(got, want, tol, 0)

static void test_qalgebra_values(void) {
  /* 50 digits */
  CLOSE(exp_q(0.75, 1.25), 2.2945975280977556808, 1e-15);
  CLOSE(exp_q(-3, 1.0009765625), 0.050005912377051053517, 2e-15);
  CLOSE(exp_q(2, 0.5), 4, 0);
  CLOSE(exp_q(-100, 1 + ldexp(1, -40)), 3.7200759929377829523e-44, 2e-14);
  CLOSE(ln_q(0.75, 1.25), -0.29827972729416767821, 1e-15);
  CLOSE(ln_q(1e-10, 1.0009765625), -23.286684051736413033, 1e-15);
  CLOSE(ln_q(1e30, 3), 0.5, 0);
  CLOSE(q_product(4, 9, 0.5), 16, 1e-15);
  CLOSE(q_quotient(16, 9, 0.5), 4, 1e-15);
}

static void test_qalgebra_domains(void) {
  CHECK(exp_q(-2, 0.5) == 0 && exp_q(-INFINITY, 0.5) == 0);
  CHECK(isinf(exp_q(2, 1.5)) && isinf(exp_q(INFINITY, 1.5)));
  CHECK(exp_q(-INFINITY, 1.5) == 0);
  CHECK(ln_q(0, 0.5) == -2 && ln_q(0, 1) == -INFINITY);
  CHECK(ln_q(0, 1.5) == -INFINITY && ln_q(INFINITY, 1.5) == 2);
  CHECK(isnan(ln_q(-1, 1.5)) && isnan(exp_q(1, INFINITY)));
  CHECK(isnan(exp_q(NAN, 1)) && isnan(exp_q(1, NAN)));
  CHECK(isnan(q_product(-1, 1, 1)) && isnan(q_quotient(1, -1, 1)));
  CHECK(isnan(q_product(0, INFINITY, 1)) && isnan(q_quotient(0, 0, 1.5)));
  CHECK(isinf(q_product(4, 9, 1.5)) && q_product(0, INFINITY, 1.5) == 0);
  CHECK(q_quotient(1, 9, 0.5) == 0 && q_quotient(4, 0, 0.5) == 9);
}

static void test_qalgebra_identities(void) {
  const double qs[] = {-1, 0.2, 0.9, 1 - 1e-9, 1, 1 + 1e-9, 1.1, 1.5, 2};
  for (size_t k = 0; k < sizeof qs / sizeof *qs; k++) {
    const double q = qs[k];
    for (double x = -0.45; x < 0.45; x += 0.1) {
      const double a = exp_q(x, q), b = exp_q(x * x, q);
      NEAR(ln_q(a, q), x, 1e-14);
      NEAR(ln_q_exp(log(a), 1 - q), x, 1e-14);
      NEAR(q_quotient(q_product(a, b, q), b, q), a, 1e-14);
      NEAR(ln_q(q_product(a, b, q), q), x + x * x, 1e-14);
      CHECK(q_product(a, 1, q) == a && q_quotient(a, a, q) == 1);
    }
  }
  /* continuity at q = 1, both sides */
  for (double x = -30; x <= 30; x += 7.3) {
    CLOSE(exp_q(x, 1 + 0x1p-52), exp(x), 5e-15 * (1 + fabs(x)));
    CLOSE(exp_q(x, 1 - 0x1p-53), exp(x), 5e-15 * (1 + fabs(x)));
    CLOSE(ln_q(exp(x), 1 + 0x1p-52), x, 1e-14);
  }
}

static void test_gamma_ratio(void) {
  NEAR(log_gamma_ratio_excess(7.5, 1), 0, 1e-14); /* Gamma(x+1) = x Gamma(x) */
  NEAR(log_gamma_ratio_excess(123.4, 2), log1p(1 / 123.4), 1e-16);
  CLOSE(log_gamma_ratio_excess(1e12, 2), 1e-12, 1e-11);
  CHECK(log_gamma_ratio_excess(INFINITY, 2) == 0);
  CLOSE(digamma_difference_mean(3, 1, 0), 1.0 / 3, 1e-14);
  CLOSE(digamma_difference_mean(1e10, 1, 0), 1e-10, 1e-15);
  /* (log(x + e) - log x)/e at b = 1, across the two branches */
  const double e[] = {-2.9, -0.8, -0.1, -1e-9, 0, 1e-9, 0.5, 0.76, 40};
  for (size_t k = 0; k < sizeof e / sizeof *e; k++)
    CLOSE(digamma_difference_mean(3, 1, e[k]),
          e[k] == 0 ? 1.0 / 3 : log1p(e[k] / 3) / e[k], 1e-13);
}

static void test_student_constant(void) {
  /* 50 digits */
  NEAR(student_log_const(1, 1), -1.1447298858494001741, 1e-15);
  NEAR(student_log_const(2, 5), -1.8378770664093454836, 1e-15);
  NEAR(student_log_const(3, 0.5), -2.0497977036527453104, 1e-15);
  NEAR(student_log_const(5, 1e3), -4.5909476566688150803, 1e-15);
  NEAR(student_log_const(7, 1e6), -6.4325609824502091414, 1e-15);
  NEAR(student_log_const(2, INFINITY), -1.8378770664093454836, 1e-15);
  CHECK(student_1mq(3, INFINITY) == 0);
  NEAR(student_1mq(2, 4), -1.0 / 3, 1e-16);
}

static const double MU[3] = {0.5, -1, 0.2};
static const double SIGMA[9] = {2, 0.3, -0.2, 0.3, 1, 0.1, -0.2, 0.1, 0.7};

static void test_student_natural(void) {
  double theta1[3], theta2[9], mu[3], S[9], g, back, work[21];
  CHECK(student_work_size(3) == 21 && student_work_size(0) == 0);
  const double dfs[] = {0.3, 2, 20, 1e5, 1e12, 1e300, INFINITY};
  for (size_t k = 0; k < sizeof dfs / sizeof *dfs; k++) {
    CHECK(student_to_natural(3, dfs[k], MU, SIGMA, theta1, theta2, &g, work) ==
          EP_CONVERGED);
    CHECK(student_from_natural(3, dfs[k], theta1, theta2, mu, S, &back, work) ==
          EP_CONVERGED);
    NEAR(back, g, 1e-13);
    for (int i = 0; i < 3; i++) NEAR(mu[i], MU[i], 1e-13);
    for (int i = 0; i < 9; i++) NEAR(S[i], SIGMA[i], 1e-13);
    CHECK(theta2[1] == theta2[3] && theta2[5] == theta2[7]);
  }
  /* the density at the mode: exp_q(theta1' mu + mu' theta2 mu - g) */
  student_to_natural(3, 2, MU, SIGMA, theta1, theta2, &g, work);
  double inner = 0, log_det = 0;
  for (int j = 0; j < 3; j++) {
    inner += theta1[j] * MU[j];
    for (int i = 0; i < 3; i++) inner += MU[i] * theta2[i + 3 * j] * MU[j];
  }
  CHECK(student_log_det(3, SIGMA, &log_det, work) == EP_CONVERGED);
  NEAR(log(exp_q(inner - g, 1.4)), student_log_const(3, 2) - log_det / 2,
       1e-14);
}

static void test_student_status(void) {
  const double not_pd[4] = {1, 2, 2, 1}, mu[2] = {0, 0}, eye[4] = {1, 0, 0, 1};
  double a[2], A[4], g, work[10];
  CHECK(student_to_natural(2, 3, mu, not_pd, a, A, &g, work) == EP_NOT_PD);
  CHECK(student_from_natural(2, 3, mu, eye, a, A, &g, work) == EP_NOT_PD);
  CHECK(student_to_natural(2, 0, mu, eye, a, A, &g, work) == EP_BAD_ARG);
  CHECK(student_to_natural(2, NAN, mu, eye, a, A, &g, work) == EP_BAD_ARG);
  CHECK(student_to_natural(0, 3, mu, eye, a, A, &g, work) == EP_BAD_ARG);
  CHECK(student_q_divergence(2, 3, mu, eye, mu, not_pd, &g, work) == EP_NOT_PD);
  double df;
  student_escort(2, 3, eye, &df, A);
  CHECK(df == 5 && A[0] == 0.6 && A[1] == 0);
  student_escort(2, INFINITY, eye, &df, A);
  CHECK(isinf(df) && A[3] == 1);
}

static void test_student_entropies(void) {
  /* 50 digits, log_det = 0 */
  NEAR(student_entropy(1, 3, 0, 1).renyi, 1.7734775718632909481, 1e-14);
  NEAR(student_entropy(2, 5, 0, 2).renyi, 2.7133458037632454192, 1e-14);
  NEAR(student_entropy(3, 0.5, 0, 1 + 0x1p-30).renyi, 9.8809181573329937342,
       1e-14);
  NEAR(student_entropy(2, 1e8, 0, 1.5).renyi, 2.6488072959590075364, 1e-14);
  NEAR(student_entropy(1, 4, 0, 0.5).renyi, 2.153300569663781622, 1e-14);

  for (int d = 1; d <= 6; d += 5) {
    const double own = student_entropy_own(d, 4, 0.7).renyi;
    NEAR(student_entropy(d, 4, 0.7, 1 + 2.0 / (4 + d)).renyi, own, 1e-14);
  }
  CHECK(isinf(student_entropy(1, 3, 0, 0.25).renyi));
  CHECK(isnan(student_entropy(1, 3, 0, -1).renyi));
  CHECK(isnan(student_entropy(1, 3, 0, NAN).q_entropy));
}

static void test_divergence(void) {
  const double eye[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, zero[3] = {0, 0, 0};
  double value, limit, work[21];
  student_q_divergence(3, 4, MU, SIGMA, MU, SIGMA, &value, work);
  NEAR(value, 0, 1e-15);
  student_q_divergence(3, INFINITY, MU, SIGMA, zero, eye, &limit, work);
  double log_det;
  student_log_det(3, SIGMA, &log_det, work);
  NEAR(limit, (3.7 + 1.29 - 3 - log_det) / 2, 1e-15); /* Kullback-Leibler */
  student_q_divergence(3, 1e12, MU, SIGMA, zero, eye, &value, work);
  NEAR(value, limit, 1e-11);

  NEAR(bernoulli_q_divergence(0.3, 0.6, 1), 0.3 * log(0.5) + 0.7 * log(1.75),
       1e-15);
  CHECK(bernoulli_q_divergence(0.3, 0.3, 1.5) == 0);
  CHECK(bernoulli_q_divergence(0.5, 0.5, 2000) == 0);
  NEAR(bernoulli_renyi(0.5, 2000), log(2), 1e-15);
  CHECK(isinf(bernoulli_q_divergence(0.3, 0, 1.5)));
  CHECK(isnan(bernoulli_q_divergence(0.3, 0.2, 0)));
  NEAR(bernoulli_renyi(0.25, 2), -log(0.625), 1e-15);
  NEAR(bernoulli_tsallis(0.25, 2), 0.375, 1e-15);
  NEAR(bernoulli_q_entropy(0.25, 2), 0.6, 1e-15);
  NEAR(bernoulli_q_entropy(0.5, 1), log(2), 1e-15);
  CHECK(isnan(bernoulli_tsallis(1.5, 2)) && bernoulli_renyi(0, 0.5) == 0);
}

int main(void) {
  RUN("qalgebra values", test_qalgebra_values);
  RUN("qalgebra domains", test_qalgebra_domains);
  RUN("qalgebra identities", test_qalgebra_identities);
  RUN("gamma ratio", test_gamma_ratio);
  RUN("student constant", test_student_constant);
  RUN("student natural", test_student_natural);
  RUN("student status", test_student_status);
  RUN("student entropies", test_student_entropies);
  RUN("divergence", test_divergence);
  return check_done();
}
