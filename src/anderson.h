/* What: Anderson acceleration of a fixed-point iteration x <- x + f(x). Those
 *       who hold x and f in pieces add up H and g with anderson_add() and solve
 *       for gamma; `anderson` does it for a vector that is all here. */
#ifndef STURDY_ANDERSON_H
#define STURDY_ANDERSON_H

#include "workspace.h"

/* Differences that are remembered: 3 and 10 each missed a fixed point that 5
 * finds, in 13 cold starts on tables of 1,000 to 52,000 rows. */
#define ANDERSON_MEMORY 5

/* A coordinate's part of the normal equations of c differences:
 *   H[c x c] (lower) += w2 d d',   g[c] += w2 d f,
 * w2 its weight squared, d[c] the differences of its f. */
void anderson_add(int c, double w2, const double *d, double f, double *H,
                  double *g);

/* g <- gamma[c], for which f - dF gamma is nearest to 0, 0 for a difference of
 * nothing; spoils H. Returns 0, g spoilt, when there is no solution or every
 * difference is nothing. */
int anderson_solve(double *H, double *g, int c);

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

/* Takes x[n], where f[n] is known: H and g are those of the differences held,
 * in the norm sum (weight f)^2. */
void anderson_take(anderson *a, const double *weight, const double *x,
                   const double *f);

/* step[n] <- f - sum_j gamma_j (dx_j + df_j) over the differences held, with
 * the f taken last. */
void anderson_step(const anderson *a, const double *gamma, double *step);

#endif
