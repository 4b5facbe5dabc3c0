/* What: the multivariate Student-t as a q-exponential, and its escort.
 * Method: with v = df, p = 1 - q = -2/(v+d), L = log(c |S|^{-1/2}) the log
 *   density at the mode, Psi = exp(p L), K = (v S)^{-1}:
 *     theta1 = -2 Psi K mu / p = (1 + d/v) Psi S^{-1} mu
 *     theta2 = Psi K / p       = -(1/2) (1 + d/v) Psi S^{-1}
 *     g = (1 - Psi (1 + mu' K mu)) / p = -ln_q(exp L) + theta1' mu / 2
 *   and back, with Lambda = -2 theta2 = (1 + d/v) Psi S^{-1}:
 *     mu = Lambda^{-1} theta1,  S = (1 + d/v) Psi Lambda^{-1},
 *     L  = (1 + d/v) (log c - (d/2) log1p(d/v) + log|Lambda| / 2).
 *   The second forms [M 1.7] hold at v = Inf as they stand (Psi = 1).
 * References: [M 1.3, 1.4, 1.5, 1.8]; FSS17 3-10; DQV11.
 * Accuracy: tools/ctest/test-family.c; to the conditioning of S, for df from
 *   0.05 to Inf.                                                           */
#include "student.h"
#include "gamma-ratio.h"
#include "matrix.h"
#include "numeric.h"
#include "qalgebra.h"
#include "status.h"

double student_1mq(int d, double df) { return -2 / (df + d); }

double student_log_const(int d, double df) {
  const double b = 0.5 * d;
  return log_gamma_ratio_excess(df / 2, b) - b * (M_LN2 + log(M_PI));
}

size_t student_work_size(int d) {
  return d < 1 ? 0 : 2 * (size_t)d * (size_t)d + (size_t)d;
}

static int bad_size(int d, double df) { return d < 1 || !(df > 0); }

/* L[d x d] = lower Cholesky factor of scale * S, log_det = log|scale S| */
static int factor(int d, double scale, const double *S, double *L,
                  double *log_det) {
  const size_t size = (size_t)d * (size_t)d;
  for (size_t i = 0; i < size; i++) L[i] = scale * S[i];
  *log_det = 0;
  return cholesky(L, d, log_det);
}

/* A[d x d] = scale (L L')^{-1}, both triangles; L is overwritten */
static int scaled_inverse(int d, double scale, double *L, double *A) {
  int info;
  F77_CALL(dpotri)("L", &d, L, &d, &info FCONE);
  if (info != 0) return EP_NOT_PD;
  for (int j = 0; j < d; j++) {
    for (int i = j; i < d; i++) {
      const double value = scale * L[IDX(i, j, d)];
      if (!isfinite(value)) return EP_BAD_ARG;
      A[IDX(i, j, d)] = A[IDX(j, i, d)] = value;
    }
  }
  return EP_CONVERGED;
}

int student_log_det(int d, const double *S, double *log_det, double *work) {
  if (d < 1) return EP_BAD_ARG;
  return factor(d, 1, S, work, log_det);
}

int student_to_natural(int d, double df, const double *mu, const double *S,
                       double *theta1, double *theta2, double *log_partition,
                       double *work) {
  if (bad_size(d, df)) return EP_BAD_ARG;
  double log_det;
  int status = factor(d, 1, S, work, &log_det);
  if (status != EP_CONVERGED) return status;

  const double p = student_1mq(d, df);
  const double log_mode = student_log_const(d, df) - log_det / 2;
  const double scale = (1 + d / df) * exp(p * log_mode);
  status = scaled_inverse(d, -0.5 * scale, work, theta2);
  if (status != EP_CONVERGED) return status;

  symmetric_times(theta2, d, mu, theta1);
  for (int i = 0; i < d; i++) theta1[i] *= -2;
  *log_partition = -ln_q_exp(log_mode, p) + dot(d, theta1, mu) / 2;
  return isfinite(*log_partition) ? EP_CONVERGED : EP_BAD_ARG;
}

int student_from_natural(int d, double df, const double *theta1,
                         const double *theta2, double *mu, double *S,
                         double *log_partition, double *work) {
  if (bad_size(d, df)) return EP_BAD_ARG;
  double log_det; /* of Lambda */
  int status = factor(d, -2, theta2, work, &log_det);
  if (status != EP_CONVERGED) return status;

  int info;
  const int one = 1;
  memcpy(mu, theta1, (size_t)d * sizeof(double));
  F77_CALL(dpotrs)("L", &d, &one, work, &d, mu, &d, &info FCONE);
  if (info != 0) return EP_BAD_ARG;

  const double p = student_1mq(d, df), ratio = 1 + d / df;
  const double log_mode = ratio * (student_log_const(d, df) -
                                   0.5 * d * log1p(d / df) + log_det / 2);
  status = scaled_inverse(d, ratio * exp(p * log_mode), work, S);
  if (status != EP_CONVERGED) return status;
  *log_partition = -ln_q_exp(log_mode, p) + dot(d, theta1, mu) / 2;
  return isfinite(*log_partition) ? EP_CONVERGED : EP_BAD_ARG;
}

void student_escort(int d, double df, const double *S, double *df_escort,
                    double *S_escort) {
  const double ratio = isinf(df) ? 1 : df / (df + 2);
  for (int j = 0; j < d; j++)
    for (int i = j; i < d; i++)
      S_escort[IDX(i, j, d)] = S_escort[IDX(j, i, d)] = ratio * S[IDX(i, j, d)];
  *df_escort = df + 2;
}
