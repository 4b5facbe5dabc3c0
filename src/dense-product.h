/* What: our own products of dense matrices: packed, in vector registers, on
 *       several threads. */
#ifndef STURDY_DENSE_PRODUCT_H
#define STURDY_DENSE_PRODUCT_H

#include "dense-ops.h"

/* Multiplications below which threads are not called: half a millisecond, so
 * that little is lost where another process has their processors, and a thread
 * waits for one that does not run. */
#ifndef THREAD_LEAST
#define THREAD_LEAST 2e7
#endif

/* Doubles for the panels that `threads` of any variant share and own. */
size_t dense_pack_size(int threads);

dense_product_op dense_product;
dense_symmetric_op dense_symmetric;
dense_symmetric_times_op dense_symmetric_times;
dense_update_op dense_update;

#endif
