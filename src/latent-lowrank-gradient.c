/* What: gradient of a criterion in the prior of a low-rank latent.
 * Method: with S = Phi' diag(rho^2 A.) Phi, V = M S M, b = rho nu - tt Phi w,
 *   g = M Phi' (rho m.) and Hm = rho m. - tt Phi g, row i of G Phi for
 *   G = dE/dK, and its diagonal, are                                  [M 9.5]
 *     rho^2 A. M phi - tt V phi + (Hm w + b g)/2 + D. tt M phi + h. b w,
 *     rho^2 A. (1 - 2 tt q) + tt^2 phi' V phi + Hm b + D. (tt - tt^2 q)
 *       + h. b^2.
 *   At df = Inf the evidence has A. = m. = 0, and V is not needed. For linear
 *   features, whose scales move M alone, the short form is
 *     dE/dlog s0_j = sum_i (rho^2 A. p_ij^2 + rho m. p_ij w_j) + h. w_j^2
 *                    + D. (1 - M_jj),  p_i = M phi_i. */
#include "latent-lowrank.h"
#include "matrix.h"
#include "numeric.h"

typedef struct {
  latent *post;
  latent_lowrank *lr;
  const ep_site *site;
  const latent_dots *dots;
  int direct; /* some A. or m. is not 0 */
  double *g;  /* [k] */
  double *V;  /* [k x k] lower */
} gradient_rows;

/* V and g; M is mirrored. */
static void prepare(gradient_rows *r) {
  latent_lowrank *lr = r->lr;
  const int n = lr->n, k = lr->k;
  r->direct = 0;
  for (int i = 0; i < n; i++)
    r->direct |= r->dots->A[i] != 0 || r->dots->m[i] != 0;
  r->g = lr->v2;
  r->V = lr->S1;
  memset(r->g, 0, (size_t)k * sizeof *r->g);
  lowrank_covariance(r->post);
  mirror_lower(lr->M, k);
  if (!r->direct) return;
  for (int i = 0; i < n; i++) {
    lr->x1[i] = lr->rho[i] * lr->rho[i] * r->dots->A[i];
    lr->x2[i] = lr->rho[i] * r->dots->m[i];
  }
  lowrank_gram(lr, lr->x1, lr->S1, lr->x2, lr->v1);
  symmetric_product(lr->S1, k, lr->M, k, lr->S2);
  symmetric_product(lr->M, k, lr->S2, k, lr->S1);
  symmetric_times(lr->M, k, lr->v1, r->g);
}

/* Row i, whose features are phi[k], M phi is p[k] and V phi is v[k] (where it
 * is needed): returns dE/dlambda, which is G_ii of a row that counts once, and, when GPhi[k] is not NULL, gives the row of G
 * Phi there. */
static double gradient_row(const gradient_rows *r, int i, const double *phi,
                           const double *p, const double *v, double *GPhi) {
  const latent_lowrank *lr = r->lr;
  const int k = lr->k;
  const latent_dots *dots = r->dots;
  const double rho = lr->rho[i], tt = rho * r->site[i].tau;
  const double above = lr->offset ? tt * lr->offset[i] : 0;
  const double b = rho * r->site[i].nu - above - tt * dot(k, phi, lr->w);
  const double q = dot(k, phi, p), A = rho * rho * dots->A[i];
  double Hm = 0, curve = 0;
  if (r->direct) {
    Hm = rho * dots->m[i] - tt * dot(k, phi, r->g);
    curve = dot(k, phi, v);
  }
  if (GPhi) {
    const double by_p = A + dots->D * tt, by_w = Hm / 2 + dots->h * b;
    for (int j = 0; j < k; j++) GPhi[j] = by_p * p[j] + by_w * lr->w[j];
    if (r->direct)
      for (int j = 0; j < k; j++) GPhi[j] += b * r->g[j] / 2 - tt * v[j];
  }
  if (dots->by_offset) dots->by_offset[i] = Hm + 2 * dots->h * b;
  const double by_K = A * (1 - 2 * tt * q) + tt * tt * curve + Hm * b +
                      dots->D * (tt - tt * tt * q) + dots->h * b * b;
  return latent_by_lambda(r->post, dots, i, r->site[i], by_K);
}

