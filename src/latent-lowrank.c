/* What: the posterior under K = Phi Phi' + diag(lambda), without an n x n
 *       matrix.
 * Method: with rho_i = 1/(1 + lambda_i tau_i), positive wherever there is a
 *   posterior, tt = rho tau and nt = rho nu                           [M 9.2]
 *     M   = (I + Phi' diag(tt) Phi)^{-1},        w   = M Phi' nt,
 *     A_i = lambda rho + rho^2 phi_i' M phi_i,   m_i = rho phi_i' w
 *     D   = sum log1p(lambda tau) - log|M|,            + lambda rho nu.
 *   Blocks as those of [M 3.8] with the covariance M Phi_B' rho_B of u with
 *   f_B in place of C_B [M 9.3]; one Cholesky a refresh, whatever the signs of
 *   the sites. n k^2 flops each for M and for the marginals.
 * References: M01 for lambda = 0. */
#include "latent-lowrank.h"
#include "matrix.h"
#include "numeric.h"

void weight_moments(const double *C, const double *w, int k, const double *Xt,
                    int cols, double *P, double *m, double *A) {
  symmetric_product(C, k, Xt, cols, P);
  for (int l = 0; l < cols; l++) {
    A[l] = dot(k, Xt + IDX(0, l, k), P + IDX(0, l, k));
    m[l] = dot(k, Xt + IDX(0, l, k), w);
  }
}

/* to[k] = rho phi of site i */
static void scaled_features(latent_lowrank *lr, int i, double *to) {
  const int k = lr->k;
  if (lr->kept)
    memcpy(to, lr->Phi + IDX(0, i, k), (size_t)k * sizeof *to);
  else
    lowrank_features(lr, i, 1, to);
  for (int j = 0; j < k; j++) to[j] *= lr->rho[i];
}

static void lowrank_load(latent *post, const int *idx, int b, double *Cbb,
                         double *mb) {
  latent_lowrank *lr = post->self;
  const int k = lr->k;
  lr->loaded = idx;
  for (int l = 0; l < b; l++) {
    const int i = idx[l];
    double *to = lr->Q + IDX(0, l, k);
    scaled_features(lr, i, to);
    mb[l] = dot(k, to, lr->w) + lr->own[i];
  }
  symmetric_product(lowrank_covariance(post), k, lr->Q, b, lr->P);
  product("T", "N", b, b, k, 1, lr->Q, k, lr->P, k, 0, Cbb, b);
  for (int l = 0; l < b; l++)
    Cbb[IDX(l, l, b)] += lr->lambda[idx[l]] * lr->rho[idx[l]];
}

static void lowrank_apply(latent *post, const ep_site *site, int b,
                          const double *N, const double *gamma,
                          const double *beta) {
  latent_lowrank *lr = post->self;
  const int k = lr->k;
  for (int l = 0; l < b; l++) {
    const int i = lr->loaded[l];
    lowrank_take_site(lr, i, site[i].tau, site[i].nu);
  }
  solve_unit_right(N, b, lr->P, k);
  matrix_times(k, b, lr->P, beta, lr->w);
  rank_update_signed(lr->M, k, -1, lr->P, b, gamma, lr->Q);
}

/* rho Phi M Phi' rho: lambda is on the diagonal alone */
static void lowrank_columns_of(latent *post, int first, int b, double *to) {
  latent_lowrank *lr = post->self;
  const int n = lr->n, k = lr->k;
  for (int l = 0; l < b; l++)
    scaled_features(lr, first + l, lr->Q + IDX(0, l, k));
  symmetric_product(lowrank_covariance(post), k, lr->Q, b, lr->P);
  for (int at = first - first % lr->width; at < n; at += lr->width) {
    const int skip = at < first ? first - at : 0;
    product("T", "N", lowrank_columns(lr, at) - skip, b, k, 1,
            lowrank_panel(lr, at) + IDX(0, skip, k), k, lr->P, k, 0,
            to + (at + skip - first), n - first);
  }
  for (int l = 0; l < b; l++)
    for (int i = first; i < n; i++)
      to[IDX(i - first, l, n - first)] *= lr->rho[i];
}

