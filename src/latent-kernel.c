/* What: the dense kernel-space posterior C = (K^{-1} + T)^{-1}, lower triangle.
 * Method: sequential rank-one updates grouped by blocks of b sites. Within a
 *   block only C_BB is touched. Afterwards the columns at their turns are
 *   P = C_B (I + N)^{-1} (one triangular solve), and                [M 3.8]
 *   C -= P+ P+' - P- P-',  P+- = P |Gamma|^{1/2} split by the sign of gamma,
 *   two symmetric rank-k updates: n^2 b flops a block, n^3 a sweep, BLAS-3.
 * References: RW06 alg. 3.5 for b = 1. */
#include "latent-kernel.h"
#include "matrix.h"
#include "numeric.h"

/* m is kept current by kernel_apply() */
static void kernel_marginals(latent *post) {
  const latent_kernel *lk = post->self;
  for (int i = 0; i < lk->n; i++) post->A[i] = lk->C[IDX(i, i, lk->n)];
}

/* Panel S1[n x b] = C[, idx] from the lower triangle. Column k of C gives row
 * k of the panel for sites below it and column k itself when k is in idx. */
static void kernel_load(latent *post, const int *idx, int b, double *Cbb,
                        double *mb) {
  latent_kernel *lk = post->self;
  const int n = lk->n;
  double *P = lk->S1;
  lk->have_squares = 0;
  for (int l = 0; l < b; l++) {
    const int i = idx[l];
    memcpy(P + IDX(i, l, n), lk->C + IDX(i, i, n), (size_t)(n - i) * sizeof *P);
  }
  for (int k = 0, first = 0; k < n; k++) {
    while (first < b && idx[first] <= k) first++;
    if (first == b) break;
    const double *column = lk->C + IDX(0, k, n);
    for (int l = first; l < b; l++) P[IDX(k, l, n)] = column[idx[l]];
  }
  for (int l = 0; l < b; l++) {
    for (int k = 0; k < b; k++) Cbb[IDX(k, l, b)] = P[IDX(idx[k], l, n)];
    mb[l] = post->m[idx[l]];
  }
}

static void kernel_apply(latent *post, const ep_site *site, int b,
                         const double *N, const double *gamma,
                         const double *beta) {
  latent_kernel *lk = post->self;
  const int n = lk->n;
  (void)site;
  solve_unit_right(N, b, lk->S1, n);
  matrix_times(n, b, lk->S1, beta, post->m);
  rank_update_signed(lk->C, n, -1, lk->S1, b, gamma, lk->S2);
}

static void kernel_shift(latent *post, const double *dnu) {
  const latent_kernel *lk = post->self;
  symmetric_times(lk->C, lk->n, dnu, lk->tmp);
  for (int i = 0; i < lk->n; i++) post->m[i] += lk->tmp[i];
}

static void kernel_columns(latent *post, int first, int b, double *to) {
  const latent_kernel *lk = post->self;
  const size_t rows = (size_t)(lk->n - first);
  for (int l = 0; l < b; l++)
    memcpy(to + rows * (size_t)l, lk->C + IDX(first, first + l, lk->n),
           rows * sizeof *to);
}

static void kernel_times(latent *post, const double *x, double *out) {
  const latent_kernel *lk = post->self;
  symmetric_times(lk->C, lk->n, x, out);
}

static void kernel_times_squared(latent *post, const double *x, double *out) {
  latent_kernel *lk = post->self;
  const int n = lk->n;
  if (!lk->have_squares) {
    for (int j = 0; j < n; j++)
      for (int i = j; i < n; i++) {
        const double c = lk->C[IDX(i, j, n)];
        lk->S1[IDX(i, j, n)] = c * c;
      }
    lk->have_squares = 1;
  }
  symmetric_times(lk->S1, n, x, out);
}

/* With the step T., nu. [M 3.13]
 *   m + m. = m + C (nu. - T. (m + m.)),   on the right m. = C (nu. - T. m),
 *   A + A. = A - CoC tau.,   D + D. = D + sum tau. (A + A./2),
 * b by K^{-1} C = I - T C, and C as its rows' own sites change it: with row and
 * column i times 1 + A._i/A_i. */
