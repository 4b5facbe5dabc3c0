/* What: our own products of dense matrices: packed, in vector registers, on
 *       several threads. */
#ifndef STURDY_DENSE_PRODUCT_H
#define STURDY_DENSE_PRODUCT_H

#include "dense-ops.h"

/* Multiplications below which threads are not called: some milliseconds, for as
 * long those of OpenMP may spin when they wait. With 2e7 a fit of 300 rows took
 * twice its time on a busy machine. */
#ifndef THREAD_LEAST
#define THREAD_LEAST 1e8
#endif

/* Doubles for the panels that `threads` of any variant share and own. */
size_t dense_pack_size(int threads);

/* Panels begin with a line of the cache: memory for them has so many bytes, and
 * doubles, more. */
enum { DENSE_LINE = 64 };
double *dense_aligned(void *memory);

dense_product_op dense_product;
dense_symmetric_op dense_symmetric;
dense_symmetric_times_op dense_symmetric_times;
dense_update_op dense_update;
dense_lower_op dense_lower;
dense_dot_op dense_inner;
dense_times_op dense_times;

#endif
