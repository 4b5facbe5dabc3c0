/* The own dense kernels, each variant that this processor can run, against
 * naive sums: all sizes up to 70, the sizes at which blocks end, steps of all
 * kinds, what is not to be read or written, numbers at the ends of the range.
 */
#include "dense-solve.h"
#include "check.h"
#include "dense.h"
#include "matrix.h"
#include "status.h"

enum { most = 70 };

/* Where it is quick some sizes do, and of what is large some columns are
 * compared, once all numbers have been seen. */
static int step_of_sizes(void) { return check_quick() ? 11 : 1; }
static int step_of_columns(int columns) {
  return columns > most ? step_of_sizes() : 1;
}

static uint64_t seed = 11;
static double at_random(void) { return 2 * dense_unif(&seed) - 1; }

static double *random_matrix(int m, int n) {
  double *A = dense_new((size_t)m * (size_t)n);
  for (int i = 0; i < m * n; i++) A[i] = at_random();
  return A;
}

static int all_numbers(const double *x, int n) {
  for (int i = 0; i < n; i++)
    if (isnan(x[i])) return 0;
  return 1;
}

static int variant; /* the one under test */

static double at(dense_view A, int i, int j) {
  return A.at[i * A.row + j * A.col];
}

/* the larger one; what is not a number is larger than all */
static void widen(double *gap, double off) {
  if (!(off <= *gap)) *gap = isnan(off) ? INFINITY : off;
}

/* C - want, the largest difference over the terms of the sum */
static double worst(int m, int n, int k, double alpha, const double *w,
                    dense_view A, dense_view B, dense_view before, dense_view C,
                    int lower) {
  double gap = 0;
  const int step = step_of_columns(n);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) {
      double sum = at(before, i, j), size = fabs(sum);
      if (lower && i < j) { /* untouched */
        if (at(C, i, j) != sum) return INFINITY;
        continue;
      }
      if (isnan(at(C, i, j))) return INFINITY;
      if (j % step) continue;
      for (int l = 0; l < k; l++) {
        const double term = alpha * (w ? w[l] : 1) * at(A, i, l) * at(B, l, j);
        sum += term;
        size += fabs(term);
      }
      widen(&gap, fabs(at(C, i, j) - sum) / fmax(size, 1e-300));
    }
  return gap;
}

static void one_product(int m, int n, int k, int shape) {
  const int ta = shape & 1, tb = shape >> 1 & 1, tc = shape >> 2 & 1;
  const int rows = tc ? n : m, cols = tc ? m : n, ldc = rows + 3;
  double *A = random_matrix(m, k), *B = random_matrix(k, n);
  double *C = random_matrix(ldc, cols),
         *was = dense_new((size_t)ldc * (size_t)cols);
  double *w = random_matrix(k, 1);
  memcpy(was, C, sizeof *C * (size_t)ldc * (size_t)cols);
  dense_view a = dense_of(A, ta ? k : m, ta), b = dense_of(B, tb ? n : k, tb);
  dense_view before = dense_of(was, ldc, tc);
  dense_target c = dense_into(C, ldc, tc);
  if (shape & 8) { /* the last first, in all three */
    c.view = dense_reversed(c.view, m, n);
    before = dense_reversed(before, m, n);
  }
  const double *weights = shape & 16 ? w : NULL, alpha = shape & 32 ? -0.7 : 1;
  dense_product(core_dense(), m, n, k, alpha, weights, a, b, c);
  CHECK(worst(m, n, k, alpha, weights, a, b, before, c.view, 0) <
        1e-15 * (k + 4));
  for (int j = 0; j < cols; j++) /* below the rows */
    for (int i = rows; i < ldc; i++)
      CHECK(C[IDX(i, j, ldc)] == was[IDX(i, j, ldc)]);
  free(A), free(B), free(C), free(was), free(w);
}

static void products(void) {
  check_engine.own = dense_variant_at(variant);
  const int step = step_of_sizes();
  for (int m = 0; m <= most; m += step)
    for (int n = 0; n <= most; n += step)
      one_product(m, n, (m * 29 + n * 13) % (most + 1), (m * 7 + n) % 64);
  const int sizes[][3] = {{97, 9, 300},   {200, 600, 70},  {5000, 3, 4},
                          {3, 5000, 4},   {4100, 10, 600}, {96, 504, 256},
                          {193, 505, 257}};
  for (int s = 0; s < (step == 1 ? 7 : 2); s++)
    for (int shape = s; shape < 64; shape += 9 * step)
      one_product(sizes[s][0], sizes[s][1], sizes[s][2], shape);
}

