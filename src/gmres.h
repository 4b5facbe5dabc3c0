/* What: GMRES for a linear system known only through its products. */
#ifndef STURDY_GMRES_H
#define STURDY_GMRES_H

#include "workspace.h"

/* out[n] = operator applied to x[n] */
typedef void (*linear_map)(void *context, const double *x, double *out);

typedef struct {
  int n, max_basis;
  double *basis; /* [n x (max_basis + 1)] */
  double *H;     /* [(max_basis + 1) x max_basis] */
  double *rot;   /* [2 x max_basis] Givens cosines and sines */
  double *g;     /* [max_basis + 1] */
  double *resid; /* [n] */
  double *last;  /* [n] x before the latest correction */
} gmres_space;

void gmres_carve(gmres_space *s, int n, workspace *ws);

/* Solves map(x) = b from x = 0, restarted, until ||b - map(x)|| <= tol ||b|| but
 * for rounding. x[n] and b[n] must not overlap. Returns the number of products
 * spent, those of restarts apart, or -1 where max_products did not suffice, the
 * map is singular or a product not finite (x then holds the best found). */
int gmres_solve(gmres_space *s, linear_map map, void *context, const double *b,
                double tol, int max_products, double *x);

#endif
