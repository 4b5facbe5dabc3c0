/* What: EP fits in any latent space, as lists for R. */
#ifndef STURDY_GLUE_FIT_H
#define STURDY_GLUE_FIT_H

#include "ep-job.h"
#include "glue.h"

/* Fits the latents post[], one for each of runs_, a list of what native_run() of
 * R/native.R returns; has_covariance: they predict from one (latent.h). A list
 * of results, each that of native_gp_fit(). */
SEXP glue_fits(latent *post, int has_covariance, SEXP runs_);

/* The options of a fit, from what native_run() has made of control. */
ep_options glue_options(SEXP run_);

/* The rows of a trace, to the element `trace`. */
void set_trace(SEXP list_, const double *trace, int rows);

#endif
