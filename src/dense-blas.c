/* What: dense operations over R's BLAS and LAPACK.
 * Method: they are called for panels of columns, so that none goes long without
 *   core_poll(): the blocked algorithms of LAPACK, and of BLAS products column
 *   by column, so that panels change no rounding that LAPACK would not. */
#include "dense-ops.h"
#include "host.h"
#include "numeric.h"

/* Flops from one core_poll() to the next: 0.05 to 0.4 s with the reference
 * BLAS, the latter on a machine at its limit. Panels of PANEL_LEAST columns may
 * take longer (n beyond 3,000), but a call of BLAS should have some to do. */
#ifndef PANEL_FLOPS
#define PANEL_FLOPS 1e8
#endif
#define PANEL_LEAST 16

static const double one = 1, minus = -1;
static const int step = 1;

/* Columns of the next panel, of `left` ones that cost `flops` each */
static int panel_width(double flops, int left) {
  core_poll();
  const double width = fmax(PANEL_LEAST, PANEL_FLOPS / fmax(flops, 1));
  return width < left ? (int)width : left;
}

/* How BLAS knows a view of so many rows: whether its rows are the columns of the
 * array, and the leading dimension, of no matter where there is one column */
static int is_turned(dense_view A) { return A.row != 1; }
static int leading(dense_view A, int rows) {
  if (is_turned(A)) return A.row > 1 ? (int)A.row : 1;
  return A.col > rows ? (int)A.col : rows > 1 ? rows : 1;
}

static void blas_product(const dense_engine *e, int m, int n, int k,
                         double alpha, const double *w, dense_view A,
                         dense_view B, dense_target C) {
  const int lda = leading(A, m), ldb = leading(B, k), ldc = leading(C.view, m);
  (void)e, (void)w;
  for (int j = 0, width; j < n; j += width) {
    width = panel_width(2.0 * m * k, n - j);
    F77_CALL(dgemm)(is_turned(A) ? "T" : "N", is_turned(B) ? "T" : "N", &m,
                    &width, &k, &alpha, A.at, &lda, dense_from(B, 0, j).at,
                    &ldb, &one, dense_place(C, 0, j), &ldc FCONE FCONE);
  }
}

static void blas_symmetric(const dense_engine *e, int n, int m, const double *A,
                           int lda, dense_view B, double *C, int ldc) {
  const int ldb = leading(B, n);
  (void)e;
  for (int j = 0, width; j < m; j += width) {
    width = panel_width(2.0 * n * n, m - j);
    F77_CALL(dsymm)("L", "L", &n, &width, &one, A, &lda, dense_from(B, 0, j).at,
                    &ldb, &one, C + IDX(0, j, ldc), &ldc FCONE FCONE);
  }
}

static void blas_symmetric_times(const dense_engine *e, int n, const double *A,
                                 const double *x, double *out) {
  const double zero = 0;
  (void)e;
  F77_CALL(dsymv)("L", &n, &one, A, &n, x, &step, &zero, out, &step FCONE);
}

/* C (lower) += alpha A A' */
static void update_lower(const dense_engine *e, int n, int k, double alpha,
                         dense_view A, double *C, int ldc) {
  const int lda = leading(A, n);
  for (int j = 0, width; k > 0 && j < n; j += width) {
    width = panel_width(2.0 * (n - j) * k, n - j);
    const int below = j + width;
    const dense_view here = dense_from(A, j, 0);
    F77_CALL(dsyrk)("L", is_turned(A) ? "T" : "N", &width, &k, &alpha, here.at,
                    &lda, &one, C + IDX(j, j, ldc), &ldc FCONE FCONE);
    if (below < n)
      blas_product(e, n - below, width, k, alpha, NULL, dense_from(A, below, 0),
                   dense_turned(here),
                   dense_into(C + IDX(below, j, ldc), ldc, 0));
  }
}

/* By two updates with sqrt|w|, split by the sign of w; NaN goes with the first */
static void blas_update(const dense_engine *e, int n, int k, double alpha,
                        const double *w, dense_view A, double *C, int ldc,
                        double *scratch) {
  if (!w) update_lower(e, n, k, alpha, A, C, ldc);
  for (double sign = 1; w && sign >= -1; sign -= 2) {
    int taken = 0;
    for (int l = 0; l < k; l++) {
      if (w[l] * sign <= 0 || (isnan(w[l]) && sign < 0)) continue;
      const double root = sqrt(fabs(w[l]));
      const double *from = dense_from(A, 0, l).at;
      double *to = scratch + IDX(0, taken++, n);
      for (int i = 0; i < n; i++) to[i] = root * from[i * A.row];
    }
    update_lower(e, n, taken, alpha * sign, dense_of(scratch, n, 0), C, ldc);
  }
}

/* Turned round where T is an upper triangle reversed; from the right where X has
 * its columns in rows of the array */
