/* What: Anderson acceleration of a fixed-point iteration x <- x + f(x). */
#ifndef STURDY_ANDERSON_H
#define STURDY_ANDERSON_H

#include "workspace.h"

/* Differences that are remembered: 3 and 10 each missed a fixed point that 5
 * finds, in 13 cold starts on tables of 1,000 to 52,000 rows. */
#define ANDERSON_MEMORY 5

typedef struct {
  int n;
  int count, next; /* differences held; place of the next one */
  int started;     /* x and f are those of an earlier step */
  double *x, *f;   /* [n] */
  double *dx, *df; /* [ANDERSON_MEMORY x n] differences of x and f */
  double *H, *g;   /* [ANDERSON_MEMORY^2], [ANDERSON_MEMORY] */
} anderson;

void anderson_carve(anderson *a, int n, workspace *ws);

/* Forgets all. */
void anderson_restart(anderson *a);

/* step[n] from x[n], where f[n] is known: that which would take f, linear
 * through what is remembered, nearest to 0 in the norm sum (weight f)^2. */
void anderson_step(anderson *a,
                   const double *weight,
                   const double *x,
                   const double *f,
                   double *step);

#endif