/* P = M Phi and, where it is needed, Q = V Phi of a panel; returns its Phi */
static const double *panel_products(const gradient_rows *r, int first, int b) {
  latent_lowrank *lr = r->lr;
  const double *phi = lowrank_panel(lr, first);
  symmetric_product(lr->M, lr->k, phi, b, lr->P);
  if (r->direct) symmetric_product(r->V, lr->k, phi, b, lr->Q);
  return phi;
}

/* log s0[k], log nugget */
static void features_gradient(const gradient_rows *r, double *gradient) {
  latent_lowrank *lr = r->lr;
  const int k = lr->k;
  const latent_dots *dots = r->dots;
  for (int j = 0; j < k; j++)
    gradient[j] =
        dots->h * lr->w[j] * lr->w[j] + dots->D * (1 - lr->M[IDX(j, j, k)]);
  gradient[k] = 0;
  if (!r->direct && lr->nugget == 0) return;
  for (int first = 0; first < lr->n; first += lr->width) {
    const int b = lowrank_columns(lr, first);
    const double *phi = panel_products(r, first, b);
    for (int l = 0; l < b; l++, phi += k) {
      const int i = first + l;
      const double rho = lr->rho[i], *p = lr->P + IDX(0, l, k);
      const double A = rho * rho * dots->A[i], m = rho * dots->m[i];
      for (int j = 0; j < k; j++)
        gradient[j] += p[j] * (A * p[j] + m * lr->w[j]);
      if (lr->nugget > 0)
        gradient[k] +=
            lr->nugget * gradient_row(r, i, phi, p, lr->Q + IDX(0, l, k), NULL);
    }
  }
}

/* log l[groups], log variance, log bias, log nugget, log linear */
static void kernel_gradient(const gradient_rows *r, double *gradient) {
  latent_lowrank *lr = r->lr;
  inducing *points = lr->points;
  const kernel_ard *kernel = points->kernel;
  const int k = lr->k, m = points->m;
  kernel_grad grad = {.l = gradient};
  const int has_bias = kernel->bias > 0;
  double trace = 0, bias = 0, linear = 0;
  inducing_begin(points, &grad);
  for (int first = 0; first < lr->n; first += lr->width) {
    const int b = lowrank_columns(lr, first);
    const double *phi = panel_products(r, first, b);
    for (int l = 0; l < b; l++) {
      const double *f = phi + IDX(0, l, k);
      double *B = points->B + IDX(0, l, m), *GPhi = lr->v1;
      const double diag = gradient_row(r, first + l, f, lr->P + IDX(0, l, k),
                                       lr->Q + IDX(0, l, k), GPhi);
      trace += diag;
      if (has_bias) bias += GPhi[m] * f[m];
      linear += dot(k - m - has_bias, GPhi + m + has_bias, f + m + has_bias);
      for (int j = 0; j < m; j++) B[j] = 2 * (GPhi[j] - diag * f[j]);
    }
    inducing_add(points, first, b, phi, &grad);
  }
  inducing_end(points, &grad);
  double *theta = gradient + kernel->groups;
  theta[0] = grad.variance + kernel->variance * trace;
  theta[1] = bias;
  theta[2] = kernel->nugget * trace;
  theta[3] = linear;
}

void lowrank_gradient(latent *post, const ep_site *site,
                      const latent_dots *dots, double *gradient) {
  latent_lowrank *lr = post->self;
  gradient_rows r = {.post = post, .lr = lr, .site = site, .dots = dots};
  prepare(&r);
  if (lr->points)
    kernel_gradient(&r, gradient);
  else
    features_gradient(&r, gradient);
}
