/* What: what the glue of all EP fits shares. */
#ifndef STURDY_GLUE_FIT_H
#define STURDY_GLUE_FIT_H

#include "adjoint.h"
#include "ep.h"
#include "glue.h"

typedef struct {
  latent post;
  ep_state st;
  ep_work work;
  adjoint_work adj;
  lik_step lik;
  ep_options opt;
  const double *y;
  SEXP progress_;
} fit_space;

/* Lays the latent space out; called twice, first to count. */
typedef void (*latent_carve)(fit_space *s, void *self, workspace *ws);

/* Checks types and sets up everything but the latent's operations. d: its
 * dimension, which sets q. */
void glue_fit_setup(fit_space *s, int d, latent_carve carve, void *self,
                    SEXP y_, SEXP df_, SEXP epsilon_, SEXP tau_, SEXP nu_,
                    SEXP control_, SEXP progress_);

int glue_fit_run(fit_space *s);

/* Named list of the fit; location[n_location] is the solution in the latent's
 * own coordinates: b in kernel space, w in weight space. `extra`, `value` and
 * `gradient` are left to the caller. */
enum { FIT_STATUS = 0, FIT_EXTRA = 16, FIT_VALUE = 17, FIT_GRADIENT = 18 };
SEXP glue_fit_result(const fit_space *s, int status, const double *location,
                     int n_location);

double glue_fit_criterion(criterion_type type, const fit_space *s);

#endif
