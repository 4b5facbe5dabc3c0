/* What: the exact posterior by simulation: annealed importance sampling (AIS)
 *       and Markov chains on ellipses, for step likelihoods.
 *
 * The latent is f = B z, z ~ N(0, I_r), with K = B B'. A t prior divides f by
 * an independent random scale, which a likelihood that sees signs only leaves
 * alone: the same chains serve every df [M 4.6].
 *
 * What bounces (walls.h) knows the likelihood: of two classes, that of label y
 * on the wrong side relative to the right one is exp(-barrier), with
 * barrier[0], y = -1, log((1 - neg) / pos), and barrier[1], y = +1,
 * log((1 - pos) / neg), of the flip rates (neg, pos) [M A.1]. 0 is a rate of
 * 1/2, Inf a rate of 0. Of several classes there is a function for each, and the
 * levels are those of bounce-classes.h. */
#ifndef STURDY_AIS_H
#define STURDY_AIS_H

#include "status.h"
#include "walls.h"
#include "workspace.h"

/* Source of random numbers: the core has none of its own. */
typedef struct {
  double (*normal)(void *);
  void *data;
} random_source;

/* check(data, done) before every move of all chains; non-zero stops. */
typedef struct {
  int (*check)(void *, int);
  void *data;
} ais_monitor;

typedef struct {
  int n, r, functions, chains;
  int own;         /* whether each function has a kernel of its own */
  const double *B; /* [n x r], or [n x r x functions] */
  double *F;       /* [n x functions x chains] latent values */
  double *log_w;   /* [chains] */
  double *Nu, *Xi; /* as F, [r x chains] scratch */
  const wall_ops *ops;
  void *walls; /* what the ops are of */
} ais_space;

/* own, B, ops and walls are the caller's to set. */
void ais_carve(ais_space *s, int n, int r, int functions, int chains,
               workspace *ws);

/* Draws all chains from the prior, with log weight 0. */
void ais_start(ais_space *s, const random_source *rng);

/* Raises the likelihood through barrier[2 x levels]: at each level weights
 * every chain and moves it. E[w] is the mean, under the prior, of its last
 * level: of two classes E[exp(-sum of barriers of wrong labels)].
 * trace[levels x chains] takes the log weights after each level. A weight that
 * has become zero stays -Inf. Returns EP_INTERRUPTED when the monitor stops it.
 * A level and chain costs n r for a draw of the prior and n for every wall met,
 * of which there are about n / 2. */
int ais_anneal(ais_space *s, const double *barrier, int levels,
               const random_source *rng, const ais_monitor *monitor,
               double *trace);

/* `moves` moves of every chain at one level; weights untouched. */
int ais_move(ais_space *s, const double *level, int moves,
             const random_source *rng, const ais_monitor *monitor);

#endif
