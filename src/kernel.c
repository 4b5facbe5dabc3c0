/* What: Gram matrices of the ARD kernel [M 6.1, 6.4].
 * Method: squared distances from one BLAS-3 product of centred, scaled inputs,
 *   |a|^2 + |b|^2 - 2 a'b; pairs so near that this would cancel are taken again
 *   from their differences, so duplicates are at distance 0 exactly.
 * Accuracy: squared distances to 1e-12 relative. */
#include "kernel.h"
#include "dense-product.h"
#include "matrix.h"
#include "numeric.h"
#include "threads.h"

/* Below this share of |a|^2 + |b|^2 squared distances are taken from their
 * differences: the product form is off by 3e-16 over the share, measured, so by
 * 3e-13 here; a smaller share would cost digits, a larger one time. */
#define NEAR 1e-3

void kernel_carve(kernel_inputs *in, int n, int p, workspace *ws) {
  in->X = workspace_take(ws, (size_t)n * (size_t)p);
  in->centre = workspace_take(ws, (size_t)p);
  in->sq = workspace_take(ws, (size_t)n);
}

void kernel_prepare(kernel_inputs *in,
                    const kernel_ard *k,
                    const double *X,
                    int n,
                    const kernel_inputs *like) {
  memset(in->sq, 0, (size_t)n * sizeof *in->sq);
  for (int j = 0; j < k->p; j++) {
    const double *x = X + IDX(0, j, n);
    double mean = 0;
    if (like) {
      mean = like->centre[j];
    } else {
      for (int i = 0; i < n; i++) mean += (x[i] - mean) / (i + 1);
    }
    in->centre[j] = mean;
    const double root = sqrt(k->weight[j] * k->l[k->group[j]]);
    double *to = in->X + IDX(0, j, n);
    for (int i = 0; i < n; i++) {
      to[i] = (x[i] - mean) * root;
      in->sq[i] += to[i] * to[i];
    }
  }
}

static double distance(const double *a, int n, const double *b, int m, int p) {
  double sum = 0;
  for (int k = 0; k < p; k++) {
    const double diff = a[IDX(0, k, n)] - b[IDX(0, k, m)];
    sum += diff * diff;
  }
  return sum;
}

/* column j of a Gram matrix: G holds a'b on entry, rows first..n-1 */
static void kernel_column(const dense_variant *loops,
                          const kernel_ard *k,
                          const kernel_inputs *a,
                          int n,
                          const kernel_inputs *b,
                          int m,
                          int j,
                          int first,
                          double *G) {
  const double *sq = a->sq, own = b->sq[j];
  if (loops->spread(n - first, sq + first, own, NEAR, G + first))
    for (int i = first; i < n; i++) /* NaN where lengths overflow */
      if (!(G[i] >= NEAR * (sq[i] + own)))
        G[i] = distance(a->X + i, n, b->X + j, m, k->p);
  loops->decay(n - first, k->variance, k->bias, G + first);
}

/* Elements, some 10 ns each, from one core_poll() to the next, and those below
 * which threads are not called */
#define ELEMENTS 4e6
#define ELEMENTS_LEAST 1e6

/* All columns of a Gram matrix, in blocks; with `lower` what is below its
 * diagonal */
static void kernel_columns(const kernel_ard *k,
                           const kernel_inputs *a,
                           int n,
                           const kernel_inputs *b,
                           int m,
                           int lower,
                           double *G) {
  const int threads = core_dense()->threads;
  const dense_variant *loops = dense_variant_widest();
  (void)threads; /* without OpenMP */
  const int block = n > 0 && ELEMENTS / n < m ? (int)(ELEMENTS / n) + 1 : m;
  for (int from = 0; from < m; from += block) {
    const int to = m - from < block ? m : from + block;
    core_poll();
    OMP(omp parallel for schedule(static, 8) num_threads(threads)
            if (threads > 1 && (double)n * (to - from) > ELEMENTS_LEAST))
    for (int j = from; j < to; j++)
      kernel_column(loops, k, a, n, b, m, j, lower ? j + 1 : 0,
                    G + IDX(0, j, n));
  }
}

void kernel_gram_lower(const kernel_ard *k,
                       const kernel_inputs *in,
                       int n,
                       double *K) {
  for (int j = 0; j < n; j++)
    memset(K + IDX(j, j, n), 0, (size_t)(n - j) * sizeof *K);
  rank_update("N", n, k->p, 1, in->X, K);
  kernel_columns(k, in, n, in, n, 1, K);
  for (int j = 0; j < n; j++)
    K[IDX(j, j, n)] = k->variance + k->bias + k->nugget;
}

void kernel_gram(const kernel_ard *k,
                 const kernel_inputs *in,
                 int n,
                 double *K) {
  kernel_gram_lower(k, in, n, K);
  mirror_lower(K, n);
}

void kernel_cross(const kernel_ard *k,
                  const kernel_inputs *a,
                  int n,
                  const kernel_inputs *b,
                  int m,
                  double *G) {
  if (k->p > 0)
    product("N", "T", n, m, k->p, 1, a->X, n, b->X, m, 0, G, n);
  else
    memset(G, 0, (size_t)n * (size_t)m * sizeof *G);
  kernel_columns(k, a, n, b, m, 0, G);
}
