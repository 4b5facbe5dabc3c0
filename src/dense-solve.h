/* What: triangular solves, Cholesky factors and inverses on top of
 *       dense-product.h. */
#ifndef STURDY_DENSE_SOLVE_H
#define STURDY_DENSE_SOLVE_H

#include "dense-product.h"

/* X[n x cols] <- T^{-1} X, T[n x n] lower: the elements above its diagonal are
 * not read, nor is the diagonal where unit. An upper triangle is a lower one
 * reversed; a solve from the right is one of transposes. One of X's steps must
 * be 1 or -1. */
void dense_solve(const dense_engine *e,
                 int n,
                 int cols,
                 dense_view T,
                 int unit,
                 dense_view X);

/* A[n x n] (lower) <- L, A = L L'; 0, or 1 where a pivot is not above 0, A then
 * undefined. */
int dense_cholesky(const dense_engine *e, int n, double *A, int lda);

/* L[n x n] (lower) <- (L L')^{-1} */
void dense_cholesky_invert(const dense_engine *e, int n, double *L, int ldl);

#endif
