/* What: features at inducing inputs and their gradient.
 * Method: with B = dE/dPhi_se,                                        [M 9.7]
 *     dE/dK_fu = B L^{-1},  dE/dK_uu = -L^{-T} (Phi_se' B) L^{-1} / 2,
 *   contracted with the kernel [M 6.5], the rows of K_fu by panels, K_uu by
 *   kernel_contract(). The jitter is a share of the variance and moves
 *   with it. */
#include "inducing.h"
#include "matrix.h"
#include "numeric.h"
#include "status.h"

/* Of the variance: what K_uu has first, and no more than what. Features are
 * those of another kernel by as much; at 1e-8 evidences equal the dense ones at
 * Z = X to 1e-6 (test-latent-lowrank.R). */
#define JITTER_FIRST 1e-8
#define JITTER_MOST 1e-2

/* The smooth part alone: the others are features of their own. */
static kernel_ard smooth_part(const inducing *s, double nugget) {
  kernel_ard se = *s->kernel;
  se.bias = se.linear = 0;
  se.times = NULL;
  se.nugget = nugget;
  return se;
}

int inducing_size(const inducing *s) {
  const kernel_ard *k = s->kernel;
  return s->m + (k->bias > 0) + (k->linear > 0 ? k->p : 0);
}

void inducing_carve(inducing *s, int width, workspace *ws) {
  const size_t m = (size_t)s->m, p = (size_t)s->kernel->p, w = (size_t)width;
  kernel_carve(&s->z, s->m, s->kernel->p, ws);
  kernel_carve(&s->part, width, s->kernel->p, ws);
  s->rows = workspace_take(ws, w * p);
  WORKSPACE_EACH(ws, m * w, &s->cross, &s->B);
  WORKSPACE_EACH(ws, m * m, &s->gram, &s->L, &s->S, &s->Y);
  s->scratch = workspace_take(ws, KERNEL_SCRATCH(m, p));
  if (!shape_is_own_slope(s->kernel->shape))
    s->slopes = workspace_take(ws, m * w);
  s->by_row = workspace_take(ws, w);
  s->by_z = workspace_take(ws, m);
  s->by_l = workspace_take(ws, (size_t)s->kernel->groups);
}

void inducing_prepare(inducing *s) {
  const size_t bytes = (size_t)s->m * (size_t)s->m * sizeof *s->L;
  int status = EP_NOT_PD;
  const kernel_ard bare = smooth_part(s, 0);
  kernel_prepare(&s->z, &bare, s->Z, s->m, NULL);
  for (double j = JITTER_FIRST; j < 1.5 * JITTER_MOST; j *= 10) {
    const kernel_ard se = smooth_part(s, j * s->kernel->variance);
    double log_det = 0;
    s->jitter = j;
    kernel_gram(&se, &s->z, s->gram);
    memcpy(s->L, s->gram, bytes);
    status = cholesky(s->L, s->m, &log_det);
    if (status == EP_CONVERGED) return;
  }
  for (int j = 0; j < s->m; j++) s->L[IDX(j, j, s->m)] = NAN;
}

/* K_uf of some rows into cross, the rows as kernel inputs into part */
static void cross_rows(inducing *s, int first, int cols) {
  const kernel_ard se = smooth_part(s, 0);
  for (int j = 0; j < se.p; j++)
    memcpy(s->rows + IDX(0, j, cols), s->X + IDX(first, j, s->n),
           (size_t)cols * sizeof *s->X);
  kernel_prepare(&s->part, &se, s->rows, cols, &s->z);
  kernel_cross(&se, &s->z, &s->part, s->cross);
}

void inducing_features(inducing *s, int first, int cols, double *phi,
                       double *lambda) {
  const kernel_ard *kernel = s->kernel;
  const int m = s->m, k = inducing_size(s);
  cross_rows(s, first, cols);
  solve_lower("N", s->L, m, s->cross, cols);
  for (int l = 0; l < cols; l++, phi += k) {
    const double *v = s->cross + IDX(0, l, m);
    const double left = kernel->variance - dot(m, v, v);
    memcpy(phi, v, (size_t)m * sizeof *v);
    double *next = phi + m;
    if (kernel->bias > 0) *next++ = sqrt(kernel->bias);
    for (int j = 0; j < kernel->p && kernel->linear > 0; j++)
      *next++ = sqrt(kernel->linear * kernel->weight[j]) *
                s->X[IDX(first + l, j, s->n)];
    /* rounding may take it below 0; NaN stays NaN */
    lambda[l] = (left < 0 ? 0 : left) + kernel->nugget;
  }
}

