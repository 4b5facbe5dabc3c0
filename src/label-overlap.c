/* What: the matrices of a point of the label stage, and back.
 * Method: pairs that look alike mix as heat spreads over a graph   [M 16.5]:
 *     U = (1 - u) exp(-L) + u/C 11',   L = diag(S 1) - S = V diag(a) V',
 *   and backwards, with phi_ij = (exp(-a_i) - exp(-a_j)) / (a_j - a_i),
 *     dL = -(1 - u) V ((V' dU V) o phi) V',
 *     ds = dL_cc + dL_dd - dL_cd - dL_dc  of the pair c, d.
 *   Noise that scores have learned is taken out by an inverse, dA = -M' dM M'.
 * Accuracy: that of symmetric axes; entries of exp(-L) below rounding are 0. */
#include "label-overlap.h"
#include "numeric.h"

size_t overlap_work_size(int C) {
  return 3 * (size_t)C * (size_t)C + 4 * (size_t)C;
}

/* out = op(A) op(B), C x C each. Own loops: classes are few. */
static void times(int C, const double *A, int turn_A, const double *B,
                  int turn_B, double *out) {
  for (int j = 0; j < C; j++)
    for (int i = 0; i < C; i++) {
      double sum = 0;
      for (int k = 0; k < C; k++)
        sum += (turn_A ? A[IDX(k, i, C)] : A[IDX(i, k, C)]) *
               (turn_B ? B[IDX(j, k, C)] : B[IDX(k, j, C)]);
      out[IDX(i, j, C)] = sum;
    }
}

static void laplacian(const label_pairs *at, const double *s, double *L) {
  const int C = at->C;
  memset(L, 0, (size_t)C * (size_t)C * sizeof *L);
  for (int k = 0; k < at->pairs; k++) {
    const int c = at->one[k], d = at->other[k];
    L[IDX(c, c, C)] += s[k];
    L[IDX(d, d, C)] += s[k];
    L[IDX(c, d, C)] -= s[k];
    L[IDX(d, c, C)] -= s[k];
  }
}

/* exp(-L) from its axes; half[C x C] is scratch */
static void heat(int C, const double *V, const double *values, double *half,
                 double *out) {
  for (int j = 0; j < C; j++)
    for (int i = 0; i < C; i++)
      half[IDX(i, j, C)] = V[IDX(i, j, C)] * exp(-values[j]);
  times(C, half, 0, V, 1, out);
}

int overlap_matrix(const label_pairs *at, double u, const double *s, double *U,
                   double *V, double *values, double *work) {
  const int C = at->C, room = (int)overlap_work_size(C);
  int info = 0;
  for (int k = 0; k < at->pairs; k++)
    if (!isfinite(s[k])) return 1;
  laplacian(at, s, V);
  F77_CALL(dsyev)("V", "L", &C, V, &C, values, work, &room, &info FCONE FCONE);
  if (info != 0) return info;
  for (int c = 0; c < C; c++) values[c] = fmax(values[c], 0);
  heat(C, V, values, work, U);
  for (int k = 0; k < C * C; k++) /* rounding is no probability */
    U[k] = (1 - u) * fmax(U[k], 0) + u / C;
  return 0;
}

/* (exp(-a) - exp(-b)) / (b - a) */
static double drop_between(double a, double b) {
  const double apart = fabs(a - b);
  return exp(-fmin(a, b)) * (apart == 0 ? 1 : -expm1(-apart) / apart);
}

void overlap_back(const label_pairs *at, double u, const double *s,
                  const double *V, const double *values, const double *G,
                  double *by_u, double *by_log_s, double *work) {
  const int C = at->C;
  double *D = work, *half = work + C * C, *alike = half + C * C;
  double even = 0, own = 0;
  heat(C, V, values, half, alike);
  for (int k = 0; k < C * C; k++) {
    even += G[k];
    own += G[k] * alike[k];
  }
  *by_u = even / C - own;
  times(C, V, 1, G, 0, half);
  times(C, half, 0, V, 0, D);
  for (int j = 0; j < C; j++)
    for (int i = 0; i < C; i++)
      D[IDX(i, j, C)] *= (u - 1) * drop_between(values[i], values[j]);
  times(C, V, 0, D, 0, half);
  times(C, half, 0, V, 1, D);
  for (int k = 0; k < at->pairs; k++) {
    const int c = at->one[k], d = at->other[k];
    by_log_s[k] = s[k] * (D[IDX(c, c, C)] + D[IDX(d, d, C)] - D[IDX(c, d, C)] -
                          D[IDX(d, c, C)]);
  }
}

void noise_inverse(int C, double *A, double *M, int *pivot, double *work) {
  int info = 0;
  double norm = 0, fine = 0;
  for (int j = 0; j < C; j++) {
    double column = 0;
    for (int i = 0; i < C; i++) {
      column += fabs(A[IDX(i, j, C)]);
      M[IDX(i, j, C)] = i == j;
    }
    norm = fmax(norm, column);
  }
  F77_CALL(dgetrf)(&C, &C, A, &C, pivot, &info);
  /* dgecon() needs whole numbers beside: pivots are used up before it */
  if (info == 0) {
    F77_CALL(dgetrs)("N", &C, &C, A, &C, pivot, M, &C, &info FCONE);
    F77_CALL(dgecon)("1", &C, A, &C, &norm, &fine, work, pivot, &info FCONE);
  }
  if (info == 0 && fine >= DBL_EPSILON) return;
  for (int k = 0; k < C * C; k++) M[k] = NAN;
}

void noise_inverse_back(int C, const double *M, const double *G, double *by,
                        double *work) {
  times(C, M, 1, G, 0, work);
  times(C, work, 0, M, 1, by);
  for (int k = 0; k < C * C; k++) by[k] = -by[k];
}
