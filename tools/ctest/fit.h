/* What: an EP fit in dense kernel space with its memory, as the glue sets it
 *       up. fit_new() carves; the caller fills K and y; fit_cold() or fit_run()
 *       runs EP; fit_free(). */
#ifndef STURDY_FIT_H
#define STURDY_FIT_H

#include "adjoint.h"
#include "dense.h"
#include "ep.h"
#include "flip-rates.h"
#include "latent-kernel.h"

typedef struct {
  int n;
  latent post;
  latent_kernel lk;
  ep_state st;
  ep_work work;
  criterion_partials partials;
  lik_step lik;
  step_levels *row;
  double epsilon[2];
  ep_options opt;
  double *block, *K, *y;
} fit;

static inline void fit_carve(fit *f, workspace *ws) {
  f->post.ops->carve(&f->post, f->opt.block, ws);
  ep_carve(&f->st, &f->work, f->n, &f->opt, ws);
  adjoint_carve(&f->partials, f->n, 2, ws);
}

/* K[n x n] and y[n] are left to the caller to fill. */
static inline fit *fit_new(int n, double df, double epsilon) {
  fit *f = calloc(1, sizeof *f);
  if (!f) abort();
  f->n = n;
  f->opt =
      (ep_options){.tol = 1e-11, .max_sweeps = 300, .damping = 1, .block = 16};
  f->lik.df = df;
  f->epsilon[0] = f->epsilon[1] = epsilon;
  f->row = calloc((size_t)n, sizeof *f->row);
  if (!f->row) abort();
  f->K = dense_square(n);
  f->y = dense_new((size_t)n);
  f->post = latent_kernel_given(&f->lk, n, f->K);
  workspace ws = {NULL, 0};
  fit_carve(f, &ws);
  f->block = dense_new(ws.used);
  ws = (workspace){f->block, 0};
  fit_carve(f, &ws);
  return f;
}

static inline void fit_free(fit *f) {
  free(f->block);
  free(f->K);
  free(f->y);
  free(f->row);
  free(f);
}

/* K, y and epsilon may have been filled or changed since. */
static inline void fit_bind(fit *f) {
  f->lik = label_step(f->lik.df, f->n, f->n, f->y, f->epsilon, f->row);
  f->post.ops->bind(&f->post);
}

/* From the sites as they are. */
static inline int fit_run(fit *f) {
  fit_bind(f);
  return ep_run(&f->post, &f->lik, &f->opt, &f->st, &f->work, NULL, NULL);
}

static inline int fit_cold(fit *f) {
  memset(f->st.site, 0, (size_t)f->n * sizeof *f->st.site);
  return fit_run(f);
}

/* The posterior and the views at the sites as they are. */
static inline int fit_look(fit *f) {
  fit_bind(f);
  for (int i = 0; i < f->n; i++) {
    f->work.tau[i] = f->st.site[i].tau;
    f->work.nu[i] = f->st.site[i].nu;
  }
  const int status = f->post.ops->refresh(&f->post, f->work.tau, f->work.nu);
  if (status != EP_CONVERGED) return status;
  fixpoint_evaluate(&f->post, &f->lik, f->st.site, f->st.view, f->st.residual);
  return EP_CONVERGED;
}

static inline double fit_value(const fit *f, criterion_type type) {
  double value = NAN;
  criterion_value(type, &f->post, f->lik.df, f->st.site, f->st.view, &value);
  return value;
}

#endif
