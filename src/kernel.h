/* What: a smooth kernel with bias, nugget and a linear part, and its gradient.
 *   k(x, x') = variance shape(sum_k weight_k l_{g(k)} (x_k - x'_k)^2) + bias
 *              + nugget 1(same observation) + linear sum_k weight_k x_k x'_k
 *                                [M 6.1, 6.7, 6.9] [FSS17 44; KG08 11-12]
 * shape(r2) = exp(-r2) unless another is asked for (kernel-shape.h).
 * Columns are features after expansion: a factor enters as all its 0/1 level
 * indicators with weight 1/2, so that its columns add up to the 0/1 mismatch
 * [M 6.3]. group[k] says which l a column uses: ARD, isotropic and factors are
 * one. */
#ifndef STURDY_KERNEL_H
#define STURDY_KERNEL_H

#include "kernel-shape.h"
#include "workspace.h"

typedef struct {
  int p, groups;
  const int *group;     /* [p], 0-based */
  const double *weight; /* [p], > 0: of a column's squared difference */
  const double *l;      /* [groups], >= 0 */
  double variance, bias, nugget, linear;
  kernel_shape shape;
  double alpha;        /* of a rational quadratic */
  const double *times; /* [n] over which each row's nugget is divided, of the
                        * rows of kernel_gram(), or NULL */
} kernel_ard;

#define KERNEL_OTHERS 4 /* hyperparameters besides l */

typedef struct {
  int n;          /* those of the last kernel_prepare(), at first all carved */
  double *X;      /* [n x p] centred, column k times sqrt(weight l) */
  double *centre; /* [p] */
  double *sq;     /* [n] squared row lengths of X */
  double *length; /* [n] of rows as they came, where X has unit ones */
  double *line;   /* [n x p] column k as it came times sqrt(weight linear) */
} kernel_inputs;

void kernel_carve(kernel_inputs *in, int n, int p, workspace *ws);

/* Centres X[n x p] by its own column means (or by those of `like`, when not
 * NULL) and scales by sqrt(weight l). The linear part has its origin at 0. Rows
 * of unit length are not centred; one of zeros stays. */
void kernel_prepare(kernel_inputs *in, const kernel_ard *k, const double *X,
                    int n, const kernel_inputs *like);

/* K[n x n] with the nugget: its lower triangle (above it is not touched), or all
 * of it. */
void kernel_gram_lower(const kernel_ard *k, const kernel_inputs *in, double *K);
void kernel_gram(const kernel_ard *k, const kernel_inputs *in, double *K);

/* The variance of each row before it is seen, with the nugget, into v[n]. */
void kernel_variances(const kernel_ard *k, const kernel_inputs *in, double *v);

/* G[n x m] between two sets, without the nugget: b prepared with the same k,
 * `like` a. */
void kernel_cross(const kernel_ard *k, const kernel_inputs *a,
                  const kernel_inputs *b, double *G);

/* G[n x cols], what the smooth part loses with the squared distance, between the
 * rows of a and those first, .., first + cols - 1 of b [M 6.10]. */
void kernel_slopes(const kernel_ard *k, const kernel_inputs *a,
                   const kernel_inputs *b, int first, int cols, double *G);

/* Where a centred and scaled coordinate x has x^2 beyond this (clusters or
 * outliers some 1000 lengthscales apart) a column is contracted by its
 * differences: the product form is off by 4e-14 x^2, measured on two clusters
 * with random weights, so by 4e-8 here, the accuracy that the search for
 * hyperparameters still notices. */
#define KERNEL_WIDE 1e6

typedef struct {
  double variance, bias, nugget, linear; /* with respect to the logs */
  double *l;                             /* [groups], with respect to log l */
} kernel_grad;

/* Contracts dE/dK, lower triangle of W[n x n] (destroyed), with the lower
 * triangle of K as kernel_gram() left it; grad->l has room. Cost n^2 p, one
 * product; two more with a linear part, and one where slopes are not values. */
#define KERNEL_SCRATCH(n, p) ((size_t)(n) * (2 * (size_t)(p) + 2))
void kernel_contract(const kernel_ard *k, const kernel_inputs *in,
                     const double *K, double *W, double *scratch,
                     kernel_grad *grad);

#endif