static void kernel_follow(latent *post, const ep_site *site,
                          const ep_site *step) {
  latent_kernel *lk = post->self;
  const int n = lk->n;
  double *by = lk->tmp, *out = lk->tmp + n;
  for (int i = 0; i < n; i++) by[i] = step[i].nu - step[i].tau * post->m[i];
  symmetric_times(lk->C, n, by, out);
  for (int i = 0; i < n; i++) by[i] -= step[i].tau * out[i];
  symmetric_times(lk->C, n, by, out);
  for (int i = 0; i < n; i++) {
    post->m[i] += out[i];
    lk->b[i] += by[i] - site[i].tau * out[i];
    by[i] = step[i].tau;
  }
  kernel_times_squared(post, by, out);
  for (int i = 0; i < n; i++) {
    const double A = post->A[i];
    post->log_det += step[i].tau * (A - out[i] / 2);
    post->A[i] -= out[i];
    out[i] = A > 0 ? post->A[i] / A : 1;
  }
  for (int j = 0; j < n; j++) {
    for (int i = j + 1; i < n; i++) lk->C[IDX(i, j, n)] *= out[i] * out[j];
    lk->C[IDX(j, j, n)] = post->A[j];
  }
  lk->have_squares = 0;
}

/* W[nn x n] = C+[idx, ] from the lower triangle */
static void gather_rows(const double *C, int n, const int *idx, int nn,
                        double *W) {
  for (int j = 0; j < n; j++)
    for (int a = 0; a < nn; a++) {
      const int i = idx[a];
      W[IDX(a, j, nn)] = i >= j ? C[IDX(i, j, n)] : C[IDX(j, i, n)];
    }
}

/* C += W' W for the negative sites [M 3.9] */
static int add_negative_sites(latent_kernel *lk, double *log_det) {
  const int n = lk->n, nn = lk->signs.nn, *idx = lk->signs.idx + lk->signs.np;
  double *S = lk->S2, *W = lk->S1;
  for (int b = 0; b < nn; b++) /* idx increases within its sign */
    for (int a = b; a < nn; a++)
      S[IDX(a, b, nn)] = lk->C[IDX(idx[a], idx[b], n)];
  const int status = factor_negative(S, &lk->signs, log_det);
  if (status != EP_CONVERGED) return status;
  gather_rows(lk->C, n, idx, nn, W);
  factor_scale_solve(S, &lk->signs, n, W);
  rank_update("T", n, nn, 1, W, lk->C);
  return EP_CONVERGED;
}

/* m = C nu, refined once in m, where it matters to the cavities (K b would
 * amplify the error of b by |K|/A): with rho = K (nu - T m) - m, the error of m
 * solves (I + K T) e = rho, so m += rho - C T rho. Then b, refined in its own
 * equation (I + T K) b = nu, for prediction [M 3.10]. */
static void refresh_mean(latent *post, const double *tau, const double *nu) {
  latent_kernel *lk = post->self;
  const int n = lk->n;
  const double *offset = post->offset;
  if (offset) { /* sites of what is above the offset [M 3.20] */
    for (int i = 0; i < n; i++) lk->S1[i] = nu[i] - tau[i] * offset[i];
    nu = lk->S1;
  }
  double *r = lk->tmp, *out = lk->tmp + n, *m = post->m, *b = lk->b;
  symmetric_times(lk->C, n, nu, m);
  for (int i = 0; i < n; i++) b[i] = nu[i] - tau[i] * m[i];
  symmetric_times(lk->K, n, b, r);
  for (int i = 0; i < n; i++) {
    r[i] -= m[i];
    m[i] += r[i];
    r[i] *= tau[i];
  }
  symmetric_times(lk->C, n, r, out);
  for (int i = 0; i < n; i++) {
    m[i] -= out[i];
    b[i] = nu[i] - tau[i] * m[i];
  }
  symmetric_times(lk->K, n, b, r);
  for (int i = 0; i < n; i++) r[i] = nu[i] - b[i] - tau[i] * r[i];
  symmetric_times(lk->C, n, r, out);
  for (int i = 0; i < n; i++) b[i] += r[i] - tau[i] * out[i];
  for (int i = 0; i < n && offset; i++) m[i] += offset[i];
}

