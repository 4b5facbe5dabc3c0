/* What: evidence of C latent functions, and its gradients.
 * Method: [M 4.5] with one log Z a row and all else summed over classes,
 *     log Z_EP = sum_c (h_c - D_c)/2 + sum_i log Z_i
 *                + sum_ic [quad_ic - log(u_ic)]/2                     [M 12.9]
 *   It is stationary in the sites: A. = m. = 0, D. = -1/2, h. = 1/2 in [M 5.5],
 *   for each class by itself [M 12.10]; the weights of the rows act
 *   through log Z_i alone. */
#include "criterion-classes.h"
#include "host.h"
#include "numeric.h"

int classes_evidence(const classes_model *model, const ep_site *sites,
                     const ep_cavity *cav, const double *log_z, double *value) {
  double sum = 0;
  for (int i = 0; i < model->n; i++) {
    if (isnan(log_z[i])) return EP_IMPROPER;
    sum += log_z[i];
  }
  for (int c = 0; c < model->C; c++) {
    const latent *post = model->post[c];
    double twice = -post->log_det;
    for (int i = 0; i < model->n; i++) {
      const size_t at = IDX(i, c, model->n);
      const double u = cav[at].u;
      twice += sites[at].nu * post->m[i] - log(u) +
               site_quad(post->A[i], post->m[i], sites[at], u);
    }
    sum += twice / 2;
  }
  if (!isfinite(sum)) return EP_NO_EVIDENCE;
  *value = sum;
  return EP_CONVERGED;
}

void classes_labels(const classes_model *model, const ep_cavity *cav, int all,
                    double *log_p) {
  const int n = model->n, C = model->C;
  double mean[ARGMAX_MOST], sd[ARGMAX_MOST], to[ARGMAX_MOST];
  for (int i = 0; i < n; i++) {
    core_poll();
    classes_moments(C, cav + i, n, mean, sd);
    classes_posterior(C, model->weight + IDX(0, i, C), mean, sd, all, to);
    for (int c = 0; c < C; c++) log_p[IDX(i, c, n)] = to[c];
  }
}

void classes_slope(const classes_model *model, const double *log_z,
                   const double *log_p, double *slope) {
  const int n = model->n;
  for (int c = 0; c < model->C; c++)
    for (int i = 0; i < n; i++)
      slope[IDX(i, c, n)] = exp(log_p[IDX(i, c, n)] - log_z[i]);
}

void classes_prior_gradient(const classes_model *model, int c,
                            const ep_site *sites, const double *zero,
                            double *grad) {
  latent *post = model->post[c];
  const latent_dots dots = {.A = zero, .m = zero, .D = -0.5, .h = 0.5};
  post->ops->gradient(post, sites + IDX(0, c, model->n), &dots, grad);
}
