/* What: triangular solves, Cholesky factors, inverses.
 * Method: halves. With T = [T1 0; R T2],
 *   T^{-1} X:  X1 <- T1^{-1} X1,  X2 <- T2^{-1} (X2 - R X1),
 *   T' X:      X1 <- T1' X1 + R' X2,  X2 <- T2' X2,
 *   chol A:    A1 = T1 T1',  R <- R T1^{-T},  A2 - R R' = T2 T2',
 *   T^{-1}:    R <- -T2^{-1} R T1^{-1},
 *   T' T:      T1' T1 + R' R,  T2' R,  T2' T2,
 *   so that almost all work is products; small parts by the loops of the
 *   textbook. */
#include "dense-solve.h"
#include "host.h"
#include "numeric.h"
#include "threads.h"

/* Sizes up to which a half is not worth its products */
#define SOLVE_LEAF 64
#define FACTOR_LEAF 16
#define SLAB_MOST 32

/* from one core_poll() to the next: a whole number of slabs */
#define COLUMNS 16384

/* Where to cut: a whole number of small factors */
static int half(int n) {
  return (n / 2 + FACTOR_LEAF - 1) / FACTOR_LEAF * FACTOR_LEAF;
}

/* One slab of columns of X, copied into rows, as solve() wants it */
static void solve_slab(const dense_variant *own, int n, int cols,
                       const double *t, dense_target X) {
  const int slab = own->slab;
  const ptrdiff_t row = X.view.row, col = X.view.col;
  double x[SOLVE_LEAF * SLAB_MOST], *at = dense_place(X, 0, 0);
  if (cols < slab) memset(x, 0, sizeof x);
  if (row == 1) { /* along columns, two at once */
    int c = 0;
    for (; c + 2 <= cols; c += 2) {
      const double *a = at + c * col, *b = a + col;
      for (int i = 0; i < n; i++) {
        x[i * slab + c] = a[i];
        x[i * slab + c + 1] = b[i];
      }
    }
    for (; c < cols; c++)
      for (int i = 0; i < n; i++) x[i * slab + c] = at[i + c * col];
    own->solve(n, t, x);
    for (c = 0; c < cols; c++)
      for (int i = 0; i < n; i++) at[i + c * col] = x[i * slab + c];
    return;
  }
  for (int i = 0; i < n; i++)
    for (int c = 0; c < cols; c++) x[i * slab + c] = at[i * row + c * col];
  own->solve(n, t, x);
  for (int i = 0; i < n; i++)
    for (int c = 0; c < cols; c++) at[i * row + c * col] = x[i * slab + c];
}

/* The slab of X that begins at column j of those before `to` */
static void solve_part(const dense_engine *e, int n, int j, int to,
                       const double *t, dense_target X) {
  const int left = to - j, slab = e->own->slab;
  solve_slab(e->own, n, left < slab ? left : slab, t,
             (dense_target){X.array, dense_from(X.view, 0, j)});
}

static void solve_leaf(const dense_engine *e, int n, int cols, dense_view T,
                       int unit, dense_target X) {
  const int slab = e->own->slab, threads = e->threads;
  double t[SOLVE_LEAF * SOLVE_LEAF];
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) t[i * n + j] = T.at[i * T.row + j * T.col];
    t[i * n + i] = unit ? 1 : T.at[i * (T.row + T.col)];
  }
  for (int from = 0; from < cols; from += COLUMNS) {
    const int to = cols - from < COLUMNS ? cols : from + COLUMNS;
    core_poll();
    if (threads == 1 || 0.5 * n * n * (to - from) <= THREAD_LEAST) {
      for (int j = from; j < to; j += slab) solve_part(e, n, j, to, t, X);
      continue;
    }
    OMP(omp parallel for num_threads(threads))
    for (int j = from; j < to; j += slab) solve_part(e, n, j, to, t, X);
  }
}

void dense_solve(const dense_engine *e, int n, int cols, dense_view T, int unit,
                 dense_target X) {
  if (n == 0 || cols == 0) return;
  if (n <= SOLVE_LEAF) {
    solve_leaf(e, n, cols, T, unit, X);
    return;
  }
  const int h = half(n);
  const dense_target below = {X.array, dense_from(X.view, h, 0)};
  dense_solve(e, h, cols, T, unit, X);
  dense_product(e, n - h, cols, h, -1, NULL, dense_from(T, h, 0), X.view,
                below);
  dense_solve(e, n - h, cols, dense_from(T, h, h), unit, below);
}

/* column by column, each brought up to date by those left of it */
static int cholesky_leaf(int n, double *A, int lda) {
  for (int j = 0; j < n; j++) {
    double *column = A + IDX(0, j, lda);
    for (int l = 0; l < j; l++) {
      const double *left = A + IDX(0, l, lda), at = left[j];
      for (int i = j; i < n; i++) column[i] -= at * left[i];
    }
    if (!(column[j] > 0)) return 1;
    const double pivot = sqrt(column[j]);
    for (int i = j + 1; i < n; i++) column[i] /= pivot;
    column[j] = pivot;
  }
  return 0;
}

