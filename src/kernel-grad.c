/* What: contraction of dE/dK to the hyperparameters.
 * Method: with Q = W o slopes (those of exp(-r2) are its values [M 6.10]), all
 *   derivatives with respect to the l of d columns come from one product Q X:
 *   dE/dlog l_g = -sum_{k in g} sum_ij Q_ij (x_ik - x_jk)^2
 *               = -2 sum_{k in g} [ sum_i r_i x_ik^2 - x_k' Q x_k ],  r = Q 1,
 *   x already scaled by sqrt(weight l) [M 6.5]; and with the linear part U U'
 *   of K, dE/dlog linear = sum_ij W_ij (U U')_ij = sum U o (W U) [M 6.7]. */
#include "kernel.h"
#include "matrix.h"
#include "numeric.h"

/* sum_{i > j} Q_ij (x_i - x_j)^2 from the differences themselves */
static double differences(const double *x, const double *Q, int n) {
  double sum = 0;
  for (int j = 0; j < n; j++)
    for (int i = j + 1; i < n; i++) {
      const double q = Q[IDX(i, j, n)], d = x[i] - x[j];
      if (q != 0) sum += q * d * d;
    }
  return sum;
}

/* dE/dlog linear; scratch[n x p] */
static double linear_share(const kernel_ard *k, const kernel_inputs *in,
                           const double *W, double *scratch) {
  if (!(k->linear > 0) || k->p == 0) return 0;
  double sum = 0;
  symmetric_product(W, in->n, in->line, k->p, scratch);
  for (int j = 0; j < k->p; j++)
    sum += dot(in->n, in->line + IDX(0, j, in->n), scratch + IDX(0, j, in->n));
  return sum;
}

/* Columns from..to - 1 of K, at most p, without the linear part */
static const double *smooth_columns(const kernel_ard *k,
                                    const kernel_inputs *in, const double *K,
                                    int from, int to, double *scratch) {
  const int n = in->n;
  if (!(k->linear > 0) || k->p == 0) return K + IDX(0, from, n);
  memcpy(scratch, K + IDX(0, from, n), IDX(0, to - from, n) * sizeof *scratch);
  product("N", "T", n, to - from, k->p, -1, in->line, n, in->line + from, n, 1,
          scratch, n);
  return scratch;
}

/* w' (smooth part of a column of K), rows from first on */
static double smooth_sum(const kernel_ard *k, int n, int first, const double *w,
                         const double *column) {
  double sum = 0;
  for (int i = first; i < n; i++) sum += w[i] * (column[i] - k->bias);
  return sum;
}

void kernel_contract(const kernel_ard *k, const kernel_inputs *in,
                     const double *K, double *W, double *scratch,
                     kernel_grad *grad) {
  const int n = in->n;
  double sum_q = 0, sum_w = 0, trace = 0;
  double *r = scratch + (size_t)n * (size_t)k->p;
  memset(r, 0, (size_t)n * sizeof *r);
  grad->linear = linear_share(k, in, W, scratch);
  const double *smooth = K;
  double *slopes = shape_is_own_slope(k->shape) || k->p == 0 ? NULL : r + n;
  for (int j = 0; j < n; j++) {
    double *w = W + IDX(0, j, n), row = 0, off = 0;
    const int at = k->p > 0 ? j % k->p : j, left = n - j;
    const int cols = left < k->p ? left : k->p;
    if (at == 0) smooth = smooth_columns(k, in, K, j, j + cols, scratch);
    if (at == 0 && slopes) kernel_slopes(k, in, in, j, cols, slopes);
    const double *column = smooth + IDX(0, at, n);
    trace += w[j];
    sum_q += w[j] * k->variance;
    w[j] = 0; /* distance 0: no part in what follows */
    if (slopes) sum_q += 2 * smooth_sum(k, n, j + 1, w, column);
    const double *fall = slopes ? slopes + IDX(0, at, n) : column;
    const double flat = slopes ? 0 : k->bias;
    for (int i = j + 1; i < n; i++) {
      off += w[i];
      w[i] *= fall[i] - flat;
      r[i] += w[i];
      row += w[i];
    }
    r[j] += row;
    sum_w += 2 * off;
    if (!slopes) sum_q += 2 * row;
  }
  grad->variance = sum_q;
  grad->bias = k->bias * (sum_w + trace);
  grad->nugget = k->nugget * trace;

  memset(grad->l, 0, (size_t)k->groups * sizeof *grad->l);
  if (k->p == 0) return;
  symmetric_product(W, n, in->X, k->p, scratch);
  for (int c = 0; c < k->p; c++) {
    const double *x = in->X + IDX(0, c, n), *Qx = scratch + IDX(0, c, n);
    double sum = 0, widest = 0;
    core_poll();
    for (int i = 0; i < n; i++) {
      sum += x[i] * (r[i] * x[i] - Qx[i]);
      widest = fmax(widest, x[i] * x[i]);
    }
    grad->l[k->group[c]] -=
        2 * (widest < KERNEL_WIDE ? sum : differences(x, W, n));
  }
}