/* C x = lambda rho x + rho Phi M Phi' rho x [M 9.4] */
static void lowrank_times(latent *post, const double *x, double *out) {
  latent_lowrank *lr = post->self;
  const int k = lr->k;
  const double *M = lowrank_covariance(post);
  for (int i = 0; i < lr->n; i++) lr->x1[i] = lr->rho[i] * x[i];
  memset(lr->v1, 0, (size_t)k * sizeof *lr->v1);
  for (int first = 0; first < lr->n; first += lr->width)
    matrix_times(k, lowrank_columns(lr, first), lowrank_panel(lr, first),
                 lr->x1 + first, lr->v1);
  symmetric_times(M, k, lr->v1, lr->v2);
  for (int first = 0; first < lr->n; first += lr->width) {
    const int b = lowrank_columns(lr, first);
    const double *phi = lowrank_panel(lr, first);
    for (int l = 0; l < b; l++, phi += k) out[first + l] = dot(k, phi, lr->v2);
  }
  for (int i = 0; i < lr->n; i++)
    out[i] = lr->rho[i] * (lr->lambda[i] * x[i] + out[i]);
}

static void lowrank_shift(latent *post, const double *dnu) {
  latent_lowrank *lr = post->self;
  double *dm = lr->x2;
  lowrank_times(post, dnu, dm); /* leaves M Phi' rho dnu in v2 */
  for (int j = 0; j < lr->k; j++) lr->w[j] += lr->v2[j];
  for (int i = 0; i < lr->n; i++) {
    lr->own[i] += lr->lambda[i] * lr->rho[i] * dnu[i];
    post->m[i] += dm[i];
  }
}

/* rho^2 diag(Phi M S M Phi') + lambda rho (2 A - lambda rho) x with
 * S = Phi' diag(rho^2 x) Phi [M 9.4] */
static void lowrank_times_squared(latent *post, const double *x, double *out) {
  latent_lowrank *lr = post->self;
  const int k = lr->k;
  const double *M = lowrank_covariance(post);
  for (int i = 0; i < lr->n; i++) lr->x1[i] = lr->rho[i] * lr->rho[i] * x[i];
  lowrank_gram(lr, lr->x1, lr->S1, lr->x1, lr->v1);
  for (int first = 0; first < lr->n; first += lr->width) {
    const int b = lowrank_columns(lr, first);
    symmetric_product(M, k, lowrank_panel(lr, first), b, lr->P);
    symmetric_product(lr->S1, k, lr->P, b, lr->Q);
    for (int l = 0; l < b; l++) {
      const int i = first + l;
      const double rho = lr->rho[i], own = lr->lambda[i] * rho;
      out[i] = rho * rho * dot(k, lr->P + IDX(0, l, k), lr->Q + IDX(0, l, k)) +
               own * (2 * post->A[i] - own) * x[i];
    }
  }
}

static void lowrank_carve(latent *post, int block, workspace *ws) {
  latent_lowrank *lr = post->self;
  const size_t n = (size_t)lr->n, k = (size_t)lr->k;
  lr->width = block > LOWRANK_PANEL ? block : LOWRANK_PANEL;
  if (lr->width > lr->n) lr->width = lr->n;
  const size_t panel = k * (size_t)lr->width;
  WORKSPACE_EACH(ws, k * k, &lr->W, &lr->M, &lr->S1, &lr->S2);
  if (!lr->given) {
    lr->Phi = lr->made_Phi = workspace_take(ws, lr->kept ? k * n : panel);
    lr->lambda = lr->made_lambda = workspace_take(ws, n);
  }
  WORKSPACE_EACH(ws, panel, &lr->P, &lr->Q);
  WORKSPACE_EACH(ws, k, &lr->w, &lr->v1, &lr->v2);
  WORKSPACE_EACH(ws, n, &lr->rho, &lr->own, &lr->x1, &lr->x2);
  WORKSPACE_EACH(ws, n, &post->A, &post->prior, &post->m);
  if (lr->points) inducing_carve(lr->points, lr->width, ws);
  post->lambda = lr->lambda;
  lr->times = post->times;
  lr->offset = post->offset;
  post->location = lr->w;
}

