/* Gram matrices and the contraction of dE/dK. */
#include "kernel.h"
#include "check.h"
#include "dense.h"

enum { n = 13, m = 5, p = 4 };

/* Columns 0 and 1 of their own, 2 and 3 a factor of two levels. */
static const int group[p] = {0, 1, 2, 2};
static const double weight[p] = {1, 1, 0.5, 0.5};

static void fill(double *X, int rows, uint64_t seed) {
  for (int i = 0; i < rows; i++) {
    const int level = dense_unif(&seed) < 0.4;
    X[IDX(i, 0, rows)] = dense_norm(&seed);
    X[IDX(i, 1, rows)] = 100 + 3 * dense_norm(&seed);
    X[IDX(i, 2, rows)] = level;
    X[IDX(i, 3, rows)] = !level;
  }
}

static double by_hand(const kernel_ard *k, const double *a, int na, int i,
                      const double *b, int nb, int j) {
  double r2 = 0, line = 0;
  for (int c = 0; c < k->p; c++) {
    const double d = a[IDX(i, c, na)] - b[IDX(j, c, nb)];
    r2 += k->weight[c] * k->l[k->group[c]] * d * d;
    line += k->linear * k->weight[c] * a[IDX(i, c, na)] * b[IDX(j, c, nb)];
  }
  return k->variance * exp(-r2) + k->bias + line;
}

static kernel_inputs new_inputs(int rows, int columns, double **block) {
  kernel_inputs in;
  workspace ws = {NULL, 0};
  kernel_carve(&in, rows, columns, &ws);
  *block = dense_new(ws.used);
  ws = (workspace){*block, 0};
  kernel_carve(&in, rows, columns, &ws);
  return in;
}

static void gram_matrices_equal_the_formula(void) {
  const double l[] = {0.4, 0.05, 0.7};
  const kernel_ard k = {p,   3,   group, weight,        l, 1.7,
                        0.2, 0.3, 0.6,   SHAPE_SQUARED, 1, NULL};
  double X[n * p], Xnew[m * p], K[n * n], G[n * m], *block, *other;
  fill(X, n, 51);
  fill(Xnew, m, 52);
  kernel_inputs in = new_inputs(n, p, &block),
                in_new = new_inputs(m, p, &other);
  kernel_prepare(&in, &k, X, n, NULL);
  kernel_prepare(&in_new, &k, Xnew, m, &in);
  kernel_gram(&k, &in, K);
  kernel_cross(&k, &in, &in_new, G);
  double v[n];
  kernel_variances(&k, &in, v);
  for (int i = 0; i < n; i++) {
    CHECK_NEAR(v[i], K[IDX(i, i, n)], 1e-14);
    for (int j = 0; j < n; j++)
      CHECK_NEAR(K[IDX(i, j, n)],
                 by_hand(&k, X, n, i, X, n, j) + (i == j ? 0.3 : 0), 1e-14);
    for (int j = 0; j < m; j++)
      CHECK_NEAR(G[IDX(i, j, n)], by_hand(&k, X, n, i, Xnew, m, j), 1e-14);
  }
  free(block);
  free(other);
}

/* Far from the origin and very near each other: nothing cancels. */
static void duplicates_are_at_distance_zero(void) {
  const double l[] = {1, 0.5, 1};
  const kernel_ard k = {p, 3, group, weight,        l, 1,
                        0, 0, 0,     SHAPE_SQUARED, 1, NULL};
  double X[n * p], K[n * n], *block;
  fill(X, n, 53);
  for (int c = 0; c < p; c++) {
    X[IDX(4, c, n)] = X[IDX(9, c, n)];
    X[IDX(5, c, n)] = X[IDX(9, c, n)];
  }
  X[IDX(5, 1, n)] += 1e-7;
  kernel_inputs in = new_inputs(n, p, &block);
  kernel_prepare(&in, &k, X, n, NULL);
  kernel_gram(&k, &in, K);
  CHECK(K[IDX(4, 9, n)] == 1 && K[IDX(9, 4, n)] == 1);
  CHECK_SCALED(1 - K[IDX(5, 9, n)], 0.5e-14, 0.05, 0);
  free(block);
}

static void extreme_scales_are_finite(void) {
  for (double scale = 1e-300; scale < 1e301; scale *= 1e30) {
    const double l[] = {scale, scale, scale};
    const kernel_ard k = {p,   3,   group, weight,        l, 1,
                          0.1, 0.1, 0,     SHAPE_SQUARED, 1, NULL};
    double X[n * p], K[n * n], *block;
    fill(X, n, 54);
    kernel_inputs in = new_inputs(n, p, &block);
    kernel_prepare(&in, &k, X, n, NULL);
    kernel_gram(&k, &in, K);
    for (int i = 0; i < n * n; i++) CHECK(K[i] >= 0.1 && K[i] < 1.2001);
    free(block);
  }
}

