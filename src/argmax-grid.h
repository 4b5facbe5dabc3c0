/* What: all classes of argmax.h at once, on one grid over the largest normal. */
#ifndef STURDY_ARGMAX_GRID_H
#define STURDY_ARGMAX_GRID_H

#include "argmax.h"

/* Probabilities that are less are not to be relied on: argmax_given() has
 * them. */
#define GRID_LEAST_P 1e-15

/* The density [rest N + sum_c over[c] P_c T_c]/Z, T_c = N given argmax = c, with
 * rest and over[C] >= 0 [M 12.4]: log Z, the moments of all normals and, where
 * cross is not NULL, cross[C x C] of argmax_covariance() [M 12.16]. Returns 0,
 * and nothing else, where one grid can't do: a normal is much narrower than
 * others, or next to all is in `rest`. */
int argmax_mixture(int C, double rest, const double *over, const double *mean,
                   const double *sd, int lean, double *log_z,
                   argmax_moments *moments, double *cross);

/* p[C] = P_c; returns 0 likewise. */
int argmax_all(int C, const double *mean, const double *sd, int lean,
               double *p);

#endif
