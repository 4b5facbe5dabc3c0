/* What: the posterior under K = Phi Phi' + diag(lambda), without an n x n
 *       matrix.
 * Method: with rho_i = 1/(1 + lambda_i tau_i), positive wherever there is a
 *   posterior, tt = rho tau and nt = rho nu                           [M 9.2]
 *     M   = (I + Phi' diag(tt) Phi)^{-1},        w   = M Phi' nt,
 *     A_i = lambda rho + rho^2 phi_i' M phi_i,   m_i = rho phi_i' w
 *     D   = sum log1p(lambda tau) - log|M|,            + lambda rho nu.
 *   Blocks as in latent-kernel.c with the covariance M Phi_B' rho_B of u with
 *   f_B in place of C_B [M 9.3]; one Cholesky a refresh, whatever the signs of
 *   the sites. n k^2 flops each for M and for the marginals.
 * References: M01 for lambda = 0. */
#include "latent-lowrank.h"
#include "matrix.h"
#include "numeric.h"

/* Panels have at least so many columns: fewer do not fill BLAS */
#define PANEL_COLUMNS 256

void weight_moments(const double *C,
                    const double *w,
                    int k,
                    const double *Xt,
                    int cols,
                    double *P,
                    double *m,
                    double *A) {
  symmetric_product(C, k, Xt, cols, P);
  for (int l = 0; l < cols; l++) {
    A[l] = dot(k, Xt + IDX(0, l, k), P + IDX(0, l, k));
    m[l] = dot(k, Xt + IDX(0, l, k), w);
  }
}

int lowrank_columns(const latent_lowrank *lr, int first) {
  const int left = lr->n - first;
  return left < lr->width ? left : lr->width;
}

/* Features, and lambda, of cols rows */
static void
make_features(latent_lowrank *lr, int first, int cols, double *phi) {
  if (lr->points) {
    inducing_features(lr->points, first, cols, phi, lr->lambda + first);
    return;
  }
  const int k = lr->k;
  for (int l = 0; l < cols; l++, phi += k) {
    const double *x = lr->Xt + IDX(0, first + l, k);
    for (int j = 0; j < k; j++) phi[j] = sqrt(lr->s0[j]) * x[j];
    lr->lambda[first + l] = lr->nugget;
  }
}

const double *lowrank_panel(latent_lowrank *lr, int first) {
  if (lr->kept) return lr->Phi + IDX(0, first, lr->k);
  if (lr->at != first)
    make_features(lr, first, lowrank_columns(lr, first), lr->Phi);
  lr->at = first;
  return lr->Phi;
}

/* rho and own of site i */
static void take_site(latent_lowrank *lr, int i, double tau, double nu) {
  lr->rho[i] = 1 / (1 + lr->lambda[i] * tau);
  lr->own[i] = lr->lambda[i] * lr->rho[i] * nu;
}

static void
lowrank_load(latent *post, const int *idx, int b, double *Cbb, double *mb) {
  latent_lowrank *lr = post->self;
  const int k = lr->k;
  lr->loaded = idx;
  for (int l = 0; l < b; l++) {
    const int i = idx[l];
    double *to = lr->Q + IDX(0, l, k);
    if (lr->kept)
      memcpy(to, lr->Phi + IDX(0, i, k), (size_t)k * sizeof *to);
    else
      make_features(lr, i, 1, to);
    for (int j = 0; j < k; j++) to[j] *= lr->rho[i];
    mb[l] = dot(k, to, lr->w) + lr->own[i];
  }
  symmetric_product(lr->M, k, lr->Q, b, lr->P);
  product("T", "N", b, b, k, 1, lr->Q, k, lr->P, k, 0, Cbb, b);
  for (int l = 0; l < b; l++)
    Cbb[IDX(l, l, b)] += lr->lambda[idx[l]] * lr->rho[idx[l]];
}

static void lowrank_apply(latent *post,
                          const ep_site *site,
                          int b,
                          const double *N,
                          const double *gamma,
                          const double *beta) {
  latent_lowrank *lr = post->self;
  const int k = lr->k, inc = 1;
  const double one = 1;
  for (int l = 0; l < b; l++) {
    const int i = lr->loaded[l];
    take_site(lr, i, site[i].tau, site[i].nu);
  }
  solve_unit_right(N, b, lr->P, k);
  F77_CALL(dgemv)("N", &k, &b, &one, lr->P, &k, beta, &inc, &one, lr->w,
                  &inc FCONE);
  rank_update_signed(lr->M, k, lr->P, b, gamma, lr->Q);
}

