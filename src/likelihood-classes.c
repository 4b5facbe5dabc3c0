/* What: tilted moments of the argmax likelihood with a weight a class.
 * Method: with w0 the least weight the tilted density is the mixture   [M 12.4]
 *     [w0 N + sum_c (weight_c - w0) P_c T_c] / Z,   T_c = N given argmax = c,
 *   all of whose weights are positive, so that nothing cancels:       [M 12.5]
 *     shift = sum w_c shift_c,
 *     ratio = w_0 + sum w_c ratio_c + B,  loss = sum w_c loss_c - B,
 *     B = [sum w_c (shift_c - shift)^2 + w_0 shift^2] / sd^2. */
#include "likelihood-classes.h"
#include "argmax-grid.h"
#include "numeric.h"

static double least_of(int C, const double *weight) {
  double least = weight[0];
  for (int k = 1; k < C; k++) least = fmin(least, weight[k]);
  return least;
}

/* over[C]: the weights less the least of them. Returns how many are not 0. */
static int weights_over(int C, const double *weight, double *over) {
  const double least = least_of(C, weight);
  int count = 0;
  for (int k = 0; k < C; k++) {
    over[k] = weight[k] - least;
    count += over[k] > 0;
  }
  return count;
}

/* log(exp(a) + exp(b)) */
static double log_add(double a, double b) {
  if (a == -INFINITY) return b;
  if (b == -INFINITY) return a;
  return fmax(a, b) + log1p(exp(-fabs(a - b)));
}

/* What is left of the moments when they are weighted by share[c] */
static void mix(int C, const double *sd, double rest, const double *share,
                const argmax_moments *given, tilted_classes *t) {
  for (int k = 0; k < C; k++) {
    double shift = 0, ratio = rest, loss = 0;
    for (int c = 0; c < C; c++) {
      if (share[c] == 0) continue;
      shift += share[c] * given[c].shift[k];
      ratio += share[c] * given[c].ratio[k];
      loss += share[c] * given[c].loss[k];
    }
    double between = rest * shift * shift;
    for (int c = 0; c < C; c++) {
      const double away = share[c] == 0 ? 0 : given[c].shift[k] - shift;
      between += share[c] * away * away;
    }
    between /= sd[k] * sd[k];
    t->shift[k] = shift;
    t->ratio[k] = ratio + between;
    t->loss[k] = fabs(1 - t->ratio[k]) > ARGMAX_LOSS_OWN ? 1 - t->ratio[k]
                                                         : loss - between;
  }
}

/* The parts of the mixture: share[C] of the classes, those of the least weight
 * without one, and *rest of N; given[c] and, where cross is not NULL,
 * cross[C x C] one after the other, of classes with a share. Returns log_z, NaN
 * where not all of them is known. */
static double take_apart(int C, const double *weight, const double *mean,
                         const double *sd, int lean, double *share,
                         double *rest, argmax_moments *given, double *cross) {
  const double least = least_of(C, weight), log_rest = log(least);
  double log_z = log_rest;
  for (int c = 0; c < C; c++) {
    double *its = cross ? cross + IDX(0, c, C * C) : NULL;
    share[c] = -INFINITY;
    if (weight[c] > least)
      share[c] = log(weight[c] - least) +
                 argmax_covariance(C, c, mean, sd, lean, &given[c], its);
    log_z = log_add(log_z, share[c]);
  }
  for (int c = 0; c < C; c++) share[c] = exp(share[c] - log_z);
  *rest = exp(log_rest - log_z);
  return log_z;
}

tilted_classes classes_tilt(int C, const double *weight, const double *mean,
                            const double *sd, int lean) {
  tilted_classes t;
  argmax_moments given[ARGMAX_MOST], all;
  double share[ARGMAX_MOST], rest;
  if (weights_over(C, weight, share) > 1 &&
      argmax_mixture(C, least_of(C, weight), share, mean, sd, lean, &t.log_z,
                     &all, NULL)) {
    memcpy(t.shift, all.shift, sizeof t.shift);
    memcpy(t.ratio, all.ratio, sizeof t.ratio);
    memcpy(t.loss, all.loss, sizeof t.loss);
    return t;
  }
  t.log_z = take_apart(C, weight, mean, sd, lean, share, &rest, given, NULL);
  if (isnan(t.log_z)) {
    for (int k = 0; k < C; k++) t.shift[k] = t.ratio[k] = t.loss[k] = NAN;
    return t;
  }
  mix(C, sd, rest, share, given, &t);
  return t;
}

void classes_covariance(int C, const double *weight, const double *mean,
                        const double *sd, double *scratch, double *cross) {
  argmax_moments given[ARGMAX_MOST];
  double share[ARGMAX_MOST], rest, shift[ARGMAX_MOST], log_z;
  if (weights_over(C, weight, share) > 1 &&
      argmax_mixture(C, least_of(C, weight), share, mean, sd, 1, &log_z, given,
                     cross))
    return;
  take_apart(C, weight, mean, sd, 1, share, &rest, given, scratch);
  for (int k = 0; k < C; k++) {
    shift[k] = 0;
    for (int c = 0; c < C; c++)
      if (share[c] != 0) shift[k] += share[c] * given[c].shift[k] / sd[k];
  }
  for (int k = 0; k < C; k++)
    for (int m = 0; m < C; m++) {
      double sum = rest * shift[k] * shift[m];
      for (int c = 0; c < C; c++) {
        if (share[c] == 0) continue;
        const double away = given[c].shift[k] / sd[k] - shift[k];
        sum += share[c] * (scratch[IDX(m, k, C) + IDX(0, c, C * C)] +
                           away * (given[c].shift[m] / sd[m] - shift[m]));
      }
      cross[IDX(m, k, C)] = sum;
    }
}

double classes_posterior(int C, const double *weight, const double *mean,
                         const double *sd, int all, double *log_p) {
  const double least = least_of(C, weight);
  double log_z = -INFINITY, left = 1, p[ARGMAX_MOST] = {0};
  int sharing = 0;
  if (all || weights_over(C, weight, p) > 1) {
    if (!argmax_all(C, mean, sd, 0, p)) memset(p, 0, sizeof p);
  } else {
    memset(p, 0, sizeof p);
  }
  for (int c = 0; c < C; c++) {
    if (!all && weight[c] == least) {
      sharing++;
      continue;
    }
    log_p[c] =
        p[c] < GRID_LEAST_P ? argmax_given(C, c, mean, sd, 0, NULL) : log(p[c]);
    left -= exp(log_p[c]);
    log_z = log_add(log_z, log(weight[c]) + log_p[c]);
  }
  if (sharing == 0) return log_z;
  for (int c = 0; c < C; c++)
    if (weight[c] == least) log_p[c] = log(fmax(left, 0) / sharing);
  return log_add(log_z, log(least * fmax(left, 0)));
}