int dense_cholesky(const dense_engine *e, int n, double *A, int lda) {
  if (n <= FACTOR_LEAF) return cholesky_leaf(n, A, lda);
  const int h = half(n);
  double *R = A + h, *A2 = A + IDX(h, h, lda);
  if (dense_cholesky(e, h, A, lda) != 0) return 1;
  dense_solve(e, h, n - h, dense_of(A, lda, 0), 0, dense_into(R, lda, 1));
  dense_update(e, n - h, h, -1, NULL, dense_of(R, lda, 0), A2, lda, NULL);
  return dense_cholesky(e, n - h, A2, lda);
}

static void invert_leaf(int n, double *L, int ldl) {
  for (int j = 0; j < n; j++) {
    double *column = L + IDX(0, j, ldl);
    column[j] = 1 / column[j];
    for (int i = j + 1; i < n; i++) { /* rows j..i-1 are inverted */
      double sum = 0;
      for (int l = j; l < i; l++) sum += L[IDX(i, l, ldl)] * column[l];
      column[i] = -sum / L[IDX(i, i, ldl)];
    }
  }
}

void dense_invert(const dense_engine *e, int n, double *L, int ldl) {
  if (n <= FACTOR_LEAF) {
    invert_leaf(n, L, ldl);
    return;
  }
  const int h = half(n), m = n - h;
  double *R = L + h, *L2 = L + IDX(h, h, ldl);
  const dense_view T1 = dense_of(L, ldl, 0), T2 = dense_of(L2, ldl, 0);
  for (int j = 0; j < h; j++)
    for (int i = 0; i < m; i++) R[IDX(i, j, ldl)] = -R[IDX(i, j, ldl)];
  dense_solve(e, m, h, T2, 0, dense_into(R, ldl, 0));
  /* R T1^{-1}: T1' is upper, reversed lower; R' goes with it */
  dense_solve(e, h, m, dense_reversed(dense_turned(T1), h, h), 0,
              (dense_target){R, dense_reversed(dense_of(R, ldl, 1), h, m)});
  dense_invert(e, h, L, ldl);
  dense_invert(e, m, L2, ldl);
}

/* X[n x cols] <- T' X, T lower; the leaf copies T with zeros above */
static void times_turned(const dense_engine *e, int n, int cols,
                         const double *T, double *X, int ld) {
  if (n > SOLVE_LEAF) {
    const int h = half(n);
    times_turned(e, h, cols, T, X, ld);
    dense_product(e, h, cols, n - h, 1, NULL, dense_of(T + h, ld, 1),
                  dense_of(X + h, ld, 0), dense_into(X, ld, 0));
    times_turned(e, n - h, cols, T + IDX(h, h, ld), X + h, ld);
    return;
  }
  double t[SOLVE_LEAF * SOLVE_LEAF], x[SOLVE_LEAF * SLAB_MOST];
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) t[i + j * n] = i >= j ? T[IDX(i, j, ld)] : 0;
  for (int j = 0; j < cols; j += SLAB_MOST) {
    const int wide = cols - j < SLAB_MOST ? cols - j : SLAB_MOST;
    for (int c = 0; c < wide; c++) {
      double *from = X + IDX(0, j + c, ld);
      memcpy(x + c * n, from, sizeof *x * (size_t)n);
      memset(from, 0, sizeof *x * (size_t)n);
    }
    dense_product(e, n, wide, n, 1, NULL, dense_of(t, n, 1), dense_of(x, n, 0),
                  dense_into(X + IDX(0, j, ld), ld, 0));
  }
}

static void square_leaf(int n, double *W, int ldw) {
  for (int j = 0; j < n; j++) /* row i of W' W needs rows i.. of W */
    for (int i = j; i < n; i++) {
      double sum = 0;
      for (int l = i; l < n; l++) sum += W[IDX(l, i, ldw)] * W[IDX(l, j, ldw)];
      W[IDX(i, j, ldw)] = sum;
    }
}

void dense_squared(const dense_engine *e, int n, double *W, int ldw) {
  if (n <= FACTOR_LEAF) {
    square_leaf(n, W, ldw);
    return;
  }
  const int h = half(n), m = n - h;
  double *R = W + h, *W2 = W + IDX(h, h, ldw);
  dense_squared(e, h, W, ldw);
  dense_update(e, h, m, 1, NULL, dense_of(R, ldw, 1), W, ldw, NULL);
  times_turned(e, m, h, W2, R, ldw);
  dense_squared(e, m, W2, ldw);
}

const dense_ops dense_own = {.product = dense_product,
                             .symmetric = dense_symmetric,
                             .symmetric_times = dense_symmetric_times,
                             .update = dense_update,
                             .solve = dense_solve,
                             .cholesky = dense_cholesky,
                             .invert = dense_invert,
                             .square = dense_squared,
                             .lower = dense_lower,
                             .dot = dense_inner,
                             .times = dense_times};
