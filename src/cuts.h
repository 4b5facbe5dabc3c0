/* What: the likelihood of classes in an order, at df = Inf. Functions cuts_*()
 *       are likelihood_*() there. */
#ifndef STURDY_CUTS_H
#define STURDY_CUTS_H

#include "tilted.h"

/* Rows of classes in an order: L[n x classes], each at least 0
 * and not all of a row 0; cut[classes - 1] rising. */
lik_step cuts_make(int n, int classes, const double *L, const double *cut);

tilted cuts_tilt(const lik_step *lik, int i, double mean, double var);
tilted_grad cuts_grad(const tilted *t);
tilted_shape cuts_shape(const tilted *t);
void cuts_truth(const lik_step *lik, const tilted *t, double *log_p);

/* With thresholds: derivatives of log Z of row i in its levels, by_L[classes],
 * and `times` those in the thresholds, added to by_cut[classes - 1]. */
void cuts_partials(const lik_step *lik, int i, const tilted *t, double times,
                   double *by_L, double *by_cut);

#endif
