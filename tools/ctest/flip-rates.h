/* What: labels with flip rates as the likelihoods that the core takes. */
#ifndef STURDY_FLIP_RATES_H
#define STURDY_FLIP_RATES_H

#include "dense.h"
#include "likelihood.h"

/* epsilon[0] = P(recorded + | truly -), epsilon[1] = P(recorded - | truly +);
 * labels y[n] of -1 and +1; row[n] is filled. */
static inline lik_step label_step(double df, double d, int n, const double *y,
                                  const double epsilon[2], step_levels *row) {
  double *L = dense_new(2 * (size_t)n);
  for (int i = 0; i < n; i++) {
    L[i] = y[i] > 0 ? epsilon[0] : 1 - epsilon[0];
    L[n + i] = y[i] > 0 ? 1 - epsilon[1] : epsilon[1];
  }
  const lik_step lik = likelihood_step(df, d, n, L, row);
  free(L);
  return lik;
}

/* One label +1, the same rate for both classes */
static inline lik_step one_label(double df, double d, double epsilon,
                                 step_levels *row) {
  const double y = 1, both[2] = {epsilon, epsilon};
  return label_step(df, d, 1, &y, both, row);
}

#endif
