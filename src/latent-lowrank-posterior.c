/* What: the posterior of a low-rank latent from a factorisation, of its own
 *       sites or given, and its marginals.
 * Method: [M 9.2], see latent-lowrank.c. */
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
  for (int first = 0; first < lr->n; first += lr->width) {
    const int b = lowrank_columns(lr, first);
    const double *phi = lowrank_panel(lr, first);
    symmetric_product(lr->M, k, phi, b, lr->P);
    for (int l = 0; l < b; l++, phi += k)
      set_marginal(post, first + l, dot(k, phi, lr->P + IDX(0, l, k)),
                   dot(k, phi, lr->w));
  }
}

/* The same at a refresh: q = |L^{-1} phi|^2 takes half the flops. q[n] may be
 * NULL. */
static void marginals_by_factor(latent *post, double *q) {
  latent_lowrank *lr = post->self;
  const int k = lr->k;
  for (int first = 0; first < lr->n; first += lr->width) {
    const int b = lowrank_columns(lr, first);
    const double *phi = lowrank_panel(lr, first);
    memcpy(lr->P, phi, (size_t)k * (size_t)b * sizeof *phi);
    solve_lower("N", lr->L, k, lr->P, b);
    for (int l = 0; l < b; l++, phi += k) {
      const double *v = lr->P + IDX(0, l, k);
      const double quad = dot(k, v, v);
      if (q) q[first + l] = quad;
      set_marginal(post, first + l, quad, dot(k, phi, lr->w));
    }
  }
}

/* out += Phi' x over the b rows of a panel */
void lowrank_transposed(const latent_lowrank *lr, const double *phi, int b,
                        const double *x, double *out) {
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

void lowrank_gram(latent_lowrank *lr, const double *x, double *G,
                  const double *y, double *out) {
  const int k = lr->k;
  int cols[2] = {0, 0}; /* rows of positive and of negative x */
  memset(G, 0, (size_t)k * (size_t)k * sizeof *G);
  memset(out, 0, (size_t)k * sizeof *out);
  for (int first = 0; first < lr->n; first += lr->width) {
    const int b = lowrank_columns(lr, first);
    const double *phi = lowrank_panel(lr, first);
    lowrank_transposed(lr, phi, b, y + first, out);
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
    if (lr->lambda[i] > 0) post->log_det += log1p(lr->lambda[i] * tau[i]);
  }
  lowrank_gram(lr, tt, lr->L, nt, lr->w);
  for (int j = 0; j < k; j++) lr->L[IDX(j, j, k)] += 1;
  if (cholesky(lr->L, k, &post->log_det) != EP_CONVERGED) return EP_NOT_PD;
  lowrank_invert(post);
  solve_lower("N", lr->L, k, lr->w, 1);
  solve_lower("T", lr->L, k, lr->w, 1);
  marginals_by_factor(post, NULL);
  return EP_CONVERGED;
}

void lowrank_invert(latent *post) {
  latent_lowrank *lr = post->self;
  memcpy(lr->M, lr->L, (size_t)lr->k * (size_t)lr->k * sizeof *lr->M);
  cholesky_invert(lr->M, lr->k);
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
    post->log_det += log1p(lr->lambda[i] * (tt[i] / rho));
  }
  memcpy(lr->L, L, (size_t)lr->k * (size_t)lr->k * sizeof *lr->L);
  memcpy(lr->w, w, (size_t)lr->k * sizeof *lr->w);
  marginals_by_factor(post, q);
  return EP_CONVERGED;
}