static void kernel_settle(latent *post, const double *tau, const double *nu) {
  kernel_marginals(post);
  refresh_mean(post, tau, nu);
}

static int kernel_refresh(latent *post, const double *tau, const double *nu) {
  latent_kernel *lk = post->self;
  const int n = lk->n;
  int status;
  sites_split(tau, n, &lk->signs);
  lk->have_squares = 0;
  post->log_det = 0;
  status = factor_positive(lk->K, n, &lk->signs, lk->S1, &post->log_det);
  if (status != EP_CONVERGED) return status;
  factor_covariance(lk->S1, &lk->signs, lk->K, n, lk->C, lk->S2, lk->rest);
  if (lk->signs.nn > 0) status = add_negative_sites(lk, &post->log_det);
  if (status != EP_CONVERGED) return status;
  kernel_settle(post, tau, nu);
  return EP_CONVERGED;
}

/* dE/dK = H diag(A.) H' + sym(H m. b') + D. R + h. b b' [M 5.5], H = I - T C,
 * R = T - T C T, b = H nu [M 5.4], into the lower triangle of S2.
 * C diag(A.) C comes from two symmetric rank-k updates split by the sign of A.,
 * n^3 flops in all; of the evidence at df = Inf, whose A. is 0, none. */
static void prior_gradient(latent *post, const ep_site *site,
                           const latent_dots *dots) {
  latent_kernel *lk = post->self;
  const int n = lk->n;
  double *g = lk->tmp, *minus_A = lk->tmp + n, *W = lk->S2;
  int direct = 0; /* some A. is not 0 */
  symmetric_times(lk->C, n, dots->m, g);
  for (int i = 0; i < n; i++) {
    g[i] = dots->m[i] - site[i].tau * g[i]; /* H m. */
    minus_A[i] = -dots->A[i];
    direct |= dots->A[i] != 0;
  }
  lk->have_squares = 0;
  memset(W, 0, (size_t)n * (size_t)n * sizeof *W);
  if (direct) {
    mirror_lower(lk->C, n);
    rank_update_signed(W, n, -1, lk->C, n, minus_A, lk->S1);
  }
  for (int j = 0; j < n; j++) {
    const double tj = site[j].tau, bj = lk->b[j], Aj = dots->A[j];
    for (int i = j; i < n; i++) {
      const size_t at = IDX(i, j, n);
      const double ti = site[i].tau, bi = lk->b[i], c = lk->C[at];
      W[at] = ti * tj * W[at] - c * (ti * Aj + dots->A[i] * tj) -
              dots->D * ti * c * tj + (g[i] * bj + bi * g[j]) / 2 +
              dots->h * bi * bj;
    }
    W[IDX(j, j, n)] += Aj + dots->D * tj;
  }
  for (int i = 0; i < n && dots->by_offset; i++)
    dots->by_offset[i] = g[i] + 2 * dots->h * lk->b[i];
}

/* dE/dlog nugget where rows have times, by dE/dK in S2 */
static double nugget_gradient(const latent *post, const ep_site *site,
                              const latent_dots *dots) {
  const latent_kernel *lk = post->self;
  double sum = 0;
  for (int i = 0; i < lk->n; i++)
    sum += latent_by_lambda(post, dots, i, site[i], lk->S2[IDX(i, i, lk->n)]);
  return lk->kernel->nugget * sum;
}

