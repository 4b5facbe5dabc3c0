/* What: the exact posterior by simulation: annealed importance sampling (AIS)
 *       and Markov chains with elliptical moves, for step likelihoods.
 *
 * The latent is f = B z, z ~ N(0, I_r), with K = B B'. A t prior divides f by
 * an independent random scale, which a likelihood that sees signs only leaves
 * alone: the same chains serve every df [MATH.md section 4]. */
#ifndef STURDY_AIS_H
#define STURDY_AIS_H

#include "status.h"
#include "workspace.h"

/* Source of random numbers: the core has none of its own. */
typedef struct {
  double (*normal)(void *);
  double (*uniform)(void *);
  void *data;
} random_source;

typedef struct {
  int n, r, chains;
  const double *B; /* [n x r] */
  const double *y; /* [n] +-1 */
  double *F;       /* [n x chains] latent values */
  double *Z;       /* [r x chains] their coordinates */
  double *log_w;   /* [chains] log weights, level 0 has log(1/2) a label */
  double *Nu, *Xi; /* [n x chains], [r x chains] scratch */
  double *turn;    /* scratch: 2 n places where labels change side */
  double *piece;   /* scratch: the 2 n + 1 pieces between them */
  int *is_wrong;   /* [n] scratch */
} ais_space;

void ais_carve(ais_space *s, int n, int r, int chains, workspace *ws);

/* Draws the start of all chains from the prior; log_w = -n log 2. */
void ais_start(ais_space *s, const random_source *rng);

/* For each of the levels epsilon[2 x levels] (flip rates neg, pos) in turn:
 * weights every chain by the change of likelihood, then moves it once (and,
 * when `lines`, along every coordinate) leaving prior x likelihood of that
 * level invariant. check(data, level) is called once a level; non-zero stops
 * (EP_INTERRUPTED). Cost a level and chain: n r for the ellipse, n r log n for
 * the lines. A chain whose weight has become zero stays at -Inf. */
int ais_anneal(ais_space *s, const double *epsilon, int levels, int lines,
               const random_source *rng, int (*check)(void *, int),
               void *check_data);

/* `moves` further moves of every chain at one level; weights untouched. */
int ais_move(ais_space *s, const double epsilon[2], int moves, int lines,
             const random_source *rng, int (*check)(void *, int),
             void *check_data);

#endif