/* Largest relative error of the squared distance of rows just above the share
 * at which the product form ends: rows i and i + half differ by 1, the others
 * by some 28 (the exponential is 0) */
static double error_near_the_share(int columns) {
  enum { half = 15, rows = 2 * half };
  const double l = 1 / (2.4e-3 * columns);
  const size_t size = (size_t)columns;
  int *own = calloc(size, sizeof *own);
  double *weights = dense_new(size), *X = dense_new(rows * size);
  double K[rows * rows], *block, worst = 0;
  uint64_t seed = 71;
  for (int c = 0; c < columns; c++) {
    weights[c] = 1;
    for (int i = 0; i < half; i++) {
      const double x = dense_norm(&seed);
      X[IDX(i, c, rows)] = x;
      X[IDX(i + half, c, rows)] = x + sqrt(2.4e-3) * dense_norm(&seed);
    }
  }
  const kernel_ard k = {columns, 1, own, weights,       &l, 1,
                        0,       0, 0,   SHAPE_SQUARED, 1,  NULL};
  kernel_inputs in = new_inputs(rows, columns, &block);
  kernel_prepare(&in, &k, X, rows, NULL);
  kernel_gram(&k, &in, K);
  for (int i = 0; i < half; i++) {
    long double want = 0;
    for (int c = 0; c < columns; c++) {
      const long double d =
          (long double)X[IDX(i, c, rows)] - X[IDX(i + half, c, rows)];
      want += l * d * d;
    }
    const double got = -log(K[IDX(i + half, i, rows)]);
    worst = fmax(worst, fabs((double)((got - want) / want)));
  }
  free(block);
  free(X);
  free(weights);
  free(own);
  return worst;
}

static void near_distances_keep_their_digits(void) {
  CHECK(error_near_the_share(10) < 5e-13);
  CHECK(error_near_the_share(3000) < 6e-12);
}

static void no_columns_leave_a_constant(void) {
  const kernel_ard k = {0,   0,    NULL, NULL,          NULL, 2,
                        0.5, 0.25, 0,    SHAPE_SQUARED, 1,    NULL};
  double K[9], W[9], G[6], scratch[6], *block, *other;
  kernel_inputs in = new_inputs(3, 0, &block),
                in_new = new_inputs(2, 0, &other);
  kernel_grad grad = {.l = NULL};
  kernel_prepare(&in, &k, NULL, 3, NULL);
  kernel_prepare(&in_new, &k, NULL, 2, &in);
  kernel_gram(&k, &in, K);
  kernel_cross(&k, &in, &in_new, G);
  for (int i = 0; i < 9; i++) CHECK(K[i] == (i % 4 ? 2.5 : 2.75));
  for (int i = 0; i < 6; i++) CHECK(G[i] == 2.5);
  in_new.n = 0;
  kernel_cross(&k, &in, &in_new, G); /* no new rows */
  for (int i = 0; i < 9; i++) W[i] = 1;
  double none[1] = {0};
  grad.l = none;
  kernel_contract(&k, &in, K, W, scratch, &grad);
  CHECK_NEAR(grad.variance, 2 * 9, 1e-15);
  CHECK_NEAR(grad.bias, 0.5 * 9, 1e-15);
  CHECK_NEAR(grad.nugget, 0.25 * 3, 1e-15);
  free(block);
  free(other);
}

/* E(K) = sum W o K for a fixed symmetric W: dE/dK = W. */
typedef struct {
  double log_theta[7]; /* l[3], variance, bias, nugget, linear */
  const double *X, *W;
  int by;
  kernel_shape shape;
} probe;

static double probe_at(void *data, double step) {
  const probe *q = data;
  double t[7], K[n * n], *block, sum = 0;
  for (int k = 0; k < 7; k++) t[k] = exp(q->log_theta[k] + step * (k == q->by));
  const kernel_ard k = {p,    3,    group, weight,   t,   t[3],
                        t[4], t[5], t[6],  q->shape, 0.7, NULL};
  kernel_inputs in = new_inputs(n, p, &block);
  kernel_prepare(&in, &k, q->X, n, NULL);
  kernel_gram(&k, &in, K);
  for (int i = 0; i < n * n; i++) sum += q->W[i] * K[i];
  free(block);
  return sum;
}

