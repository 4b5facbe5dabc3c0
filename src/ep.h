/* What: expectation propagation, for every latent space and df. */
#ifndef STURDY_EP_H
#define STURDY_EP_H

#include "fixpoint.h"

typedef struct {
  double tol;     /* on the residual, see ep_state */
  int max_sweeps; /* Newton steps count as sweeps */
  double damping; /* first step length, in (0, 1] */
  int block;      /* sites per BLAS-3 update */
} ep_options;

/* One row of the trace. */
enum { TRACE_RESIDUAL, TRACE_EVIDENCE, TRACE_DAMPING, TRACE_NEWTON, N_TRACE };

typedef struct {
  ep_site *site;    /* [n] in: start (all zero: the prior); out: fixed point */
  site_view *view;  /* [n] cavity, tilted, projected site at the end */
  double *residual; /* [n] max(|dtau| A, |dnu| sqrt(A)), Inf if improper */
  double *trace;    /* [n_trace x N_TRACE], row-major, the first 10^4 */
  int sweeps, newton, skipped, n_trace;
} ep_state;

/* Called before each sweep; non-zero means stop (EP_INTERRUPTED). */
typedef int (*ep_monitor)(void *data, int sweep, double residual);

typedef struct {
  double *Cbb, *N, *column, *gamma, *beta; /* block scratch */
  double *tau, *nu;                        /* [n] */
  ep_site *old, *best, *step;              /* [n] */
  int *active;                             /* [n] */
  fixpoint_work fix;
} ep_work;

/* state and work share one carve: n sites, opt->max_sweeps trace rows. */
void ep_carve(
    ep_state *st, ep_work *work, int n, const ep_options *opt, workspace *ws);

/* Runs EP from st->site to convergence. post is left refreshed at st->site
 * unless the status says otherwise. Returns an ep_status. */
int ep_run(latent *post,
           const lik_step *lik,
           const double *y,
           const ep_options *opt,
           ep_state *st,
           ep_work *work,
           ep_monitor monitor,
           void *monitor_data);

#endif
