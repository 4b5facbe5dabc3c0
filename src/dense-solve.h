/* What: triangular solves, Cholesky factors and inverses on top of
 *       dense-product.h. Arguments and results are as dense-ops.h has them,
 *       with our own kernels: e->own is one of the variants, and e->pack has
 *       dense_pack_size(e->threads) doubles. */
#ifndef STURDY_DENSE_SOLVE_H
#define STURDY_DENSE_SOLVE_H

#include "dense-product.h"

dense_solve_op dense_solve;
dense_cholesky_op dense_cholesky;
dense_invert_op dense_invert;
dense_invert_op dense_squared;

#endif
