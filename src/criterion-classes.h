/* What: evidence of C latent functions, and its gradients. */
#ifndef STURDY_CRITERION_CLASSES_H
#define STURDY_CRITERION_CLASSES_H

#include "fixpoint-classes.h"

/* From cav[n x C] and log_z[n] as classes_evaluate() left them. EP_IMPROPER
 * where a row is, EP_NO_EVIDENCE where the sum is not finite; *value is then
 * untouched. */
int classes_evidence(const classes_model *model, const ep_site *sites,
                     const ep_cavity *cav, const double *log_z, double *value);

/* log_p[n x C]: log P(class c is the largest in row i) under the cavities;
 * `all` as in classes_posterior(). */
void classes_labels(const classes_model *model, const ep_cavity *cav, int all,
                    double *log_p);

/* slope[n x C], with respect to the weights of the rows [M 12.11]; where log_p
 * is not that of all, right in its sum over classes of the least weight. */
void classes_slope(const classes_model *model, const double *log_z,
                   const double *log_p, double *slope);

/* grad[n_prior] of class c, at the sites of the last refresh [M 12.10]; zero[n]
 * holds zeros. The posterior may not be used again before the next refresh. */
void classes_prior_gradient(const classes_model *model, int c,
                            const ep_site *sites, const double *zero,
                            double *grad);

#endif
