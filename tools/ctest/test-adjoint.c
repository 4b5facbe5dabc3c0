/* dE/dK and dE/depsilon through the fixed point, by refitting. */
#include "adjoint.h"
#include "check.h"
#include "fit.h"

static const double dfs[] = {3, 10, INFINITY};
static const criterion_type types[] = {CRITERION_EVIDENCE,
                                       CRITERION_EVIDENCE_ZP, CRITERION_LOO};
enum { n = 14 };

static fit *problem(double df, const double *epsilon, uint64_t seed) {
  fit *f = fit_new(n, df, 0);
  memcpy(f->epsilon, epsilon, sizeof f->epsilon);
  f->opt.tol = 1e-13; /* below what rounding allows: as converged as can be */
  dense_problem(seed, n, 0.4, f->K, f->y);
  return f;
}

/* dE/depsilon in epsilon[2], from the slopes in L; dE/dK in f->lk.S2 */
static int gradient(fit *f, criterion_type type, double *epsilon) {
  const int status =
      adjoint_gradient(type, &f->post, &f->lik, f->st.site, f->st.view,
                       &f->work.fix, &f->partials, epsilon);
  const double *slope = f->partials.L;
  epsilon[0] = epsilon[1] = 0;
  for (int i = 0; i < n; i++) {
    const double sign = f->y[i] > 0 ? 1 : -1;
    epsilon[0] += sign * slope[i];
    epsilon[1] -= sign * slope[n + i];
  }
  return status;
}

typedef struct {
  double df, epsilon[2];
  uint64_t seed;
  criterion_type type;
  int i, j, e; /* entry of K, or of epsilon when e >= 0 */
} probe;

static double probe_at(void *data, double step) {
  const probe *p = data;
  double epsilon[2] = {p->epsilon[0], p->epsilon[1]};
  if (p->e >= 0) epsilon[p->e] += step;
  fit *f = problem(p->df, epsilon, p->seed);
  if (p->e < 0) {
    f->K[IDX(p->i, p->j, n)] += step;
    if (p->i != p->j) f->K[IDX(p->j, p->i, n)] += step;
  }
  fit_cold(f);
  const double value = fit_value(f, p->type);
  fit_free(f);
  return value;
}

static void check_case(double df, double eps0, double eps1, criterion_type type,
                       uint64_t seed) {
  probe p = {df, {eps0, eps1}, seed, type, 0, 0, -1};
  double by_epsilon[2];
  fit *f = problem(df, p.epsilon, seed);
  CHECK(fit_cold(f) == EP_CONVERGED);
  CHECK(gradient(f, type, by_epsilon) == EP_CONVERGED);
  const int step = check_quick() ? 3 : 1;
  for (p.j = 0; p.j < n; p.j += 4 * step)
    for (p.i = p.j; p.i < n; p.i += 3 * step) {
      const double g = f->lk.S2[IDX(p.i, p.j, n)] * (p.i == p.j ? 1 : 2);
      CHECK_NEAR(g, dense_slope(probe_at, &p, 4e-3), 2e-8);
    }
  for (p.e = 0; p.e < 2; p.e++)
    if (p.epsilon[p.e] > 0)
      CHECK_NEAR(by_epsilon[p.e], dense_slope(probe_at, &p, 4e-3), 2e-7);
  fit_free(f);
}

static void gradients_equal_differences(void) {
  for (int k = 0; k < 3; k++)
    for (int t = 0; t < 3; t++) {
      check_case(dfs[k], 0.05, 0.05, types[t], 41);
      check_case(dfs[k], 0.04, 0.15, types[t], 42);
    }
}

static void gradients_without_flips_equal_differences(void) {
  for (int k = 1; k < 3; k++)
    for (int t = 0; t < 3; t++) check_case(dfs[k], 0, 0, types[t], 43);
}

/* The likelihood sees signs: E does not change when K does as a whole. */
static void the_scale_of_the_kernel_has_no_gradient(void) {
  const double epsilon[2] = {0.03, 0.03};
  double by_epsilon[2];
  for (int k = 0; k < 3; k++)
    for (int t = 0; t < 3; t++) {
      fit *f = problem(dfs[k], epsilon, 44);
      fit_cold(f);
      gradient(f, types[t], by_epsilon);
      double sum = 0, size = 0;
      for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
          const double term =
              f->lk.S2[IDX(i, j, n)] * f->K[IDX(i, j, n)] * (i == j ? 1 : 2);
          sum += term;
          size += fabs(term);
        }
      CHECK(fabs(sum) < 1e-10 * (1 + size));
      fit_free(f);
    }
}

int main(void) {
  RUN("gradients equal differences", gradients_equal_differences);
  RUN("gradients without flips equal differences",
      gradients_without_flips_equal_differences);
  RUN("the scale of the kernel has no gradient",
      the_scale_of_the_kernel_has_no_gradient);
  return check_done();
}