static void contraction_of(kernel_shape shape) {
  double X[n * p], W[n * n], low[n * n], K[n * n],
      scratch[KERNEL_SCRATCH(n, p)], *block;
  double got[7];
  uint64_t seed = 56;
  fill(X, n, 55);
  for (int j = 0; j < n; j++)
    for (int i = j; i < n; i++)
      W[IDX(i, j, n)] = W[IDX(j, i, n)] = dense_norm(&seed);
  for (int j = 0; j < n; j++) /* the upper triangle is not to be read */
    for (int i = 0; i < n; i++)
      low[IDX(i, j, n)] = i >= j ? W[IDX(i, j, n)] : NAN;
  probe q = {
      {log(0.4), log(0.02), log(0.7), log(1.3), log(0.2), log(0.1), log(6e-4)},
      X,
      W,
      0,
      shape};
  double t[7];
  for (int k = 0; k < 7; k++) t[k] = exp(q.log_theta[k]);
  const kernel_ard k = {p,    3,    group, weight, t,   t[3],
                        t[4], t[5], t[6],  shape,  0.7, NULL};
  kernel_inputs in = new_inputs(n, p, &block);
  kernel_grad grad = {.l = got};
  kernel_prepare(&in, &k, X, n, NULL);
  kernel_gram(&k, &in, K);
  kernel_contract(&k, &in, K, low, scratch, &grad);
  got[3] = grad.variance;
  got[4] = grad.bias;
  got[5] = grad.nugget;
  got[6] = grad.linear;
  for (q.by = 0; q.by < 7; q.by++)
    CHECK_NEAR(got[q.by], dense_slope(probe_at, &q, 0.02), 1e-9);
  free(block);
}

static void the_contraction_equals_differences(void) {
  for (int shape = 0; shape < N_SHAPES; shape++)
    contraction_of((kernel_shape)shape);
}

/* Two clusters 1e6 lengthscales apart: pairs within one count, and by their
 * differences. By hand from the same differences. */
static void wide_columns_are_contracted_by_differences(void) {
  const int own[1] = {0};
  const double l[] = {0.5}, one[] = {1};
  const kernel_ard k = {1,   1,   own, one,           l, 1.3,
                        0.2, 0.1, 0,   SHAPE_SQUARED, 1, NULL};
  double x[n], W[n * n], K[n * n], scratch[KERNEL_SCRATCH(n, 1)], got[1],
      want = 0, *block;
  uint64_t seed = 57;
  for (int i = 0; i < n; i++) x[i] = dense_norm(&seed) + (i < n / 2 ? 0 : 1e6);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      const double d = x[i] - x[j];
      W[IDX(i, j, n)] = cos(i + j);
      want -= W[IDX(i, j, n)] * 1.3 * exp(-0.5 * d * d) * 0.5 * d * d;
    }
  kernel_inputs in = new_inputs(n, 1, &block);
  kernel_grad grad = {.l = got};
  kernel_prepare(&in, &k, x, n, NULL);
  kernel_gram(&k, &in, K);
  kernel_contract(&k, &in, K, W, scratch, &grad);
  CHECK_NEAR(got[0], want, 1e-8);
  free(block);
}

/* x at random between two ends, dense near 0 */
static void fill_between(int size, double from, double to, double *x) {
  uint64_t seed = 61;
  for (int i = 0; i < size; i++) {
    const double at = i % 3 == 0 ? exp(-30 * dense_unif(&seed)) : 1;
    x[i] = at * (from + (to - from) * dense_unif(&seed));
  }
}

/* exp() against long double, in units of the last place, those of the least
 * normal number below it. Valgrind has no more than 53 bits: one more there. */
static void every_variant_has_the_exponential(void) {
  enum { size = 20000 };
  static double x[size], got[size], first[size];
  const volatile long double one = 1;
  const double allowed = one + 0x1p-60L != one ? 1.1 : 2.1;
  for (int v = 0; dense_variant_at(v); v++) {
    const dense_variant *loops = dense_variant_at(v);
    const double ends[][2] = {{-745.1, 709.7}, {-1, 1}, {-745.1, -708}};
    for (int range = 0; range < 3; range++) {
      double worst = 0;
      fill_between(size, ends[range][0], ends[range][1], x);
      for (int i = 0; i < size; i++) got[i] = -x[i];
      loops->decay(size, 1, 0, got);
      for (int i = 0; i < size; i++) {
        const long double want = expl(x[i]);
        const long double place =
            ldexpl(1, (int)fmax(-1074, ilogbl(want) - 52));
        worst = fmax(worst, (double)(fabsl(got[i] - want) / place));
      }
      CHECK(worst < allowed);
    }
    if (v == 0) memcpy(first, got, sizeof first);
    CHECK(memcmp(first, got, sizeof first) == 0);
  }
}

