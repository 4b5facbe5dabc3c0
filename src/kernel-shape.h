/* What: how a smooth kernel falls with distance, a row a shape.
 *   value = v(s) exp(-s),  slope = -d value / d r2 = u(s) exp(-s),  s = s(r2),
 *   r2 = sum_j d_j / (2 lengthscale_j^2)                            [M 6.9]
 * A new shape is a row of the table in kernel-shape.c. */
#ifndef STURDY_KERNEL_SHAPE_H
#define STURDY_KERNEL_SHAPE_H

typedef enum {
  SHAPE_SQUARED,  /* exp(-r2) */
  SHAPE_MATERN5,  /* smoothness 5/2 */
  SHAPE_MATERN3,  /* smoothness 3/2 */
  SHAPE_RATIONAL, /* (1 + r2/alpha)^-alpha */
  SHAPE_COSINE,   /* exp(-r2) of rows of unit length */
  N_SHAPES
} kernel_shape;

/* G[n], squared distances r2, becomes scale value + shift, or with `slope` scale
 * slope + shift. */
void shape_apply(kernel_shape shape, double alpha, int slope, int n,
                 double scale, double shift, double *G);

/* Whether slopes are values, and whether rows are taken at unit length. */
int shape_is_own_slope(kernel_shape shape);
int shape_is_unit(kernel_shape shape);

#endif
