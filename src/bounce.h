/* What: trajectories on ellipses that bounce where labels change side: they
 *       leave N(0, K) x step likelihood invariant without rejection. */
#ifndef STURDY_BOUNCE_H
#define STURDY_BOUNCE_H

#include "walls.h"
#include "workspace.h"

/* exp(-barrier[k] x wrong labels of sort k), k = 0: y = -1, k = 1: y = +1 */
typedef struct {
  double of[2];
} step_barrier;

typedef struct {
  int n;
  const double *K; /* [n x n], both triangles, diagonal above 0 */
  const double *y; /* [n] +-1 */
  double *g, *v;   /* [n] value and velocity times the side they are on */
  double *side;    /* [n] +-1, sign of the value */
  double *g_old, *v_old, *side_old; /* [n] */
  double wrong[2];                  /* labels on the wrong side, by label */
  double walls;                     /* met so far */
  double stuck;                     /* trajectories given up so far */
} bounce;

void bounce_carve(bounce *b, int n, workspace *ws);

/* Takes the state f[n] with the velocity nu[n] ~ N(0, K). */
void bounce_enter(bounce *b, const double *f, const double *nu);

/* Moves on by `angle` <= pi/2. A trajectory that meets more than `limit` walls
 * turns back to where it came from instead. n a wall. */
void bounce_on(bounce *b, double angle, const step_barrier *barrier, int limit);

/* Writes the state back. */
void bounce_leave(const bounce *b, double *f);

/* A level is the two barriers. */
extern const wall_ops bounce_ops;

#endif
