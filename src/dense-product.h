/* What: our own products of dense matrices, for where R's BLAS is slow: packed,
 *       in vector registers, on several threads. */
#ifndef STURDY_DENSE_PRODUCT_H
#define STURDY_DENSE_PRODUCT_H

#include "dense-tile.h"

/* Multiplications below which threads are not called: half a millisecond, so
 * that little is lost where another process has their processors, and a thread
 * waits for one that does not run. */
#ifndef THREAD_LEAST
#define THREAD_LEAST 2e7
#endif

/* What does the dense algebra of more than n^2 flops. */
typedef struct {
  const dense_variant *own; /* NULL: R's BLAS does it */
  int threads;              /* at least 1, of our own kernels */
  double *pack;             /* [dense_pack_size(threads)] */
} dense_engine;

/* Doubles for the panels that `threads` of any variant share and own. */
size_t dense_pack_size(int threads);

/* The engine of this process. Whoever links the core supplies it; it is asked
 * anew by each operation, and does not change while one is running. */
const dense_engine *core_dense(void);

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

/* C[m x n] += alpha A diag(w) B, k the inner length, w[k] or NULL for ones; one
 * of C's steps must be 1 or -1. C overlaps neither A nor B. The same bits for
 * any number of threads. */
void dense_product(const dense_engine *e,
                   int m,
                   int n,
                   int k,
                   double alpha,
                   const double *w,
                   dense_view A,
                   dense_view B,
                   dense_view C);

/* C[n x m] += A B for A[n x n] symmetric, its lower triangle read. */
void dense_symmetric(const dense_engine *e,
                     int n,
                     int m,
                     const double *A,
                     int lda,
                     dense_view B,
                     double *C,
                     int ldc);

/* out[n] = A x, the lower triangle of A[n x n] read; out must not overlap x. */
void dense_symmetric_times(const dense_engine *e,
                           int n,
                           const double *A,
                           const double *x,
                           double *out);

/* The lower triangle of C[n x n], whose rows have step 1: += alpha A diag(w) A'
 * for A[n x k]. */
void dense_update(const dense_engine *e,
                  int n,
                  int k,
                  double alpha,
                  const double *w,
                  dense_view A,
                  double *C,
                  int ldc);

#endif
