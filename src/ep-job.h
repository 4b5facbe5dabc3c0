/* What: a fit of EP as a job: from what is asked to all that is told of it. */
#ifndef STURDY_EP_JOB_H
#define STURDY_EP_JOB_H

#include "adjoint.h"
#include "ep.h"
#include "second-order.h"

/* What is asked. */
typedef struct {
  latent *post; /* made, and of this job alone */
  lik_step lik;
  ep_options opt;
  const double *tau, *nu; /* [n] sites to start from */
  int criterion;          /* a criterion_type, or -1 for none */
  int gradient;           /* whether its gradient is wanted */
  int second; /* whether the evidence's second order is, at df = Inf */
  void *monitor_data;
} ep_job;

/* What comes of it. A negative status: nothing else is set. NaN is in the place
 * of what a row with an improper cavity has not, and of an undefined
 * criterion. */
typedef struct {
  int status, sweeps, newton, skipped, n_trace;
  int gradient_status; /* EP_CONVERGED: gradient and slope are set */
  double log_det, log_evidence, log_evidence_zp, value;
  double second;      /* what it adds to log_evidence, 0 where not wanted */
  double *m, *C_diag; /* [n] the posterior along the sites */
  double *tau, *nu, *mean, *var; /* [n] sites and cavities */
  double *residual, *loo;        /* [n] log probability of the reports */
  double *seen;                  /* [n x classes] that of the true classes */
  double *b;                     /* [n_location], see latent.h */
  double *extra; /* [n_location x n_location] full covariance, or NULL */
  double *trace; /* [ep_trace_rows() x N_TRACE], by rows */
  double *gradient,
      *slope;        /* [n_prior], [n x classes]; NULL where not wanted */
  double *by_cut;    /* [classes - 1] with thresholds */
  double *by_offset; /* [n] derivatives in the offsets, where there are any */
} ep_told;

/* Doubles of memory that a job takes. */
size_t ep_job_size(const ep_job *job);

/* Runs it in memory[ep_job_size()]. Jobs share nothing: any number of them may
 * run at once, each on one thread, where core_dense() and core_poll() can do
 * with that; results are the same to the last bit. */
void ep_job_run(const ep_job *job, ep_told *told, double *memory,
                ep_monitor monitor);

#endif