static void blas_solve(const dense_engine *e, int n, int cols, dense_view T,
                       int unit, dense_target X) {
  const int reversed = T.row < 0;
  (void)e;
  if (reversed) {
    T = dense_reversed(T, n, n);
    X.view = dense_reversed(X.view, n, cols);
  }
  const int right = is_turned(X.view), turned = is_turned(T);
  const int ldt = leading(T, n), ldx = leading(X.view, n);
  const char *side = right ? "R" : "L", *diagonal = unit ? "U" : "N";
  const char *triangle = reversed == turned ? "L" : "U";
  const char *trans = right == turned ? "N" : "T";
  for (int j = 0, width; j < cols; j += width) {
    width = panel_width((double)n * n, cols - j);
    F77_CALL(dtrsm)(side, triangle, trans, diagonal, right ? &width : &n,
                    right ? &n : &width, &one, T.at, &ldt, dense_place(X, 0, j),
                    &ldx FCONE FCONE FCONE FCONE);
  }
}

/* A (lower) <- L: dpotrf in panels. The one at j is brought up to date by
 * those left of it, factored at its top and solved below. */
static int blas_cholesky(const dense_engine *e, int n, double *A, int lda) {
  int info = 0;
  for (int j = 0, width; j < n; j += width) {
    width = panel_width(0.5 * n * n, n - j);
    const int below = n - j - width;
    double *top = A + IDX(j, j, lda), *under = top + width;
    update_lower(e, width, j, -1, dense_of(A + j, lda, 0), top, lda);
    F77_CALL(dpotrf)("L", &width, top, &lda, &info FCONE);
    if (info != 0) return info;
    if (below == 0) break;
    blas_product(e, below, width, j, -1, NULL, dense_of(A + j + width, lda, 0),
                 dense_of(A + j, lda, 1), dense_into(under, lda, 0));
    F77_CALL(dtrsm)("R", "L", "T", "N", &below, &width, &one, top, &lda, under,
                    &lda FCONE FCONE FCONE FCONE);
  }
  return info;
}

/* L <- L^{-1}: dtrtri in panels, from the last one */
static void invert_panels(int n, double *L, int ldl, int width) {
  int info = 0;
  for (int j = (n - 1) / width * width; j >= 0; j -= width) {
    const int cols = n - j < width ? n - j : width, below = n - j - cols;
    double *top = L + IDX(j, j, ldl), *under = top + cols;
    core_poll();
    F77_CALL(dtrmm)("L", "L", "N", "N", &below, &cols, &one,
                    L + IDX(j + cols, j + cols, ldl), &ldl, under,
                    &ldl FCONE FCONE FCONE FCONE);
    F77_CALL(dtrsm)("R", "L", "N", "N", &below, &cols, &minus, top, &ldl, under,
                    &ldl FCONE FCONE FCONE FCONE);
    F77_CALL(dtrtri)("L", "N", &cols, top, &ldl, &info FCONE FCONE);
  }
}

/* W (lower) <- W' W: dlauum in panels */
static void square_panels(const dense_engine *e, int n, double *W, int ldw,
                          int width) {
  int info = 0;
  for (int i = 0; i < n; i += width) {
    const int rows = n - i < width ? n - i : width, below = n - i - rows;
    double *top = W + IDX(i, i, ldw), *left = W + i;
    const dense_view under = dense_of(top + rows, ldw, 1);
    core_poll();
    F77_CALL(dtrmm)("L", "L", "T", "N", &rows, &i, &one, top, &ldw, left,
                    &ldw FCONE FCONE FCONE FCONE);
    F77_CALL(dlauum)("L", &rows, top, &ldw, &info FCONE);
    blas_product(e, rows, i, below, 1, NULL, under,
                 dense_of(left + rows, ldw, 0), dense_into(left, ldw, 0));
    update_lower(e, rows, below, 1, under, top, ldw);
  }
}

static void blas_invert(const dense_engine *e, int n, double *L, int ldl) {
  (void)e;
  invert_panels(n, L, ldl, panel_width(0.5 * n * n, n));
}

static void blas_square(const dense_engine *e, int n, double *W, int ldw) {
  square_panels(e, n, W, ldw, panel_width(0.5 * n * n, n));
}

static void blas_lower(const dense_engine *e, int n, int m, const double *T,
                       const double *B, double *C) {
  (void)e;
  memcpy(C, B, sizeof *C * (size_t)n * (size_t)m);
  for (int j = 0, width; j < m; j += width) {
    width = panel_width((double)n * n, m - j);
    F77_CALL(dtrmm)("L", "L", "N", "N", &n, &width, &one, T, &n,
                    C + IDX(0, j, n), &n FCONE FCONE FCONE FCONE);
  }
}

static double blas_dot(const dense_engine *e, int n, const double *x,
                       const double *y) {
  (void)e;
  return F77_CALL(ddot)(&n, x, &step, y, &step);
}

static void blas_times(const dense_engine *e, int m, int n, const double *A,
                       const double *x, double *out) {
  (void)e;
  F77_CALL(dgemv)("N", &m, &n, &one, A, &m, x, &step, &one, out, &step FCONE);
}

const dense_ops dense_blas = {.product = blas_product,
                              .symmetric = blas_symmetric,
                              .symmetric_times = blas_symmetric_times,
                              .update = blas_update,
                              .solve = blas_solve,
                              .cholesky = blas_cholesky,
                              .invert = blas_invert,
                              .square = blas_square,
                              .lower = blas_lower,
                              .dot = blas_dot,
                              .times = blas_times};
