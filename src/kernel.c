/* What: Gram matrices of the ARD kernel [M 6.1, 6.4].
 * Method: squared distances from one BLAS-3 product of centred, scaled inputs,
 *   |a|^2 + |b|^2 - 2 a'b; pairs so near that this would cancel are taken again
 *   from their differences, so duplicates are at distance 0 exactly.
 * Accuracy: squared distances, relative: 3e-13 with up to 10 columns, 4e-12
 *   with 3,000 (tools/ctest/test-kernel.c). */
#include "kernel.h"
#include "dense-product.h"
#include "matrix.h"
#include "numeric.h"
#include "threads.h"

/* Below this share of |a|^2 + |b|^2 squared distances are taken from their
 * differences: the product form is off by 3e-16 over the share with up to 10
 * columns and by 4e-15 with 3,000, measured; a smaller share would cost digits,
 * a larger one time. */
#define NEAR_SHARE 1e-3

void kernel_carve(kernel_inputs *in, int n, int p, workspace *ws) {
  in->n = n;
  in->X = workspace_take(ws, (size_t)n * (size_t)p);
  in->centre = workspace_take(ws, (size_t)p);
  in->sq = workspace_take(ws, (size_t)n);
  in->length = workspace_take(ws, (size_t)n);
  in->line = workspace_take(ws, (size_t)n * (size_t)p);
}

/* of rows as their distances see them; 1 of one of zeros */
static void row_lengths(const kernel_ard *k, const double *X, int n,
                        double *length) {
  memset(length, 0, (size_t)n * sizeof *length);
  for (int j = 0; j < k->p; j++)
    for (int i = 0; i < n; i++) {
      const double x = X[IDX(i, j, n)];
      length[i] += k->weight[j] * x * x;
    }
  for (int i = 0; i < n; i++) length[i] = length[i] > 0 ? sqrt(length[i]) : 1;
}

void kernel_prepare(kernel_inputs *in, const kernel_ard *k, const double *X,
                    int n, const kernel_inputs *like) {
  in->n = n; /* of a panel, perhaps fewer */
  const int unit = shape_is_unit(k->shape);
  if (unit) row_lengths(k, X, n, in->length);
  memset(in->sq, 0, (size_t)n * sizeof *in->sq);
  for (int j = 0; j < k->p; j++) {
    const double *x = X + IDX(0, j, n);
    double mean = 0;
    if (like) {
      mean = like->centre[j];
    } else if (!unit) {
      for (int i = 0; i < n; i++) mean += (x[i] - mean) / (i + 1);
    }
    in->centre[j] = mean;
    const double root = sqrt(k->weight[j] * k->l[k->group[j]]);
    double *to = in->X + IDX(0, j, n);
    for (int i = 0; i < n; i++) {
      to[i] = (x[i] - mean) * root;
      if (unit) to[i] /= in->length[i];
      in->sq[i] += to[i] * to[i];
    }
    if (k->linear > 0) {
      const double slope = sqrt(k->weight[j] * k->linear);
      for (int i = 0; i < n; i++) in->line[IDX(i, j, n)] = slope * x[i];
    }
  }
}

/* Squared distance of row i of a and row j of b */
static double distance(const kernel_inputs *a, int i, const kernel_inputs *b,
                       int j, int p) {
  double sum = 0;
  for (int k = 0; k < p; k++) {
    const double diff = a->X[IDX(i, k, a->n)] - b->X[IDX(j, k, b->n)];
    sum += diff * diff;
  }
  return sum;
}

/* Squared distances of rows first.. of a and row j of b: G holds a'b on entry */
static void distance_column(const dense_variant *loops, const kernel_ard *k,
                            const kernel_inputs *a, const kernel_inputs *b,
                            int j, int first, double *G) {
  const int rows = a->n - first;
  const double *sq = a->sq, own = b->sq[j];
  if (loops->spread(rows, sq + first, own, NEAR_SHARE, G + first))
    for (int i = first; i < a->n; i++) /* NaN where lengths overflow */
      if (!(G[i] >= NEAR_SHARE * (sq[i] + own)))
        G[i] = distance(a, i, b, j, k->p);
}

