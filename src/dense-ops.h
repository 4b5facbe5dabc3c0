/* What: the dense operations, as a table: one over R's
 *       BLAS and LAPACK (dense-blas.c), one over our own kernels, for where
 *       BLAS is slow (dense-product.h, dense-solve.h). */
#ifndef STURDY_DENSE_OPS_H
#define STURDY_DENSE_OPS_H

#include "dense-tile.h"

/* A matrix whose element (i, j) is at[i row + j col]; steps may be negative. */
typedef struct {
  const double *at;
  ptrdiff_t row, col;
} dense_view;

/* The columns of an array with leading dimension ld, or with trans its rows. */
dense_view dense_of(const double *at, int ld, int trans);
/* The part from element (i, j) on; the transposed; the last of n rows and m
 * columns first. */
dense_view dense_from(dense_view A, ptrdiff_t i, ptrdiff_t j);
dense_view dense_turned(dense_view A);
dense_view dense_reversed(dense_view A, ptrdiff_t n, ptrdiff_t m);

/* What is written to: a view of an array, moved as others are. */
typedef struct {
  double *array;
  dense_view view;
} dense_target;
dense_target dense_into(double *array, int ld, int trans);
/* Where element (i, j) is. */
double *dense_place(dense_target X, ptrdiff_t i, ptrdiff_t j);

/* What does dense algebra. */
typedef struct {
  const dense_variant *own; /* NULL: R's BLAS does it */
  int threads;              /* at least 1, of our own kernels */
  double *pack;             /* [dense_pack_size(threads)] */
} dense_engine;

/* The engine of this process. Whoever links the core supplies it; it is asked
 * anew by each operation, and does not change while one is running. */
const dense_engine *core_dense(void);

/* C[m x n] += alpha A diag(w) B, k the inner length, w[k] or NULL for ones (BLAS
 * has no other); one of C's steps must be 1 or -1. C overlaps neither A nor B.
 * The same bits for any number of threads. */
typedef void dense_product_op(const dense_engine *e, int m, int n, int k,
                              double alpha, const double *w, dense_view A,
                              dense_view B, dense_target C);

/* C[n x m] += A B for A[n x n] symmetric, its lower triangle read. */
typedef void dense_symmetric_op(const dense_engine *e, int n, int m,
                                const double *A, int lda, dense_view B,
                                double *C, int ldc);

/* out[n] = A x, the lower triangle of A[n x n] read; out must not overlap x. */
typedef void dense_symmetric_times_op(const dense_engine *e, int n,
                                      const double *A, const double *x,
                                      double *out);

/* The lower triangle of C[n x n], whose rows have step 1: += alpha A diag(w) A'
 * for A[n x k]. scratch[n x k] where w is not NULL; our own kernels need none. */
typedef void dense_update_op(const dense_engine *e, int n, int k, double alpha,
                             const double *w, dense_view A, double *C, int ldc,
                             double *scratch);

/* X[n x cols] <- T^{-1} X, T[n x n] lower: the elements above its diagonal are
 * not read, nor is the diagonal where unit. An upper triangle is a lower one
 * reversed; a solve from the right is one of transposes. One of X's steps must
 * be 1 or -1. */
typedef void dense_solve_op(const dense_engine *e, int n, int cols,
                            dense_view T, int unit, dense_target X);

/* A[n x n] (lower) <- L, A = L L'; 0, or another value where a pivot is not above
 * 0, A then undefined. */
typedef int dense_cholesky_op(const dense_engine *e, int n, double *A, int lda);

/* L[n x n] (lower) <- L^{-1}, or W <- W' W */
typedef void dense_invert_op(const dense_engine *e, int n, double *L, int ldl);

/* C[n x m] <- T B for T[n x n] lower, zeros above its diagonal. */
typedef void dense_lower_op(const dense_engine *e, int n, int m,
                            const double *T, const double *B, double *C);

/* x' y */
typedef double dense_dot_op(const dense_engine *e, int n, const double *x,
                            const double *y);

/* out[m] += A x for A[m x n]. */
typedef void dense_times_op(const dense_engine *e, int m, int n,
                            const double *A, const double *x, double *out);

typedef struct {
  dense_product_op *product;
  dense_symmetric_op *symmetric;
  dense_symmetric_times_op *symmetric_times;
  dense_update_op *update;
  dense_solve_op *solve;
  dense_cholesky_op *cholesky;
  dense_invert_op *invert, *square;
  dense_lower_op *lower;
  dense_dot_op *dot;
  dense_times_op *times;
} dense_ops;

extern const dense_ops dense_own, dense_blas;

#endif