static void one_update(int n, int k, int trans, int weighted) {
  const int ldc = n + 1;
  double *A = random_matrix(n, k), *C = random_matrix(ldc, n), *w;
  double *was = dense_new((size_t)ldc * (size_t)n);
  w = weighted ? random_matrix(k, 1) : NULL;
  memcpy(was, C, sizeof *C * (size_t)ldc * (size_t)n);
  const dense_view a = dense_of(A, trans ? k : n, trans);
  dense_update(core_dense(), n, k, -1, w, a, C, ldc, NULL);
  CHECK(worst(n, n, k, -1, w, a, dense_turned(a), dense_of(was, ldc, 0),
              dense_of(C, ldc, 0), 1) < 1e-15 * (k + 4));
  free(A), free(C), free(was), free(w);
}

static void updates(void) {
  check_engine.own = dense_variant_at(variant);
  for (int n = 0; n <= most; n += step_of_sizes())
    for (int k = 0; k <= most; k += 3) one_update(n, k, n & 1, k & 1);
  one_update(505, 64, 0, 1);
  one_update(600, 300, 1, 0);
  if (step_of_sizes() == 1) one_update(4100, 3, 0, 1);
}

static void symmetric_products(void) {
  check_engine.own = dense_variant_at(variant);
  for (int n = 1; n <= 300; n += n < most ? step_of_sizes() : 77) {
    const int m = 1 + n % 11;
    double *A = random_matrix(n, n), *B = random_matrix(n, m);
    double *C = dense_square(n), *full = dense_square(n);
    double *zero = dense_new((size_t)n * (size_t)m);
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++)
        full[IDX(i, j, n)] = A[i >= j ? IDX(i, j, n) : IDX(j, i, n)];
    for (int j = 0; j < n; j++)
      for (int i = 0; i < j; i++) A[IDX(i, j, n)] = NAN; /* not to be read */
    double *out = dense_new((size_t)n * (size_t)m);
    symmetric_product(A, n, B, m, out);
    CHECK(worst(n, m, n, 1, NULL, dense_of(full, n, 0), dense_of(B, n, 0),
                dense_of(zero, n, 0), dense_of(out, n, 0),
                0) < 1e-15 * (n + 4));
    free(A), free(B), free(C), free(full), free(zero), free(out);
  }
}

static void symmetric_times_equal_sums(void) {
  check_engine.own = dense_variant_at(variant);
  for (int n = 0; n <= 150; n += step_of_sizes()) {
    double *A = random_matrix(n, n), *x = random_matrix(n, 1);
    double *out = random_matrix(n, 1);
    for (int j = 0; j < n; j++)
      for (int i = 0; i < j; i++) A[IDX(i, j, n)] = NAN; /* not to be read */
    symmetric_times(A, n, x, out);
    for (int i = 0; i < n; i++) {
      double sum = 0;
      for (int j = 0; j < n; j++)
        sum += A[i >= j ? IDX(i, j, n) : IDX(j, i, n)] * x[j];
      CHECK_NEAR(out[i], sum, 1e-13 * (n + 1));
    }
    free(A), free(x), free(out);
  }
}

static void lower_products_equal_sums(void) {
  check_engine.own = dense_variant_at(variant);
  for (int n = 1; n <= 600; n += n < most ? step_of_sizes() : 77) {
    const int m = 1 + n % 11;
    double *T = random_matrix(n, n), *B = random_matrix(n, m);
    double *C = random_matrix(n, m), *sums = random_matrix(n, 1);
    for (int j = 0; j < n; j++)
      for (int i = 0; i < j; i++) T[IDX(i, j, n)] = 0;
    lower_product(T, n, B, m, C);
    for (int i = 0; i < n; i++) sums[i] = C[i];
    matrix_times(n, m - 1, C + n, B + n, sums); /* m - 1 <= n of them */
    CHECK(all_numbers(C, n * m) && all_numbers(sums, n));
    for (int i = 0; i < n; i += step_of_columns(n)) {
      double also = C[i];
      for (int j = 0; j < m; j++) {
        double sum = 0;
        for (int l = 0; l <= i; l++) sum += T[IDX(i, l, n)] * B[IDX(l, j, n)];
        CHECK_NEAR(C[IDX(i, j, n)], sum, 1e-13 * (n + 1));
        if (j > 0) also += C[IDX(i, j, n)] * B[n + j - 1];
      }
      CHECK_NEAR(sums[i], also, 1e-12 * (n + 1));
    }
    double sum = 0;
    for (int i = 0; i < n; i++) sum += B[i] * T[i];
    CHECK_NEAR(dot(n, B, T), sum, 1e-13 * (n + 1));
    free(T), free(B), free(C), free(sums);
  }
}

