/* What: what bounces off walls, for simulation (ais.h): states that move on
 *       ellipses and change their velocity where the likelihood changes.
 *
 * A level of the likelihood is two numbers, both 0 where there is none; what
 * they are is said by bounce.h (two classes) and bounce-classes.h (several). */
#ifndef STURDY_WALLS_H
#define STURDY_WALLS_H

typedef struct {
  /* Takes a state with a velocity drawn from its prior. */
  void (*enter)(void *walls, const double *f, const double *nu);
  /* Log weight of the state for the likelihood's way between levels */
  double (*rise)(const void *walls, const double *from, const double *to);
  /* Moves on by `angle` <= pi/2. A trajectory that meets more than `limit`
   * walls turns back to where it came from instead. */
  void (*on)(void *walls, double angle, const double *level, int limit);
  /* Writes the state back. */
  void (*leave)(const void *walls, double *f);
} wall_ops;

#endif