static void kernel_gradient(latent *post, const ep_site *site,
                            const latent_dots *dots, double *gradient) {
  latent_kernel *lk = post->self;
  prior_gradient(post, site, dots);
  if (!lk->kernel) return;
  kernel_grad grad = {.l = gradient};
  const double nugget = post->times ? nugget_gradient(post, site, dots) : 0;
  kernel_contract(lk->kernel, &lk->inputs, lk->K, lk->S2, lk->panel, &grad);
  if (post->times) grad.nugget = nugget;
  double *theta = gradient + lk->kernel->groups;
  theta[0] = grad.variance;
  theta[1] = grad.bias;
  theta[2] = grad.nugget;
  theta[3] = grad.linear;
}

static void kernel_lay_out(latent *post, int block, workspace *ws) {
  latent_kernel *lk = post->self;
  const size_t n = (size_t)lk->n;
  (void)block;
  WORKSPACE_EACH(ws, n * n, &lk->C, &lk->S1);
  lk->S2 = lk->like ? lk->like->S2 : workspace_take(ws, n * n);
  WORKSPACE_EACH(ws, n, &post->A, &post->prior, &post->m, &lk->b,
                 &lk->signs.root);
  lk->tmp = workspace_take(ws, 2 * n);
  lk->signs.idx = workspace_take_bytes(ws, n * sizeof(int));
  lk->rest = workspace_take_bytes(ws, n * sizeof(int));
  post->location = lk->b;
  if (post->times) post->lambda = lk->lambda = workspace_take(ws, n);
  if (!lk->kernel) return;
  if (lk->like && lk->like->kernel == lk->kernel) {
    lk->K = lk->like->K;
    lk->panel = lk->like->panel;
    lk->inputs = lk->like->inputs;
    return;
  }
  lk->K = lk->gram = workspace_take(ws, n * n);
  lk->panel = workspace_take(ws, KERNEL_SCRATCH(n, lk->kernel->p));
  kernel_carve(&lk->inputs, lk->n, lk->kernel->p, ws);
}

static void kernel_bind(latent *post) {
  latent_kernel *lk = post->self;
  const int n = lk->n;
  if (lk->gram) {
    kernel_prepare(&lk->inputs, lk->kernel, lk->X, n, NULL);
    kernel_gram(lk->kernel, &lk->inputs, lk->gram);
  }
  lk->have_squares = 0;
  for (int i = 0; i < n; i++) post->prior[i] = lk->K[IDX(i, i, n)];
  for (int i = 0; i < n && post->times; i++)
    lk->lambda[i] = lk->kernel ? lk->kernel->nugget / post->times[i] : 0;
}

static const latent_ops kernel_ops = {.carve = kernel_lay_out,
                                      .bind = kernel_bind,
                                      .load = kernel_load,
                                      .apply = kernel_apply,
                                      .shift = kernel_shift,
                                      .marginals = kernel_marginals,
                                      .refresh = kernel_refresh,
                                      .settle = kernel_settle,
                                      .columns = kernel_columns,
                                      .times = kernel_times,
                                      .times_squared = kernel_times_squared,
                                      .follow = kernel_follow,
                                      .gradient = kernel_gradient};

static latent kernel_latent(latent_kernel *lk) {
  return (latent){.n = lk->n,
                  .d = lk->n,
                  .n_terms = lk->n,
                  .n_prior =
                      lk->kernel ? lk->kernel->groups + KERNEL_OTHERS : 0,
                  .n_location = lk->n,
                  .ops = &kernel_ops,
                  .self = lk};
}

latent latent_kernel_given(latent_kernel *lk, int n, const double *K) {
  *lk = (latent_kernel){.n = n, .K = K};
  return kernel_latent(lk);
}

latent latent_kernel_inputs(latent_kernel *lk, int n, const kernel_ard *kernel,
                            const double *X) {
  *lk = (latent_kernel){.n = n, .kernel = kernel, .X = X};
  return kernel_latent(lk);
}

latent latent_kernel_like(latent_kernel *lk, const latent_kernel *like,
                          const kernel_ard *kernel) {
  *lk = (latent_kernel){
      .n = like->n, .kernel = kernel, .X = like->X, .like = like};
  return kernel_latent(lk);
}