static void lowrank_bind(latent *post) {
  latent_lowrank *lr = post->self;
  const int k = lr->k;
  if (lr->points) inducing_prepare(lr->points);
  if (lr->like) {
    lr->Phi = lr->like->Phi;
    post->lambda = lr->lambda = lr->like->lambda;
  }
  for (int first = 0; first < lr->n; first += lr->width) {
    const int b = lowrank_columns(lr, first);
    const size_t from = lr->kept ? IDX(0, first, k) : 0;
    if (!lr->given) lowrank_features(lr, first, b, lr->made_Phi + from);
    const double *phi = lr->Phi + from;
    lr->at = first;
    for (int i = first; i < first + b; i++, phi += k)
      post->prior[i] = dot(k, phi, phi) + lr->lambda[i];
  }
}

static const latent_ops lowrank_ops = {.carve = lowrank_carve,
                                       .bind = lowrank_bind,
                                       .load = lowrank_load,
                                       .apply = lowrank_apply,
                                       .shift = lowrank_shift,
                                       .marginals = lowrank_marginals,
                                       .refresh = lowrank_refresh,
                                       .columns = lowrank_columns_of,
                                       .times = lowrank_times,
                                       .times_squared = lowrank_times_squared,
                                       .covariance = lowrank_covariance,
                                       .gradient = lowrank_gradient};

latent latent_lowrank_features(latent_lowrank *lr, int n, int k,
                               const double *Xt, const double *s0,
                               double nugget) {
  *lr = (latent_lowrank){
      .n = n, .k = k, .Xt = Xt, .s0 = s0, .nugget = nugget, .kept = 1};
  return (latent){.n = n,
                  .d = nugget > 0 ? n : k,
                  .n_terms = n,
                  .n_prior = k + 1,
                  .n_location = k,
                  .ops = &lowrank_ops,
                  .self = lr};
}

latent latent_lowrank_inducing(latent_lowrank *lr, inducing *points, int kept) {
  const int k = inducing_size(points);
  *lr =
      (latent_lowrank){.n = points->n, .k = k, .points = points, .kept = kept};
  return (latent){.n = points->n,
                  .d = points->n,
                  .n_terms = points->n,
                  .n_prior = points->kernel->groups + KERNEL_OTHERS,
                  .n_location = k,
                  .ops = &lowrank_ops,
                  .self = lr};
}

latent latent_lowrank_like(latent_lowrank *lr, const latent_lowrank *first,
                           inducing *points) {
  const latent post = latent_lowrank_inducing(lr, points, 1);
  lr->like = first;
  lr->given = 1;
  return post;
}

latent latent_lowrank_rows(latent_lowrank *lr, const lowrank_rows *rows) {
  const inducing *points = rows->points;
  *lr = (latent_lowrank){.n = rows->n,
                         .k = rows->k,
                         .nugget = rows->nugget,
                         .points = rows->points,
                         .kept = 1,
                         .given = 1,
                         .Phi = rows->Phi,
                         .lambda = rows->lambda};
  return (latent){.n = rows->n,
                  .d = rows->d,
                  .n_terms = rows->n_terms,
                  .n_prior = points ? points->kernel->groups + KERNEL_OTHERS
                                    : rows->k + 1,
                  .n_location = rows->k,
                  .ops = &lowrank_ops,
                  .self = lr};
}
