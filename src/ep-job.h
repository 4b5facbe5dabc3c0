/* What: fits of EP as jobs: from what is asked to all that is told of them, one
 *       after the other or on several threads, each by one. */
#ifndef STURDY_EP_JOB_H
#define STURDY_EP_JOB_H

#include "adjoint.h"
#include "ep.h"

/* What is asked. */
typedef struct {
  latent *post; /* made, and of this job alone */
  lik_step lik;
  ep_options opt;
  const double *tau, *nu; /* [n] sites to start from */
  int criterion;          /* a criterion_type, or -1 for none */
  int gradient;           /* whether its gradient is wanted */
  void *monitor_data;
} ep_job;

/* What comes of it. A negative status: nothing else is set. NaN is in the place
 * of what a row with an improper cavity has not, and of an undefined
 * criterion. */
typedef struct {
  int status, sweeps, newton, skipped, n_trace;
  int gradient_status; /* EP_CONVERGED: gradient and slope are set */
  double log_det, log_evidence, log_evidence_zp, value;
  double *m, *C_diag;            /* [n] the posterior along the sites */
  double *tau, *nu, *mean, *var; /* [n] sites and cavities */
  double *residual, *loo;        /* [n] log probability of the reports */
  double *seen;                  /* [n x 2] that of the true classes */
  double *b;                     /* [n_location], see latent.h */
  double *extra; /* [n_location x n_location] full covariance, or NULL */
  double *trace; /* [ep_trace_rows() x N_TRACE], by rows */
  double *gradient, *slope; /* [n_prior], [n x 2]; NULL where not wanted */
} ep_told;

/* Doubles of memory that a job takes. */
size_t ep_job_size(const ep_job *job);

/* Runs count jobs, none of which takes more than `size` doubles, of which memory
 * holds as many for each thread. Whatever `threads` is, results are the same to
 * the last bit. With more than one the engines of core_dense() must be the
 * threads' own, core_poll() must return, and the monitor may be called by any
 * of them. */
void ep_jobs_run(int count, const ep_job *job, ep_told *told, int threads,
                 size_t size, double *memory, ep_monitor monitor);

#endif
