/* What: the common mode of a row's sites.
 * Method: the likelihood says nothing about a common shift of f_1..f_C at a
 *   row, but sites that factorise over classes pin it, and sweeps alone crawl
 *   along it. A site answers a shift g_i of the cavity means of its row exactly
 *   by nu_ic += tau_ic g_i. The shift at which this is consistent with the
 *   cavities that the shifted sites have solves                     [M 12.12]
 *     (I - sum_c diag(w_c/u_c) (C_c - diag A_c) T_c) g
 *                                       = sum_c w_c (mean_c - used_c),
 *   w_ic = |tau_ic| u_ic / sum_c |tau_ic| u_ic, by GMRES, which needs no n x n
 *   matrix and whose error the next sweep corrects. */
#include "ep-classes.h"
#include "numeric.h"

/* Relative residual of the solve: 1e-3 takes as many sweeps on the fits of
 * campaign-classes.R with nuggets of 0.001 to 0.1; 0.1 twice as many on 2,000
 * rows of 10 classes with inducing inputs and a nugget of 0.003. And products
 * it may take. */
#define COMMON_TOL 0.02
#define COMMON_PRODUCTS 60
/* |g| may be so many prior standard deviations. */
#define SHIFT_MOST 2

void common_carve(common_mode *cm, int n, int C, workspace *ws) {
  const size_t N = (size_t)n, all = N * (size_t)C;
  WORKSPACE_EACH(ws, all, &cm->used, &cm->weight, &cm->over);
  WORKSPACE_EACH(ws, N, &cm->shift, &cm->rhs, &cm->x, &cm->out);
  gmres_carve(&cm->gmres, n, ws);
}

/* Weights and right-hand side; a row with an improper cavity, or without
 * sites, has none. */
static void prepare(common_mode *cm) {
  const classes_model *model = cm->model;
  const int n = model->n, C = model->C;
  double A[ARGMAX_MOST], m[ARGMAX_MOST];
  ep_site site[ARGMAX_MOST];
  ep_cavity cav[ARGMAX_MOST];
  for (int i = 0; i < n; i++) {
    classes_gather(model, i, cm->site, A, m, site);
    double sum = 0;
    if (classes_divide(model, i, A, m, site, cav) == EP_CONVERGED)
      for (int c = 0; c < C; c++) sum += fabs(site[c].tau) * cav[c].u;
    cm->rhs[i] = 0;
    for (int c = 0; c < C; c++) {
      const size_t at = IDX(i, c, n);
      cm->weight[at] = cm->over[at] = 0;
      if (!(sum > 0)) continue;
      cm->over[at] = fabs(site[c].tau) / sum;
      cm->weight[at] = cm->over[at] * cav[c].u;
      cm->rhs[i] += cm->weight[at] * (cav[c].mean - cm->used[at]);
    }
  }
}

/* out = (I - sum_c diag(w_c/u_c) (C_c - diag A_c) T_c) g */
static void apply(void *data, const double *g, double *out) {
  common_mode *cm = data;
  const int n = cm->model->n;
  memcpy(out, g, (size_t)n * sizeof *out);
  for (int c = 0; c < cm->model->C; c++) {
    latent *post = cm->model->post[c];
    const ep_site *site = cm->site + IDX(0, c, n);
    const double *over = cm->over + IDX(0, c, n);
    for (int i = 0; i < n; i++) cm->x[i] = site[i].tau * g[i];
    post->ops->times(post, cm->x, cm->out);
    for (int i = 0; i < n; i++)
      out[i] -= over[i] * (cm->out[i] - post->A[i] * cm->x[i]);
  }
}

static double largest_shift(const classes_model *model, int i) {
  double prior = 0;
  for (int c = 0; c < model->C; c++)
    prior = fmax(prior, model->post[c]->prior[i]);
  return SHIFT_MOST * sqrt(prior);
}

void common_solve(common_mode *cm, const classes_model *model, ep_site *site) {
  const int n = model->n;
  double *g = cm->shift;
  cm->model = model;
  cm->site = site;
  prepare(cm);
  /* also where it is not solved in so many products: a way, not the end */
  gmres_solve(&cm->gmres, apply, cm, cm->rhs, COMMON_TOL, COMMON_PRODUCTS, g);
  for (int i = 0; i < n; i++) {
    const double most = largest_shift(model, i);
    g[i] = fmin(fmax(g[i], -most), most);
  }
  for (int c = 0; c < model->C; c++) {
    latent *post = model->post[c];
    for (int i = 0; i < n; i++) {
      ep_site *s = &site[IDX(i, c, n)];
      cm->x[i] = s->tau * g[i];
      s->nu += cm->x[i];
      cm->used[IDX(i, c, n)] += g[i];
    }
    post->ops->shift(post, cm->x);
  }
}
