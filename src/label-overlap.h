/* What: the matrices of a point of the label stage from what it learns, and back. */
#ifndef STURDY_LABEL_OVERLAP_H
#define STURDY_LABEL_OVERLAP_H

#include <stddef.h>

/* Pairs of C classes that may look alike; classes from 0 */
typedef struct {
  int C, pairs;
  const int *one, *other; /* [pairs] */
} label_pairs;

/* Doubles of scratch that these functions need */
size_t overlap_work_size(int C);

/* U[C x C] of a share u of unusual rows and of how much pairs look alike,
 * s[pairs] >= 0; V[C x C] and values[C] get the axes of their Laplacian. 0, or
 * not where these are not found. */
int overlap_matrix(const label_pairs *at, double u, const double *s, double *U,
                   double *V, double *values, double *work);

/* From the slopes G[C x C] in U those in u and in the logs of s[pairs] */
void overlap_back(const label_pairs *at, double u, const double *s,
                  const double *V, const double *values, const double *G,
                  double *by_u, double *by_log_s, double *work);

/* M[C x C], the inverse of A[C x C], which is overwritten: NaN where it has
 * none that can be told from rounding. pivot[C]. */
void noise_inverse(int C, double *A, double *M, int *pivot, double *work);

/* The slopes in A[C x C] from those, G, in its inverse M */
void noise_inverse_back(int C, const double *M, const double *G, double *by,
                        double *work);

#endif
