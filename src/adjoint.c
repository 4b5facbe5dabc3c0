/* What: one adjoint for every criterion, df and hyperparameter.
 * Method [MATH.md section 5]: with E_s the total derivative of the criterion in
 *   the sites at fixed K,
 *     E_tau - (C o C) E_A - m o (C E_m) + A E_D - (m o m) E_h,
 *     E_nu + C E_m + 2 m E_h,
 *   solve (I - G_s') lambda = E_s, add lambda' G_{A,m,epsilon} to the partials,
 *     dE/dK = H diag(A.) H' + sym(H m. b') + D. R + h. b b',
 *   H = I - T C, R = T - T C T, b = H nu. C diag(A.) C comes from two symmetric
 *   rank-k updates split by the sign of A., n^3 flops in all.
 *   At df = Inf the evidence is stationary in the sites: lambda, A. and m. are
 *   zero and neither the solve nor the n^3 product is needed. */
#include "adjoint.h"
#include "factor-signed.h"
#include "numeric.h"

#define ADJOINT_TOL 1e-11
#define ADJOINT_PRODUCTS 400

void adjoint_carve(adjoint_work *w, int n, workspace *ws) {
  const size_t N = (size_t)n;
  w->E.A = workspace_take(ws, N);
  w->E.m = workspace_take(ws, N);
  w->E.tau = workspace_take(ws, N);
  w->E.nu = workspace_take(ws, N);
  w->weight = workspace_take(ws, N);
}

/* E->tau, E->nu become the total derivative in the sites at fixed K */
static void chain_sites(latent *post, fixpoint_work *fix,
                        criterion_partials *E) {
  double *SA = fix->p1, *Cm = fix->p2;
  post->times_squared(post, E->A, SA);
  post->times(post, E->m, Cm);
  for (int i = 0; i < post->n; i++) {
    const double A = post->A[i], m = post->m[i];
    E->tau[i] += -SA[i] - m * Cm[i] + A * E->D - m * m * E->h;
    E->nu[i] += Cm[i] + 2 * m * E->h;
  }
}

int adjoint_solve(criterion_type type, latent *post, const lik_step *lik,
                  const double *y, const ep_site *site, const site_view *view,
                  fixpoint_work *fix, adjoint_work *w) {
  const int n = post->n;
  criterion_partials *E = &w->E;
  const int status =
      criterion_derivatives(type, post, lik, y, site, view, E);
  if (status != EP_CONVERGED) return status;
  if (!isfinite(lik->df) && type != CRITERION_LOO) {
    memset(E->A, 0, (size_t)n * sizeof *E->A);
    memset(E->m, 0, (size_t)n * sizeof *E->m);
    return EP_CONVERGED;
  }
  fixpoint_linearise(fix, post, lik, y, site, view);
  chain_sites(post, fix, E);
  const int spent = fixpoint_adjoint(fix, ADJOINT_TOL, ADJOINT_PRODUCTS,
                                     E->tau, E->nu); /* now lambda */
  for (int i = 0; i < n; i++) {
    const double lt = E->tau[i], ln = E->nu[i];
    const site_jacobian *J = &fix->J[i];
    E->A[i] += J->tau[BY_A] * lt + J->nu[BY_A] * ln;
    E->m[i] += J->tau[BY_M] * lt + J->nu[BY_M] * ln;
    const double lo_hi[2] = {J->tau[BY_LO] * lt + J->nu[BY_LO] * ln,
                             J->tau[BY_HI] * lt + J->nu[BY_HI] * ln};
    likelihood_add_epsilon(y[i], lo_hi, E->epsilon);
  }
  return spent < 0 ? EP_NO_ADJOINT : EP_CONVERGED;
}

void adjoint_kernel(latent *post, latent_kernel *lk, const ep_site *site,
                    adjoint_work *w) {
  const int n = lk->n;
  const criterion_partials *E = &w->E;
  double *g = w->weight; /* H m. = m. - T C m. */
  double *minus_A = E->tau; /* lambda has done its work */
  post->times(post, E->m, g);
  for (int i = 0; i < n; i++) g[i] = E->m[i] - site[i].tau * g[i];

  memset(lk->S2, 0, (size_t)n * (size_t)n * sizeof *lk->S2);
  lk->have_squares = 0;
  mirror_lower(lk->C, n);
  for (int i = 0; i < n; i++) minus_A[i] = -E->A[i];
  rank_update_signed(lk->S2, n, lk->C, n, minus_A, lk->S1);
  for (int j = 0; j < n; j++) {
    const double tj = site[j].tau, bj = lk->b[j], Aj = E->A[j];
    for (int i = j; i < n; i++) {
      const size_t at = IDX(i, j, n);
      const double ti = site[i].tau, bi = lk->b[i], c = lk->C[at];
      lk->S2[at] = ti * tj * lk->S2[at] - c * (ti * Aj + E->A[i] * tj) -
                   E->D * ti * c * tj + (g[i] * bj + bi * g[j]) / 2 +
                   E->h * bi * bj;
    }
    lk->S2[IDX(j, j, n)] += Aj + E->D * tj;
  }
}

/* With c_i = C x_i / s0 (elementwise) and p = w / s0:
 *   dA_i/ds0_j = c_ij^2,  dm_i/ds0_j = c_ij p_j,  dh/ds0_j = p_j^2,
 *   dD/ds0_j = (1 - C_jj/s0_j)/s0_j. */
void adjoint_weight(latent_weight *lw, adjoint_work *w, double *grad) {
  const int k = lw->k, n = lw->n;
  const criterion_partials *E = &w->E;
  const double one = 1, zero = 0;
  for (int j = 0; j < k; j++) {
    const double p = lw->w[j] / lw->s0[j];
    grad[j] = lw->s0[j] * E->h * p * p +
              E->D * (1 - lw->C[IDX(j, j, k)] / lw->s0[j]);
  }
  for (int first = 0; first < n; first += lw->width) {
    const int left = n - first, b = left < lw->width ? left : lw->width;
    F77_CALL(dsymm)
    ("L", "L", &k, &b, &one, lw->C, &k, lw->Xt + IDX(0, first, k), &k, &zero,
     lw->P, &k FCONE FCONE);
    for (int l = 0; l < b; l++)
      for (int j = 0; j < k; j++) {
        const double c = lw->P[IDX(j, l, k)];
        grad[j] += (E->A[first + l] * c * c + E->m[first + l] * c * lw->w[j]) /
                   lw->s0[j];
      }
  }
}
