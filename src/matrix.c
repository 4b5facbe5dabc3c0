/* What: dense operations over R's BLAS and LAPACK or over our own kernels, as
 *       core_dense() says.
 * Method: R's are called for panels of columns, so that none goes long without
 *   core_poll(): the blocked algorithms of LAPACK, and of BLAS products column
 *   by column, so that panels change no rounding that LAPACK would not. */
#include "matrix.h"
#include "dense-solve.h"
#include "numeric.h"
#include "status.h"

double dot(int n, const double *x, const double *y) {
  const int inc = 1;
  return F77_CALL(ddot)(&n, x, &inc, y, &inc);
}

void symmetric_times(const double *A, int n, const double *x, double *out) {
  const int inc = 1;
  const double one = 1, zero = 0;
  const dense_engine *e = core_dense();
  core_poll();
  if (e->own) {
    dense_symmetric_times(e, n, A, x, out);
    return;
  }
  F77_CALL(dsymv)("L", &n, &one, A, &n, x, &inc, &zero, out, &inc FCONE);
}

/* Flops from one core_poll() to the next: 0.05 to 0.4 s with the reference
 * BLAS, the latter on a machine at its limit. Panels of PANEL_LEAST columns may
 * take longer (n beyond 3,000), but a call of BLAS should have some to do. */
#ifndef PANEL_FLOPS
#define PANEL_FLOPS 1e8
#endif
#define PANEL_LEAST 16

/* Columns of the next panel, of `left` ones that cost `flops` each */
static int panel_width(double flops, int left) {
  core_poll();
  const double width = fmax(PANEL_LEAST, PANEL_FLOPS / fmax(flops, 1));
  return width < left ? (int)width : left;
}

/* C[m x n] <- beta C; what C holds is not read where beta is 0 */
static void scale_columns(double beta, int m, int n, double *C, int ldc) {
  if (beta == 1) return;
  for (int j = 0; j < n; j++) {
    double *column = C + IDX(0, j, ldc);
    if (beta == 0)
      memset(column, 0, sizeof *column * (size_t)m);
    else
      for (int i = 0; i < m; i++) column[i] *= beta;
  }
}

void product(const char *trans_a,
             const char *trans_b,
             int m,
             int n,
             int k,
             double alpha,
             const double *A,
             int lda,
             const double *B,
             int ldb,
             double beta,
             double *C,
             int ldc) {
  const dense_engine *e = core_dense();
  if (e->own) {
    scale_columns(beta, m, n, C, ldc);
    dense_product(e, m, n, k, alpha, NULL, dense_of(A, lda, *trans_a == 'T'),
                  dense_of(B, ldb, *trans_b == 'T'), dense_of(C, ldc, 0));
    return;
  }
  for (int j = 0, width; j < n; j += width) {
    width = panel_width(2.0 * m * k, n - j);
    const double *from = *trans_b == 'N' ? B + IDX(0, j, ldb) : B + j;
    F77_CALL(dgemm)(trans_a, trans_b, &m, &width, &k, &alpha, A, &lda, from,
                    &ldb, &beta, C + IDX(0, j, ldc), &ldc FCONE FCONE);
  }
}

void symmetric_product(
    const double *A, int n, const double *B, int cols, double *C) {
  const double one = 1, zero = 0;
  const dense_engine *e = core_dense();
  if (e->own) {
    scale_columns(0, n, cols, C, n);
    dense_symmetric(e, n, cols, A, n, dense_of(B, n, 0), C, n);
    return;
  }
  for (int j = 0, width; j < cols; j += width) {
    width = panel_width(2.0 * n * n, cols - j);
    F77_CALL(dsymm)("L", "L", &n, &width, &one, A, &n, B + IDX(0, j, n), &n,
                    &zero, C + IDX(0, j, n), &n FCONE FCONE);
  }
}

/* rank_update() with leading dimensions; A' A has its columns in those of A,
 * A A' in its rows. */
static void update_lower(const char *trans,
                         int n,
                         int k,
                         double alpha,
                         const double *A,
                         int lda,
                         double *C,
                         int ldc) {
  const double one = 1;
  const int across = *trans == 'T';
  const size_t step = across ? (size_t)lda : 1;
  if (k == 0) return;
  for (int j = 0, width; j < n; j += width) {
    width = panel_width(2.0 * (n - j) * k, n - j);
    const int below = j + width;
    const double *here = A + step * (size_t)j;
    F77_CALL(dsyrk)("L", trans, &width, &k, &alpha, here, &lda, &one,
                    C + IDX(j, j, ldc), &ldc FCONE FCONE);
    if (below < n)
      product(trans, across ? "N" : "T", n - below, width, k, alpha,
              A + step * (size_t)below, lda, here, lda, 1,
              C + IDX(below, j, ldc), ldc);
  }
}

void rank_update(
    const char *trans, int n, int k, double alpha, const double *A, double *C) {
  const dense_engine *e = core_dense();
  const int across = *trans == 'T', lda = across ? k : n;
  if (e->own)
    dense_update(e, n, k, alpha, NULL, dense_of(A, lda, across), C, n);
  else
    update_lower(trans, n, k, alpha, A, lda, C, n);
}