/* A and m of site i from q = phi' M phi and f = phi' w */
static void set_marginal(latent *post, int i, double q, double f) {
  const latent_lowrank *lr = post->self;
  const double rho = lr->rho[i];
  post->A[i] = lr->lambda[i] * rho + rho * rho * q;
  post->m[i] = rho * f + lr->own[i];
}

static void lowrank_marginals(latent *post) {
  latent_lowrank *lr = post->self;
  const int k = lr->k;
  for (int first = 0; first < lr->n; first += lr->width) {
    const int b = lowrank_columns(lr, first);
    const double *phi = lowrank_panel(lr, first);
    symmetric_product(lr->M, k, phi, b, lr->P);
    for (int l = 0; l < b; l++, phi += k)
      set_marginal(post, first + l, dot(k, phi, lr->P + IDX(0, l, k)),
                   dot(k, phi, lr->w));
  }
}

/* The same at a refresh: q = |L^{-1} phi|^2 takes half the flops */
static void marginals_by_factor(latent *post) {
  latent_lowrank *lr = post->self;
  const int k = lr->k;
  for (int first = 0; first < lr->n; first += lr->width) {
    const int b = lowrank_columns(lr, first);
    const double *phi = lowrank_panel(lr, first);
    memcpy(lr->P, phi, (size_t)k * (size_t)b * sizeof *phi);
    solve_lower("N", lr->L, k, lr->P, b);
    for (int l = 0; l < b; l++, phi += k) {
      const double *v = lr->P + IDX(0, l, k);
      set_marginal(post, first + l, dot(k, v, v), dot(k, phi, lr->w));
    }
  }
}

/* out += Phi' x over the b rows of a panel */
static void add_transposed(const latent_lowrank *lr,
                           const double *phi,
                           int b,
                           const double *x,
                           double *out) {
  const int inc = 1;
  const double one = 1;
  F77_CALL(dgemv)("N", &lr->k, &b, &one, phi, &lr->k, x, &inc, &one, out,
                  &inc FCONE);
}

/* G += sign(t) B B' for the columns B gathered in P (t = 0) or in Q (t = 1) */
static void flush(latent_lowrank *lr, int t, int *cols, double *G) {
  if (*cols > 0)
    rank_update("N", lr->k, *cols, t ? -1 : 1, t ? lr->Q : lr->P, G);
  *cols = 0;
}

void lowrank_gram(latent_lowrank *lr,
                  const double *x,
                  double *G,
                  const double *y,
                  double *out) {
  const int k = lr->k;
  int cols[2] = {0, 0}; /* rows of positive and of negative x */
  memset(G, 0, (size_t)k * (size_t)k * sizeof *G);
  memset(out, 0, (size_t)k * sizeof *out);
  for (int first = 0; first < lr->n; first += lr->width) {
    const int b = lowrank_columns(lr, first);
    const double *phi = lowrank_panel(lr, first);
    add_transposed(lr, phi, b, y + first, out);
    for (int l = 0; l < b; l++, phi += k) {
      const double weight = x[first + l], root = sqrt(fabs(weight));
      if (weight == 0) continue;
      const int t = weight < 0;
      double *column = (t ? lr->Q : lr->P) + IDX(0, cols[t]++, k);
      for (int j = 0; j < k; j++) column[j] = root * phi[j];
      if (cols[t] == lr->width) flush(lr, t, &cols[t], G);
    }
  }
  for (int t = 0; t < 2; t++) flush(lr, t, &cols[t], G);
}