void inducing_begin(inducing *s, kernel_grad *grad) {
  memset(s->S, 0, (size_t)s->m * (size_t)s->m * sizeof *s->S);
  memset(grad->l, 0, (size_t)s->kernel->groups * sizeof *grad->l);
  grad->variance = 0;
}

/* sum_ui W_ui (z_u - x_i)^2 of column c of Z and of the rows, W[m x cols], from
 * its sums by row and by column and from Wx = W x */
static double spread(const inducing *s, int cols, int c, const double *Wx) {
  const int m = s->m;
  const double *x = s->part.X + IDX(0, c, cols), *z = s->z.X + IDX(0, c, m);
  double widest = 0, sum = 0;
  for (int i = 0; i < cols; i++) {
    widest = fmax(widest, x[i] * x[i]);
    sum += s->by_row[i] * x[i] * x[i];
  }
  for (int u = 0; u < m; u++) {
    widest = fmax(widest, z[u] * z[u]);
    sum += z[u] * (s->by_z[u] * z[u] - 2 * Wx[u]);
  }
  if (widest < KERNEL_WIDE) return sum;
  sum = 0;
  for (int i = 0; i < cols; i++)
    for (int u = 0; u < m; u++) {
      const double w = s->B[IDX(u, i, m)], d = z[u] - x[i];
      if (w != 0) sum += w * d * d;
    }
  return sum;
}

/* sum of W o K_uf, where slopes are something else */
static double smooth_share(const inducing *s, int cols) {
  double sum = 0;
  for (int i = 0; i < cols; i++)
    sum += dot(s->m, s->B + IDX(0, i, s->m), s->cross + IDX(0, i, s->m));
  return sum;
}

void inducing_add(inducing *s, int first, int cols, const double *phi,
                  kernel_grad *grad) {
  const kernel_ard *kernel = s->kernel;
  const int m = s->m;
  double *W = s->B;
  product("N", "T", m, m, cols, 1, phi, inducing_size(s), s->B, m, 1, s->S, m);
  solve_lower("T", s->L, m, s->B, cols);
  cross_rows(s, first, cols);
  const double *slopes = s->cross;
  if (s->slopes) {
    const kernel_ard se = smooth_part(s, 0);
    kernel_slopes(&se, &s->z, &s->part, 0, cols, s->slopes);
    grad->variance += smooth_share(s, cols);
    slopes = s->slopes;
  }
  memset(s->by_z, 0, (size_t)m * sizeof *s->by_z);
  for (int i = 0; i < cols; i++) {
    double *w = W + IDX(0, i, m), sum = 0;
    const double *k_i = slopes + IDX(0, i, m);
    for (int u = 0; u < m; u++) {
      w[u] *= k_i[u];
      s->by_z[u] += w[u];
      sum += w[u];
    }
    s->by_row[i] = sum;
    if (!s->slopes) grad->variance += sum;
  }
  if (kernel->p == 0) return;
  product("N", "N", m, kernel->p, cols, 1, W, m, s->part.X, cols, 0, s->scratch,
          m);
  for (int c = 0; c < kernel->p; c++)
    grad->l[kernel->group[c]] -= spread(s, cols, c, s->scratch + IDX(0, c, m));
}

/* S <- L^{-T} S L^{-1}, S symmetric */
static void between_factors(inducing *s) {
  const int m = s->m;
  solve_lower("T", s->L, m, s->S, m);
  for (int j = 0; j < m; j++)
    for (int i = 0; i < m; i++) s->Y[IDX(j, i, m)] = s->S[IDX(i, j, m)];
  solve_lower("T", s->L, m, s->Y, m);
  for (int j = 0; j < m; j++)
    for (int i = j; i < m; i++)
      s->S[IDX(i, j, m)] = (s->Y[IDX(i, j, m)] + s->Y[IDX(j, i, m)]) / 2;
}

void inducing_end(inducing *s, kernel_grad *grad) {
  const kernel_ard se = smooth_part(s, s->jitter * s->kernel->variance);
  kernel_grad own = {.l = s->by_l};
  between_factors(s);
  for (int j = 0; j < s->m; j++)
    for (int i = j; i < s->m; i++) s->S[IDX(i, j, s->m)] *= -0.5;
  kernel_contract(&se, &s->z, s->gram, s->S, s->scratch, &own);
  grad->variance += own.variance + own.nugget;
  for (int g = 0; g < se.groups; g++) grad->l[g] += own.l[g];
}
