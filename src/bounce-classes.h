/* What: the same as bounce.h for several classes: one latent function each, of
 *       which the largest is the true class, and walls where another one
 *       becomes the largest. */
#ifndef STURDY_BOUNCE_CLASSES_H
#define STURDY_BOUNCE_CLASSES_H

#include "walls.h"
#include "workspace.h"

/* A level (s, cap) has the log likelihoods -min(s x loss, cap). */
typedef struct {
  int n, C;
  int own;            /* whether each class has a kernel of its own */
  const double *K;    /* [n x n], or [n x n x C] of the classes */
  const double *loss; /* [n x C] of the true classes, >= 0, maybe Inf */
  double *f, *v;      /* [n x C] values and velocities */
  double *top;        /* [n] class of the largest value */
  double *f_old, *v_old, *top_old;
  double walls; /* met so far */
  double stuck; /* trajectories given up so far */
} bounce_classes;

void bounce_classes_carve(bounce_classes *b, int n, int C, workspace *ws);

/* n C a wall */
extern const wall_ops bounce_classes_ops;

#endif