static void the_exponential_has_its_ends(void) {
  for (int v = 0; dense_variant_at(v); v++) {
    double x[] = {0,      -0.0,     INFINITY, -INFINITY, NAN,    745.14,
                  745.13, -709.782, -709.79,  1e308,     -1e308, 0x1p-1074};
    const double want[] = {1,        1, 0,         INFINITY,
                           NAN,      0, 0x1p-1074, exp(709.782),
                           INFINITY, 0, INFINITY,  1};
    dense_variant_at(v)->decay(12, 1, 0, x);
    for (int i = 0; i < 12; i++)
      CHECK(isnan(want[i])
                ? isnan(x[i])
                : fabs(x[i] / want[i] - 1) < 1e-15 || x[i] == want[i]);
  }
}

/* What is above, and what was visited, stays. */
static void passing_on_is_a_rank_one_update(void) {
  enum { most = 21 };
  double c[most], C[most * most], got[most * most], first_got[most * most];
  uint64_t seed = 3;
  for (int i = 0; i < most; i++) c[i] = dense_norm(&seed);
  for (int k = 0; k < most * most; k++) C[k] = dense_norm(&seed);
  for (int n = 1; n <= most; n++)
    for (int first = 0; first <= n; first++)
      for (int v = 0; dense_variant_at(v); v++) {
        memcpy(got, C, sizeof C);
        dense_variant_at(v)->pass_on(n, first, 0.3, c, got);
        for (int j = 0; j < n; j++)
          for (int i = 0; i < n; i++) {
            const int moves = j >= first && i >= j;
            CHECK_NEAR(got[IDX(i, j, n)],
                       C[IDX(i, j, n)] - (moves ? 0.3 * c[i] * c[j] : 0),
                       moves ? 1e-15 : 0);
          }
        if (v == 0) memcpy(first_got, got, sizeof got);
        CHECK(memcmp(first_got, got, sizeof got) == 0);
      }
}

/* Any number of elements, at any place: what is beside them stays. */
static void loops_of_columns_keep_their_bounds(void) {
  enum { size = 40 };
  double sq[size], start[size], one[2][size];
  fill_between(size, 0, 3, sq);
  for (int i = 0; i < size; i++) start[i] = sq[i] / 3;
  for (int v = 0; dense_variant_at(v); v++) {
    const dense_variant *loops = dense_variant_at(v);
    for (int from = 0; from < 5; from++)
      for (int count = 0; from + count < size; count++) {
        for (int k = 0; k < 2; k++) memcpy(one[k], start, sizeof start);
        CHECK(!loops->spread(count, sq + from, 0.5, 1e-3, one[0] + from));
        loops->decay(count, 2, 0.25, one[0] + from);
        for (int i = from; i < from + count; i++)
          one[1][i] = 2 * exp(-(sq[i] + 0.5 - 2 * start[i])) + 0.25;
        for (int i = 0; i < size; i++) CHECK_NEAR(one[0][i], one[1][i], 1e-15);
      }
    for (int near = 0; near < 7; near++)
      for (int bad = 0; bad < 2; bad++) {
        memcpy(one[0], start, sizeof start);
        one[0][near] = bad ? NAN : (sq[near] + 0.5) / 2;
        CHECK(loops->spread(7, sq, 0.5, 1e-3, one[0]) == 1);
      }
  }
}

int main(void) {
  RUN("Gram matrices equal the formula", gram_matrices_equal_the_formula);
  RUN("every variant has the exponential", every_variant_has_the_exponential);
  RUN("the exponential has its ends", the_exponential_has_its_ends);
  RUN("passing on is a rank-one update", passing_on_is_a_rank_one_update);
  RUN("loops of columns keep their bounds", loops_of_columns_keep_their_bounds);
  RUN("duplicates are at distance zero", duplicates_are_at_distance_zero);
  RUN("near distances keep their digits", near_distances_keep_their_digits);
  RUN("extreme scales are finite", extreme_scales_are_finite);
  RUN("no columns leave a constant", no_columns_leave_a_constant);
  RUN("the contraction equals differences", the_contraction_equals_differences);
  RUN("wide columns are contracted by differences",
      wide_columns_are_contracted_by_differences);
  return check_done();
}