/* C x = lambda rho x + rho Phi M Phi' rho x [M 9.4] */
static void lowrank_times(latent *post, const double *x, double *out) {
  latent_lowrank *lr = post->self;
  const int k = lr->k, inc = 1;
  const double one = 1, zero = 0;
  for (int i = 0; i < lr->n; i++) lr->x1[i] = lr->rho[i] * x[i];
  memset(lr->v1, 0, (size_t)k * sizeof *lr->v1);
  for (int first = 0; first < lr->n; first += lr->width)
    add_transposed(lr, lowrank_panel(lr, first), lowrank_columns(lr, first),
                   lr->x1 + first, lr->v1);
  symmetric_times(lr->M, k, lr->v1, lr->v2);
  for (int first = 0; first < lr->n; first += lr->width) {
    const int b = lowrank_columns(lr, first);
    F77_CALL(dgemv)("T", &k, &b, &one, lowrank_panel(lr, first), &k, lr->v2,
                    &inc, &zero, out + first, &inc FCONE);
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
  for (int i = 0; i < lr->n; i++) lr->x1[i] = lr->rho[i] * lr->rho[i] * x[i];
  lowrank_gram(lr, lr->x1, lr->S1, lr->x1, lr->v1);
  for (int first = 0; first < lr->n; first += lr->width) {
    const int b = lowrank_columns(lr, first);
    symmetric_product(lr->M, k, lowrank_panel(lr, first), b, lr->P);
    symmetric_product(lr->S1, k, lr->P, b, lr->Q);
    for (int l = 0; l < b; l++) {
      const int i = first + l;
      const double rho = lr->rho[i], own = lr->lambda[i] * rho;
      out[i] = rho * rho * dot(k, lr->P + IDX(0, l, k), lr->Q + IDX(0, l, k)) +
               own * (2 * post->A[i] - own) * x[i];
    }
  }
}

/* [M 9.2] */
static int lowrank_refresh(latent *post, const double *tau, const double *nu) {
  latent_lowrank *lr = post->self;
  const int k = lr->k;
  double *tt = lr->x1, *nt = lr->x2;
  post->log_det = 0;
  for (int i = 0; i < lr->n; i++) {
    if (!(1 + lr->lambda[i] * tau[i] > 0)) return EP_NOT_PD;
    take_site(lr, i, tau[i], nu[i]);
    tt[i] = lr->rho[i] * tau[i];
    nt[i] = lr->rho[i] * nu[i];
    if (lr->lambda[i] > 0) post->log_det += log1p(lr->lambda[i] * tau[i]);
  }
  lowrank_gram(lr, tt, lr->L, nt, lr->w);
  for (int j = 0; j < k; j++) lr->L[IDX(j, j, k)] += 1;
  if (cholesky(lr->L, k, &post->log_det) != EP_CONVERGED) return EP_NOT_PD;
  memcpy(lr->M, lr->L, (size_t)k * (size_t)k * sizeof *lr->M);
  cholesky_invert(lr->M, k);
  solve_lower("N", lr->L, k, lr->w, 1);
  solve_lower("T", lr->L, k, lr->w, 1);
  marginals_by_factor(post);
  return EP_CONVERGED;
}

static void lowrank_carve(latent *post, int block, workspace *ws) {
  latent_lowrank *lr = post->self;
  const size_t n = (size_t)lr->n, k = (size_t)lr->k;
  lr->width = block > PANEL_COLUMNS ? block : PANEL_COLUMNS;
  if (lr->width > lr->n) lr->width = lr->n;
  const size_t panel = k * (size_t)lr->width;
  double **square[] = {&lr->L, &lr->M, &lr->S1, &lr->S2};
  for (int s = 0; s < 4; s++) *square[s] = workspace_take(ws, k * k);
  if (!lr->like) {
    lr->Phi = workspace_take(ws, lr->kept ? k * n : panel);
    lr->lambda = workspace_take(ws, n);
  }
  lr->P = workspace_take(ws, panel);
  lr->Q = workspace_take(ws, panel);
  lr->w = workspace_take(ws, k);
  lr->v1 = workspace_take(ws, k);
  lr->v2 = workspace_take(ws, k);
  double **rows[] = {&lr->rho, &lr->own,     &lr->x1, &lr->x2,
                     &post->A, &post->prior, &post->m};
  for (int s = 0; s < 7; s++) *rows[s] = workspace_take(ws, n);
  if (lr->points) inducing_carve(lr->points, lr->width, ws);
  post->lambda = lr->lambda;
  post->location = lr->w;
  post->covariance = lr->M;
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
    double *phi = lr->Phi + (lr->kept ? IDX(0, first, k) : 0);
    if (!lr->like) make_features(lr, first, b, phi);
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
                                       .times = lowrank_times,
                                       .times_squared = lowrank_times_squared,
                                       .gradient = lowrank_gradient};

latent latent_lowrank_features(latent_lowrank *lr,
                               int n,
                               int k,
                               const double *Xt,
                               const double *s0,
                               double nugget) {
  *lr = (latent_lowrank){
      .n = n, .k = k, .Xt = Xt, .s0 = s0, .nugget = nugget, .kept = 1};
  return (latent){.n = n,
                  .d = nugget > 0 ? n : k,
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
                  .n_prior = points->kernel->groups + 3,
                  .n_location = k,
                  .ops = &lowrank_ops,
                  .self = lr};
}

latent latent_lowrank_like(latent_lowrank *lr,
                           const latent_lowrank *first,
                           inducing *points) {
  const latent post = latent_lowrank_inducing(lr, points, 1);
  lr->like = first;
  return post;
}
