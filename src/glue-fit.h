/* What: an EP fit in any latent space, as a list for R. */
#ifndef STURDY_GLUE_FIT_H
#define STURDY_GLUE_FIT_H

#include "glue.h"
#include "latent.h"

/* Carves, binds and runs the latent space. run_ is native_run() of R/native.R,
 * the result that of native_gp_fit(). */
SEXP glue_fit(latent *post, SEXP run_);

#endif
