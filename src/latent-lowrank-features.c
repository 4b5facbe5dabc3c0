/* What: the features of low rank, all of them or a panel at a time, and lambda. */
#include "latent-lowrank.h"
#include "matrix.h"
#include <math.h>

int lowrank_columns(const latent_lowrank *lr, int first) {
  const int left = lr->n - first;
  return left < lr->width ? left : lr->width;
}

void lowrank_features(latent_lowrank *lr, int first, int cols, double *phi) {
  const int k = lr->k;
  double *lambda = lr->made_lambda + first;
  if (lr->points) inducing_features(lr->points, first, cols, phi, lambda);
  for (int l = 0; l < cols && !lr->points; l++, phi += k) {
    const double *x = lr->Xt + IDX(0, first + l, k);
    for (int j = 0; j < k; j++) phi[j] = sqrt(lr->s0[j]) * x[j];
    lambda[l] = lr->nugget;
  }
  for (int l = 0; l < cols && lr->times; l++) lambda[l] /= lr->times[first + l];
}

const double *lowrank_panel(latent_lowrank *lr, int first) {
  if (lr->kept) return lr->Phi + IDX(0, first, lr->k);
  if (lr->at != first)
    lowrank_features(lr, first, lowrank_columns(lr, first), lr->made_Phi);
  lr->at = first;
  return lr->Phi;
}
