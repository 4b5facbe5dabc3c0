/* What: log evidence and leave-one-out of a set of sites, with their partial
 *       derivatives. */
#ifndef STURDY_CRITERION_H
#define STURDY_CRITERION_H

#include "fixpoint.h"

typedef enum {
  CRITERION_EVIDENCE,    /* site normaliser Z1 (the papers') */
  CRITERION_EVIDENCE_ZP, /* site normaliser Zp */
  CRITERION_LOO          /* sum of log Zp */
} criterion_type;

/* Value from views as fixpoint_evaluate() left them. EP_NO_EVIDENCE: it is not
 * finite, as that of t-EP where 1 + exp(-D/v) R <= 0; EP_IMPROPER: a cavity is
 * improper. *value is then untouched. */
int criterion_value(criterion_type type, const latent *post, double df,
                    const ep_site *site, const site_view *view, double *value);

/* What the evidence sums over sites, and what those of some rows add to it
 * [M 4.3]. At df = Inf shift is 0, and R the sum of (4.5). Views must be
 * proper. */
typedef struct {
  double R; /* in units of exp(shift) */
  double h;
  double shift;
} criterion_terms;

criterion_terms criterion_sum(criterion_type type, const latent *post,
                              double df, const ep_site *site,
                              const site_view *view);

/* The evidence of the terms of all sites, with D = log|I + K T|: NaN where it
 * is undefined. */
double criterion_evidence(const criterion_terms *t, double log_det, double df);

/* Direct partial derivatives, each with the other arguments held. */
typedef struct {
  double *A, *m, *tau, *nu; /* [n] */
  double D, h;
  double *L;      /* [n x 2]: with respect to lo of the rows, then hi; with
                   * thresholds [n x classes] */
  double *cut;    /* [classes - 1], with thresholds */
  double *offset; /* [n] of the gradient: with respect to those of the rows */
} criterion_partials;

/* EP_CONVERGED, or as criterion_value(); E is then half written. */
int criterion_derivatives(criterion_type type, const latent *post,
                          const lik_step *lik, const ep_site *site,
                          const site_view *view, criterion_partials *E);

#endif
