/* What: dense operations over BLAS and LAPACK. */
#include "matrix.h"
#include "numeric.h"
#include "status.h"

double dot(int n, const double *x, const double *y) {
  const int inc = 1;
  return F77_CALL(ddot)(&n, x, &inc, y, &inc);
}

void symmetric_times(const double *A, int n, const double *x, double *out) {
  const int inc = 1;
  const double one = 1, zero = 0;
  F77_CALL(dsymv)("L", &n, &one, A, &n, x, &inc, &zero, out, &inc FCONE);
}

int cholesky(double *A, int n, double *log_det) {
  int info = 0;
  double sum = 0;
  if (n == 0) return EP_CONVERGED;
  F77_CALL(dpotrf)("L", &n, A, &n, &info FCONE);
  if (info != 0) return EP_NOT_PD;
  for (int i = 0; i < n; i++) sum += log(A[IDX(i, i, n)]);
  *log_det += 2 * sum;
  return isfinite(sum) ? EP_CONVERGED : EP_NOT_PD;
}

void rank_update_signed(double *C,
                        int n,
                        const double *P,
                        int b,
                        const double *gamma,
                        double *scratch) {
  const double one = 1;
  for (double sign = 1; sign >= -1; sign -= 2) {
    const double minus = -sign;
    int k = 0;
    for (int l = 0; l < b; l++) {
      if (!(gamma[l] * sign > 0)) continue;
      const double root = sqrt(fabs(gamma[l]));
      const double *from = P + IDX(0, l, n);
      double *to = scratch + IDX(0, k++, n);
      for (int i = 0; i < n; i++) to[i] = root * from[i];
    }
    if (k > 0)
      F77_CALL(dsyrk)("L", "N", &n, &k, &minus, scratch, &n, &one, C,
                      &n FCONE FCONE);
  }
}

/* in tiles, so that the strided side stays in cache: 32 lines of 64 bytes and
 * 32 columns are 10 kB of the 32 that a first-level cache has */
void mirror_lower(double *A, int n) {
  const int tile = 32;
  for (int j0 = 0; j0 < n; j0 += tile)
    for (int i0 = j0; i0 < n; i0 += tile)
      for (int j = j0; j < j0 + tile && j < n; j++)
        for (int i = i0 > j ? i0 : j + 1; i < i0 + tile && i < n; i++)
          A[IDX(j, i, n)] = A[IDX(i, j, n)];
}
