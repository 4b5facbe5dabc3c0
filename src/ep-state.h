/* What: what the loops of EP share: options, memory, the trace, the inside of a
 *       block, and the watch over the residuals. */
#ifndef STURDY_EP_STATE_H
#define STURDY_EP_STATE_H

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
  int near;       /* the start is near the end: Newton steps sooner, and where
                   * C is n x n no factorisation after the last of them */
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

/* What a loop of EP looks at after each sweep: whether it still gains, and
 * which sites were the best. */
typedef struct {
  int max_sweeps;
  int patience; /* sweeps that may gain less than 10 % of the residual */
  ep_monitor monitor;
  void *monitor_data;  /* for the monitor, which may be NULL */
  const ep_site *site; /* [count] where they are; */
  ep_site *best;       /* [count] those of the least residual are kept here */
  size_t count;
  double least;  /* the least residual */
  double anchor; /* the last one that had gained so much, */
  int since;     /* at this sweep */
} ep_watch;

/* How far a sweep goes. */
typedef struct {
  double damping;
  int rises;      /* sweeps in a row whose residual is not below the last two */
  double earlier; /* residual before the last sweep: EP may swing to and fro */
  double most;    /* damping that it recovers to; INFINITY: all of it */
  double calm;    /* residual below which a damping that led up lowers `most` */
} ep_pace;

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
void ep_carve(ep_state *st, ep_work *work, int n, const ep_options *opt,
              workspace *ws);

/* Rows that a trace has room for. */
int ep_trace_rows(const ep_options *opt);

/* A row of the trace, while there is room. */
void ep_record(ep_state *st, const ep_options *opt, const latent *post,
               double df, double residual, double damping, int newton);

/* After site l of a block of b has moved by gamma and beta [M 3.7]: the
 * covariance C[b x b] (lower) and mean m[b] of those after it, and row l of N,
 * as apply() of latent.h wants it. column[b] is scratch. */
void ep_pass_on(int b, int l, double gamma, double beta, double *C, double *m,
                double *N, double *column);

/* The residual that rounding alone leaves. */
double ep_rounding(const latent *post);

/* post anew from its sites; tau[n] and nu[n] are scratch. */
int ep_refresh(latent *post, const ep_site *site, double *tau, double *nu);

/* The same after sweeps, whose rounding C may keep. */
int ep_settle(latent *post, const ep_site *site, double *tau, double *nu);

/* After a sweep that led from one residual to another: damping halves, to
 * `least` at most, where a site was skipped or the residual rises again, and
 * recovers where it falls, to less than led up where that was below `calm`. A
 * first rise is let pass: early sweeps often overshoot and come back by
 * themselves. */
void ep_pace_after(ep_pace *p, const ep_options *opt, double least,
                   double before, double after, int skipped);

/* Before the first sweep. */
void ep_watch_begin(ep_watch *w);

/* What EP has gained so far no longer counts: it stalls by what comes now. */
void ep_watch_anew(ep_watch *w);

/* The residual at a sweep: EP_CONVERGED to go on, or why to end,
 * EP_MAX_SWEEPS, EP_STALLED or EP_INTERRUPTED. */
int ep_watch_sweep(ep_watch *w, int sweep, double residual);

#endif