/* Lower, well conditioned, NaN above */
static double *random_factor(int n) {
  double *L = random_matrix(n, n);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      L[IDX(i, j, n)] = i < j    ? NAN
                        : i == j ? 2 + fabs(L[IDX(i, j, n)])
                                 : L[IDX(i, j, n)] / n;
  return L;
}

static void one_solve(int n, int cols) {
  double *L = random_factor(n), *B = random_matrix(n, cols);
  double *X = dense_new((size_t)n * (size_t)cols), gap[3] = {0, 0, 0};
  const int step = step_of_columns(cols);
  memcpy(X, B, sizeof *B * (size_t)n * (size_t)cols);
  solve_lower("N", L, n, X, cols);
  CHECK(all_numbers(X, n * cols));
  for (int j = 0; j < cols; j += step)
    for (int i = 0; i < n; i++) {
      double sum = 0;
      for (int l = 0; l <= i; l++) sum += L[IDX(i, l, n)] * X[IDX(l, j, n)];
      widen(gap + 0, fabs(sum - B[IDX(i, j, n)]));
    }
  memcpy(X, B, sizeof *B * (size_t)n * (size_t)cols);
  solve_lower("T", L, n, X, cols);
  CHECK(all_numbers(X, n * cols));
  for (int j = 0; j < cols; j += step)
    for (int i = 0; i < n; i++) {
      double sum = 0;
      for (int l = i; l < n; l++) sum += L[IDX(l, i, n)] * X[IDX(l, j, n)];
      widen(gap + 1, fabs(sum - B[IDX(i, j, n)]));
    }
  /* P N^{-1}: N[n x n] unit upper, its diagonal and lower part not read */
  double *N = dense_square(n), *P = dense_new((size_t)n * (size_t)cols);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) N[IDX(i, j, n)] = i < j ? L[IDX(j, i, n)] : NAN;
  for (int k = 0; k < n * cols; k++) P[k] = B[k]; /* as [cols x n] */
  solve_unit_right(N, n, P, cols);
  CHECK(all_numbers(P, n * cols));
  for (int i = 0; i < cols; i += step)
    for (int j = 0; j < n; j++) {
      double sum = P[IDX(i, j, cols)];
      for (int l = 0; l < j; l++) sum += P[IDX(i, l, cols)] * N[IDX(l, j, n)];
      widen(gap + 2, fabs(sum - B[IDX(i, j, cols)]));
    }
  for (int k = 0; k < 3; k++) CHECK_SCALED(gap[k], 0, 1e-13, 1);
  free(L), free(B), free(X), free(N), free(P);
}

static void solves(void) {
  check_engine.own = dense_variant_at(variant);
  for (int n = 1; n <= most; n += step_of_sizes())
    for (int cols = 0; cols <= most; cols += 1 + (n + cols) % 5)
      one_solve(n, cols);
  one_solve(130, 33);
  one_solve(201, 600);
}

static void one_factor(int n) {
  double *L = random_factor(n), *A = dense_square(n), log_det = 0;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      double sum = 0;
      for (int l = 0; l <= j && l <= i; l++)
        sum += L[IDX(i, l, n)] * L[IDX(j, l, n)];
      A[IDX(i, j, n)] = i >= j ? sum : NAN;
    }
  CHECK(cholesky(A, n, &log_det) == EP_CONVERGED);
  double gap = 0, inverse = 0;
  for (int j = 0; j < n; j++)
    for (int i = j; i < n; i++)
      widen(&gap, fabs(A[IDX(i, j, n)] - L[IDX(i, j, n)]));
  CHECK_SCALED(gap, 0, 1e-13, 1);
  lower_invert(A, n);
  lower_square(A, n);
  for (int j = 0; j < n; j++) /* above the diagonal is not touched */
    for (int i = 0; i < j; i++) CHECK(isnan(A[IDX(i, j, n)]));
  mirror_lower(A, n);
  CHECK(all_numbers(A, n * n));
  for (int j = 0; j < n; j += step_of_columns(n)) {
    /* L' A^{-1} column by column, then L times it */
    double v[most * 10];
    for (int i = 0; i < n; i++) {
      v[i] = 0;
      for (int l = i; l < n; l++) v[i] += L[IDX(l, i, n)] * A[IDX(l, j, n)];
    }
    for (int i = n - 1; i >= 0; i--) {
      double sum = 0;
      for (int l = 0; l <= i; l++) sum += L[IDX(i, l, n)] * v[l];
      widen(&inverse, fabs(sum - (i == j)));
    }
  }
  CHECK_SCALED(inverse, 0, 1e-12, 1);
  free(L), free(A);
}