/* column j of a Gram matrix */
static void kernel_column(const dense_variant *loops, const kernel_ard *k,
                          const kernel_inputs *a, const kernel_inputs *b, int j,
                          int first, double *G) {
  distance_column(loops, k, a, b, j, first, G);
  shape_apply(k->shape, k->alpha, 0, a->n - first, k->variance, k->bias,
              G + first);
}

/* Elements, some 5 ns each, from one core_poll() to the next, and those below
 * which threads are not called */
#define POLL_ELEMENTS 8e6
#define THREAD_ELEMENTS 1e6

/* All columns of a Gram matrix, in blocks; with `lower` what is below its
 * diagonal */
static void kernel_columns(const kernel_ard *k, const kernel_inputs *a,
                           const kernel_inputs *b, int lower, double *G) {
  const int threads = core_dense()->threads, n = a->n, m = b->n;
  const dense_variant *loops = dense_variant_widest();
  (void)threads; /* without OpenMP */
  const int block =
      n > 0 && POLL_ELEMENTS / n < m ? (int)(POLL_ELEMENTS / n) + 1 : m;
  for (int from = 0; from < m; from += block) {
    const int to = m - from < block ? m : from + block;
    core_poll();
    OMP(omp parallel for schedule(static, 8) num_threads(threads)
            if (threads > 1 && (double)n * (to - from) > THREAD_ELEMENTS))
    for (int j = from; j < to; j++)
      kernel_column(loops, k, a, b, j, lower ? j + 1 : 0, G + IDX(0, j, n));
  }
}

void kernel_gram_lower(const kernel_ard *k, const kernel_inputs *in,
                       double *K) {
  const int n = in->n;
  for (int j = 0; j < n; j++)
    memset(K + IDX(j, j, n), 0, (size_t)(n - j) * sizeof *K);
  rank_update("N", n, k->p, 1, in->X, K);
  kernel_columns(k, in, in, 1, K);
  for (int j = 0; j < n; j++)
    K[IDX(j, j, n)] =
        k->variance + k->bias + k->nugget / (k->times ? k->times[j] : 1);
  if (k->linear > 0) rank_update("N", n, k->p, 1, in->line, K);
}

void kernel_variances(const kernel_ard *k, const kernel_inputs *in, double *v) {
  for (int i = 0; i < in->n; i++) v[i] = k->variance + k->bias + k->nugget;
  if (!(k->linear > 0)) return;
  for (int j = 0; j < k->p; j++) {
    const double *x = in->line + IDX(0, j, in->n);
    for (int i = 0; i < in->n; i++) v[i] += x[i] * x[i];
  }
}

void kernel_gram(const kernel_ard *k, const kernel_inputs *in, double *K) {
  kernel_gram_lower(k, in, K);
  mirror_lower(K, in->n);
}

void kernel_cross(const kernel_ard *k, const kernel_inputs *a,
                  const kernel_inputs *b, double *G) {
  const int n = a->n, m = b->n;
  if (k->p > 0)
    product("N", "T", n, m, k->p, 1, a->X, n, b->X, m, 0, G, n);
  else
    memset(G, 0, (size_t)n * (size_t)m * sizeof *G);
  kernel_columns(k, a, b, 0, G);
  if (k->linear > 0 && k->p > 0)
    product("N", "T", n, m, k->p, 1, a->line, n, b->line, m, 1, G, n);
}

void kernel_slopes(const kernel_ard *k, const kernel_inputs *a,
                   const kernel_inputs *b, int first, int cols, double *G) {
  const dense_variant *loops = dense_variant_widest();
  const int n = a->n;
  product("N", "T", n, cols, k->p, 1, a->X, n, b->X + first, b->n, 0, G, n);
  for (int l = 0; l < cols; l++) {
    double *column = G + IDX(0, l, n);
    distance_column(loops, k, a, b, first + l, 0, column);
    shape_apply(k->shape, k->alpha, 1, n, k->variance, 0, column);
  }
}
