/* What: expectation propagation, for every latent space and df. */
#ifndef STURDY_EP_H
#define STURDY_EP_H

#include "anderson.h"
#include "fixpoint.h"

typedef struct {
  double tol;     /* on the residual, see ep_state */
  int max_sweeps; /* Newton steps count as sweeps */
  double damping; /* first step length, in (0, 1] */
  int block;      /* sites per BLAS-3 update */
  int parallel;   /* all sites at once first, see ep-parallel.c */
  int lean;       /* no Newton steps, and no adjoint other than the one of the
                   * evidence at df = Inf: their memory is not taken */
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
  double *x, *f, *weight, *jump;           /* [2 n] of parallel EP, or NULL */
  anderson mix;
  fixpoint_work fix; /* unless lean */
} ep_work;

/* state and work share one carve: n sites, opt->max_sweeps trace rows. */
void ep_carve(
    ep_state *st, ep_work *work, int n, const ep_options *opt, workspace *ws);

/* Rows that a trace has room for. */
int ep_trace_rows(const ep_options *opt);

/* A row of the trace, while there is room. */
void ep_record(ep_state *st,
               const ep_options *opt,
               const latent *post,
               double df,
               double residual,
               double damping,
               int newton);

/* After site l of a block of b has moved by gamma and beta [M 3.7]: the
 * covariance C[b x b] (lower) and mean m[b] of those after it, and row l of N,
 * as apply() of latent.h wants it. column[b] is scratch. */
void ep_pass_on(int b,
                int l,
                double gamma,
                double beta,
                double *C,
                double *m,
                double *N,
                double *column);

/* The residual that rounding alone leaves. */
double ep_rounding(const latent *post);

/* post anew from st->site. */
int ep_refresh(latent *post, const ep_state *st, ep_work *work);

/* Parallel EP from st->site: EP_CONVERGED as from ep_run(), or EP_INTERRUPTED,
 * EP_MAX_SWEEPS, EP_STALLED, EP_SITES_SKIPPED, or a negative status where not
 * even the prior has a posterior. Then st->site are the best sites met, to go
 * on from; post is not refreshed at them. */
int ep_parallel(latent *post,
                const lik_step *lik,
                const double *y,
                const ep_options *opt,
                ep_state *st,
                ep_work *work,
                ep_monitor monitor,
                void *monitor_data);

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
