/* What: the posterior of a low-rank latent from a factorisation, of its own
 *       sites or given, and its marginals.
 * Method: f_i = phi_i' u + a part of its own of variance lambda_i   [M 9.2]
 *     rho = 1 / (1 + lambda tau),    M = (I + sum rho tau phi phi')^{-1} = W'W
 *     A = lambda rho + rho^2 phi' M phi,  m = rho phi' w + own,  w = M h. */
#include "latent-lowrank.h"
#include "matrix.h"
#include "numeric.h"

/* rho and own of site i */
void lowrank_take_site(latent_lowrank *lr, int i, double tau, double nu) {
  lr->rho[i] = 1 / (1 + lr->lambda[i] * tau);
  lr->own[i] = lr->lambda[i] * lr->rho[i] * nu;
  if (lr->offset) lr->own[i] += lr->rho[i] * lr->offset[i]; /* [M 3.20] */
}

/* A and m of site i from q = phi' M phi and f = phi' w */
static void set_marginal(latent *post, int i, double q, double f) {
  const latent_lowrank *lr = post->self;
  const double rho = lr->rho[i];
  post->A[i] = lr->lambda[i] * rho + rho * rho * q;
  post->m[i] = rho * f + lr->own[i];
}

void lowrank_marginals(latent *post) {
  latent_lowrank *lr = post->self;
  const int k = lr->k;
  const double *M = lowrank_covariance(post);
  for (int first = 0; first < lr->n; first += lr->width) {
    const int b = lowrank_columns(lr, first);
    const double *phi = lowrank_panel(lr, first);
    symmetric_product(M, k, phi, b, lr->P);
    for (int l = 0; l < b; l++, phi += k)
      set_marginal(post, first + l, dot(k, phi, lr->P + IDX(0, l, k)),
                   dot(k, phi, lr->w));
  }
}

/* The same at a refresh: q = |W phi|^2 takes half the flops. q[n] may be
 * NULL. */
static void marginals_by_factor(latent *post, double *q) {
  latent_lowrank *lr = post->self;
  const int k = lr->k;
  for (int first = 0; first < lr->n; first += lr->width) {
    const int b = lowrank_columns(lr, first);
    const double *phi = lowrank_panel(lr, first);
    lower_product(lr->W, k, phi, b, lr->P);
    for (int l = 0; l < b; l++, phi += k) {
      const double *v = lr->P + IDX(0, l, k);
      const double quad = dot(k, v, v);
      if (q) q[first + l] = quad;
      set_marginal(post, first + l, quad, dot(k, phi, lr->w));
    }
  }
}

void lowrank_gram(latent_lowrank *lr, const double *x, double *G,
                  const double *y, double *out) {
  const int k = lr->k;
  memset(G, 0, (size_t)k * (size_t)k * sizeof *G);
  memset(out, 0, (size_t)k * sizeof *out);
  for (int first = 0; first < lr->n; first += lr->width) {
    const int b = lowrank_columns(lr, first);
    const double *phi = lowrank_panel(lr, first);
    matrix_times(k, b, phi, y + first, out);
    rank_update_signed(G, k, 1, phi, b, x + first, lr->P);
  }
}

/* W is a factor L of M^{-1}; now its inverse */
static void take_factor(latent_lowrank *lr) {
  const size_t k = (size_t)lr->k;
  lower_invert(lr->W, lr->k);
  for (size_t j = 1; j < k; j++) memset(lr->W + j * k, 0, j * sizeof *lr->W);
  lr->known = 0;
}

/* [M 9.2] */
int lowrank_refresh(latent *post, const double *tau, const double *nu) {
  latent_lowrank *lr = post->self;
  const int k = lr->k;
  double *tt = lr->x1, *nt = lr->x2;
  post->log_det = 0;
  for (int i = 0; i < lr->n; i++) {
    if (!(1 + lr->lambda[i] * tau[i] > 0)) return EP_NOT_PD;
    lowrank_take_site(lr, i, tau[i], nu[i]);
    tt[i] = lr->rho[i] * tau[i];
    nt[i] = lr->rho[i] * (lr->offset ? nu[i] - tau[i] * lr->offset[i] : nu[i]);
    if (lr->lambda[i] > 0) /* most have none */
      post->log_det += log1p(lr->lambda[i] * tau[i]);
  }
  lowrank_gram(lr, tt, lr->W, nt, lr->v1);
  for (int j = 0; j < k; j++) lr->W[IDX(j, j, k)] += 1;
  if (cholesky(lr->W, k, &post->log_det) != EP_CONVERGED) return EP_NOT_PD;
  take_factor(lr);
  lower_product(lr->W, k, lr->v1, 1, lr->v2);
  for (int j = 0; j < k; j++)
    lr->w[j] = dot(k - j, lr->W + IDX(j, j, k), lr->v2 + j);
  marginals_by_factor(post, NULL);
  return EP_CONVERGED;
}

const double *lowrank_covariance(latent *post) {
  latent_lowrank *lr = post->self;
  if (!lr->known) {
    memcpy(lr->M, lr->W, (size_t)lr->k * (size_t)lr->k * sizeof *lr->M);
    lower_square(lr->M, lr->k);
    lr->known = 1;
  }
  return lr->M;
}

int lowrank_condition(latent *post, const double *L, const double *w,
                      const double *tt, const double *nt, double *q) {
  latent_lowrank *lr = post->self;
  post->log_det = 0;
  for (int i = 0; i < lr->n; i++) {
    const double rho = 1 - lr->lambda[i] * tt[i];
    if (!(rho > 0)) return EP_NOT_PD;
    lr->rho[i] = rho;
    lr->own[i] = lr->lambda[i] * nt[i];
    post->log_det -= log1p(-lr->lambda[i] * tt[i]); /* -log(rho) */
  }
  memcpy(lr->W, L, (size_t)lr->k * (size_t)lr->k * sizeof *lr->W);
  take_factor(lr);
  memcpy(lr->w, w, (size_t)lr->k * sizeof *lr->w);
  marginals_by_factor(post, q);
  return EP_CONVERGED;
}
