/* What: entry points called from R. All SEXP code is in glue*.c and init.c. */
#ifndef STURDY_GLUE_H
#define STURDY_GLUE_H

#ifndef R_NO_REMAP
#define R_NO_REMAP
#endif
#ifndef STRICT_R_HEADERS
#define STRICT_R_HEADERS
#endif
#include <R.h>
#include <Rinternals.h>

#include "kernel.h"

/* n doubles that R frees at the end of the .Call */
double *glue_alloc(size_t n);
/* l, theta = (variance, bias, nugget) as the core wants them; 0-based groups */
kernel_ard glue_kernel(SEXP X_, SEXP group_, SEXP l_, SEXP theta_);
void glue_inputs(kernel_inputs *in, int n, int p);

SEXP glue_ep_fit(SEXP K_, SEXP y_, SEXP df_, SEXP epsilon_, SEXP tau_, SEXP nu_,
                 SEXP control_, SEXP progress_);
SEXP glue_gp_fit(SEXP X_, SEXP group_, SEXP l_, SEXP theta_, SEXP y_, SEXP df_,
                 SEXP epsilon_, SEXP tau_, SEXP nu_, SEXP control_,
                 SEXP criterion_, SEXP gradient_, SEXP progress_);
SEXP glue_gp_predict(SEXP X_, SEXP group_, SEXP l_, SEXP theta_, SEXP tau_,
                     SEXP b_, SEXP Xnew_);
SEXP glue_gram(SEXP X_, SEXP Xnew_, SEXP group_, SEXP l_, SEXP theta_);
SEXP glue_tilted(SEXP y_, SEXP mean_, SEXP var_, SEXP df_, SEXP epsilon_,
                 SEXP d_);
SEXP glue_weight_fit(SEXP Xt_, SEXP s0_, SEXP y_, SEXP df_, SEXP epsilon_,
                     SEXP tau_, SEXP nu_, SEXP control_, SEXP criterion_,
                     SEXP gradient_, SEXP progress_);
SEXP glue_adf(SEXP Xt_, SEXP y_, SEXP df_, SEXP epsilon_, SEXP mu_, SEXP S_,
              SEXP log_scale_);
SEXP glue_ais(SEXP K_, SEXP B_, SEXP y_, SEXP barrier_, SEXP chains_,
              SEXP progress_);
SEXP glue_ais_move(SEXP K_, SEXP B_, SEXP y_, SEXP barrier_, SEXP F_,
                   SEXP keep_, SEXP thin_, SEXP progress_);
SEXP glue_status_sentence(SEXP status_);

#endif