static void factors(void) {
  check_engine.own = dense_variant_at(variant);
  for (int n = 1; n <= most; n += step_of_sizes()) one_factor(n);
  one_factor(129);
  one_factor(300);
  const double pivots[] = {-1e-9, 0, NAN};
  for (int bad = 0; bad < 200; bad += 37)
    for (int k = 0; k < 4;
         k++) { /* a pivot that is not there, or a NaN aside */
      double *A = dense_square(200);
      for (int i = 0; i < 200; i++) A[IDX(i, i, 200)] = 1;
      A[k < 3 ? IDX(bad, bad, 200) : IDX(199, bad, 200)] =
          k < 3 ? pivots[k] : NAN;
      CHECK(dense_cholesky(&check_engine, 200, A, 200) == 1);
      free(A);
    }
}

/* Infinities and NaN reach the rows and columns they stand in, and no others;
 * numbers below the normal range are not taken for 0. */
static void ends_of_the_range(void) {
  enum { n = 50 };
  static double A[n * n], B[n * n], C[n * n];
  check_engine.own = dense_variant_at(variant);
  for (int k = 0; k < n * n; k++) A[k] = B[k] = 1 + k % 3;
  A[IDX(7, 3, n)] = INFINITY;
  B[IDX(5, 9, n)] = NAN;
  product("N", "N", n, n, n, 1, A, n, B, n, 0, C, n);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      CHECK(j == 9 ? isnan(C[IDX(i, j, n)])
                   : (i == 7 ? isinf(C[IDX(i, j, n)])
                             : isfinite(C[IDX(i, j, n)])));
  for (int k = 0; k < n * n; k++) A[k] = 5e-324, B[k] = 1, C[k] = NAN;
  product("N", "N", n, n, n, 1, A, n, B, n, 0, C, n);
  for (int k = 0; k < n * n; k++) CHECK(C[k] == n * 5e-324);
  for (int k = 0; k < n * n; k++) A[k] = NAN, B[k] = 1e200, C[k] = 1;
  product("N", "N", n, n, n, 0, A, n, B, n, 2, C, n); /* alpha = 0 */
  rank_update("N", n, n, 0, A, C);
  for (int k = 0; k < n * n; k++) CHECK(C[k] == 2);
  const double gamma[] = {-1, NAN};
  double scratch[2 * n];
  rank_update_signed(C, n, -1, B, 2, gamma, scratch);
  for (int j = 0; j < n; j++)
    for (int i = j; i < n; i++) CHECK(isnan(C[IDX(i, j, n)]));
}

/* Bit for bit. The tests call threads for the smallest pieces: few of them. */
static void threads_change_nothing(void) {
  enum { n = 233 }; /* three blocks of rows, two panels deep */
  check_engine.own = dense_variant_at(variant);
  double *A = random_factor(n), *first = NULL;
  double *B = random_matrix(n, n);
  for (int threads = 1; threads <= 2; threads++) {
    double *C = dense_square(n), log_det = 0;
    check_engine.threads = threads;
    for (int j = 0; j < n; j++)
      for (int i = j; i < n; i++) C[IDX(i, j, n)] = (i == j) * 2.0 * n;
    product("N", "T", n, n, n, 0.1, B, n, B, n, 1, C, n);
    cholesky(C, n, &log_det);
    solve_lower("T", A, n, C, n / 2);
    if (!first)
      first = C;
    else {
      CHECK(memcmp(first, C, sizeof *C * n * n) == 0);
      free(C);
    }
  }
  check_engine.threads = 1;
  free(A), free(B), free(first);
}

static void none_beyond_the_widest(void) {
  int k = 0;
  while (dense_variant_at(k)) k++;
  CHECK(k >= 1 && !dense_variant_at(k) && !dense_variant_at(-1));
}

int main(void) {
  core_dense();
  for (variant = 0; dense_variant_at(variant); variant++) {
    printf("%s\n", dense_variant_at(variant)->name);
    RUN("products equal sums", products);
    RUN("lower triangles of products equal sums", updates);
    RUN("symmetric products read a lower triangle", symmetric_products);
    RUN("products with a vector, too", symmetric_times_equal_sums);
    RUN("products of a lower triangle, and with a vector",
        lower_products_equal_sums);
    RUN("solutions solve", solves);
    RUN("factors and inverses are", factors);
    RUN("the ends of the range are kept", ends_of_the_range);
    RUN("threads change no bit", threads_change_nothing);
  }
  RUN("there is none beyond the widest variant", none_beyond_the_widest);
  return check_done();
}