void solve_lower(
    const char *trans, const double *L, int n, double *B, int cols) {
  const double one = 1;
  const dense_engine *e = core_dense();
  if (n == 0 || cols == 0) return;
  if (e->own) { /* L' is upper: reversed it is lower */
    const int up = *trans == 'T';
    const dense_view T = dense_of(L, n, up), X = dense_of(B, n, 0);
    dense_solve(e, n, cols, up ? dense_reversed(T, n, n) : T, 0,
                up ? dense_reversed(X, n, cols) : X);
    return;
  }
  for (int j = 0, width; j < cols; j += width) {
    width = panel_width((double)n * n, cols - j);
    F77_CALL(dtrsm)("L", "L", trans, "N", &n, &width, &one, L, &n,
                    B + IDX(0, j, n), &n FCONE FCONE FCONE FCONE);
  }
}

void solve_unit_right(const double *N, int b, double *P, int n) {
  const double one = 1;
  const dense_engine *e = core_dense();
  if (e->own) { /* N' P' = P' of before, N' lower */
    dense_solve(e, b, n, dense_of(N, b, 1), 1, dense_of(P, n, 1));
    return;
  }
  for (int i = 0, rows; i < n; i += rows) {
    rows = panel_width((double)b * b, n - i);
    F77_CALL(dtrsm)("R", "U", "N", "U", &rows, &b, &one, N, &b, P + i,
                    &n FCONE FCONE FCONE FCONE);
  }
}

/* A (lower) <- L: dpotrf in panels. The one at j is brought up to date by
 * those left of it, factored at its top and solved below. */
static int factor_panels(double *A, int n) {
  const double one = 1;
  int info = 0;
  for (int j = 0, width; j < n; j += width) {
    width = panel_width(0.5 * n * n, n - j);
    const int below = n - j - width;
    double *top = A + IDX(j, j, n), *under = top + width;
    update_lower("N", width, j, -1, A + j, n, top, n);
    F77_CALL(dpotrf)("L", &width, top, &n, &info FCONE);
    if (info != 0) return info;
    if (below == 0) break;
    product("N", "T", below, width, j, -1, A + j + width, n, A + j, n, 1, under,
            n);
    F77_CALL(dtrsm)("R", "L", "T", "N", &below, &width, &one, top, &n, under,
                    &n FCONE FCONE FCONE FCONE);
  }
  return info;
}

int cholesky(double *A, int n, double *log_det) {
  double sum = 0;
  const dense_engine *e = core_dense();
  const int info = e->own ? dense_cholesky(e, n, A, n) : factor_panels(A, n);
  if (info != 0) return EP_NOT_PD;
  for (int i = 0; i < n; i++) sum += log(A[IDX(i, i, n)]);
  *log_det += 2 * sum;
  return isfinite(sum) ? EP_CONVERGED : EP_NOT_PD;
}

/* L <- L^{-1}: dtrtri in panels, from the last one */
static void invert_panels(double *L, int n, int width) {
  const double one = 1, minus = -1;
  int info = 0;
  for (int j = (n - 1) / width * width; j >= 0; j -= width) {
    const int cols = n - j < width ? n - j : width, below = n - j - cols;
    double *top = L + IDX(j, j, n), *under = top + cols;
    core_poll();
    F77_CALL(dtrmm)("L", "L", "N", "N", &below, &cols, &one,
                    L + IDX(j + cols, j + cols, n), &n, under,
                    &n FCONE FCONE FCONE FCONE);
    F77_CALL(dtrsm)("R", "L", "N", "N", &below, &cols, &minus, top, &n, under,
                    &n FCONE FCONE FCONE FCONE);
    F77_CALL(dtrtri)("L", "N", &cols, top, &n, &info FCONE FCONE);
  }
}

/* W (lower) <- W' W: dlauum in panels */
static void square_panels(double *W, int n, int width) {
  const double one = 1;
  int info = 0;
  for (int i = 0; i < n; i += width) {
    const int rows = n - i < width ? n - i : width, below = n - i - rows;
    double *top = W + IDX(i, i, n), *left = W + i;
    core_poll();
    F77_CALL(dtrmm)("L", "L", "T", "N", &rows, &i, &one, top, &n, left,
                    &n FCONE FCONE FCONE FCONE);
    F77_CALL(dlauum)("L", &rows, top, &n, &info FCONE);
    product("T", "N", rows, i, below, 1, top + rows, n, left + rows, n, 1, left,
            n);
    update_lower("T", rows, below, 1, top + rows, n, top, n);
  }
}

void cholesky_invert(double *L, int n) {
  const dense_engine *e = core_dense();
  if (n == 0) return;
  if (e->own) {
    dense_cholesky_invert(e, n, L, n);
    return;
  }
  const int width = panel_width(0.5 * n * n, n);
  invert_panels(L, n, width);
  square_panels(L, n, width);
}

void rank_update_signed(double *C,
                        int n,
                        const double *P,
                        int b,
                        const double *gamma,
                        double *scratch) {
  const dense_engine *e = core_dense();
  if (e->own) { /* signs are no matter to it */
    dense_update(e, n, b, -1, gamma, dense_of(P, n, 0), C, n);
    return;
  }
  for (double sign = 1; sign >= -1; sign -= 2) {
    int k = 0;
    for (int l = 0; l < b; l++) {
      if (gamma[l] * sign <= 0 || (isnan(gamma[l]) && sign < 0)) continue;
      const double root = sqrt(fabs(gamma[l]));
      const double *from = P + IDX(0, l, n);
      double *to = scratch + IDX(0, k++, n);
      for (int i = 0; i < n; i++) to[i] = root * from[i];
    }
    rank_update("N", n, k, -sign, scratch, C);
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
