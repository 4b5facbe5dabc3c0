/* What: expectation propagation with C latent functions. */
#ifndef STURDY_EP_CLASSES_H
#define STURDY_EP_CLASSES_H

#include "criterion-classes.h"
#include "ep-state.h"
#include "gmres.h"

typedef struct {
  ep_site *site;    /* [n x C] in: start; out: fixed point */
  ep_cavity *cav;   /* [n x C] at the end */
  double *log_z;    /* [n] log probability of the label, NaN if improper */
  double *residual; /* [n] of the worst class, Inf if improper */
  double *trace;    /* as in ep_state */
  int sweeps, skipped, n_trace;
} classes_state;

/* The common shift of a row's cavities, see ep-classes-common.c */
typedef struct {
  const classes_model *model;
  const ep_site *site;
  double *used;          /* [n x C] cavity means that the sites answer to */
  double *weight, *over; /* [n x C] w and w/u of [M 12.12] */
  double *shift, *rhs;   /* [n] */
  double *x, *out;       /* [n] scratch */
  gmres_space gmres;
} common_mode;

typedef struct {
  double *Cbb, *N, *mean; /* [b x b], [b x b], [b] of each class */
  double *column;         /* [b] */
  double *gamma, *beta;   /* [b] of each class */
  double *tau, *nu;       /* [n] */
  ep_site *best;          /* [n x C] */
  int *order;             /* [n] */
  common_mode common;
} classes_work;

void classes_carve(classes_state *st, classes_work *work, int n, int C,
                   const ep_options *opt, workspace *ws);

void common_carve(common_mode *cm, int n, int C, workspace *ws);

/* Shifts nu of all sites, and the posteriors with them, by what the cavity
 * means of each row have in common to move, as the sites answer to it. */
void common_solve(common_mode *cm, const classes_model *model, ep_site *site);

/* As ep_run(), at df = Inf. Newton steps and parallel sweeps there are none of:
 * opt->parallel is not looked at, opt->lean is the model's. */
int classes_run(const classes_model *model, const ep_options *opt,
                classes_state *st, classes_work *work, ep_monitor monitor,
                void *monitor_data);

#endif
