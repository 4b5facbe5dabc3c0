/* What: the decisions of parallel EP, from what the rows sum to: where rows
 *       start, how far to go along which direction, when to give up. The rows
 *       may be here (ep-parallel.c) or anywhere (shard.h). */
#ifndef STURDY_PARALLEL_H
#define STURDY_PARALLEL_H

#include "anderson.h"
#include "fixpoint.h"

/* Parallel EP gives up when so many passes gain less than 10 % of the
 * residual. */
#define PARALLEL_PATIENCE 25

/* What a pass sums over its rows, the residual of a row with an improper cavity
 * as 10 and none as more. */
typedef struct {
  double worst;   /* the largest residual */
  double squares; /* sum of their squares */
  int improper;   /* rows with an improper cavity */
} parallel_sums;

void parallel_add(parallel_sums *sums, const site_view *view, double residual);

/* A site from another posterior, or the prior's, (0, 0), where its row would be
 * all but without a posterior. */
ep_site parallel_take(double lambda, ep_site site);

/* Where a row goes from x = (tt, nt): f = G(x) - x. Left alone, a row with an
 * improper cavity may keep all others from converging: half its site is taken
 * away. */
ep_site parallel_move(ep_site x, double lambda, const site_view *view);

/* Steps to be tried in turn, until there is a posterior at the end of one and
 * the size there, the root of the squares' sum, is not above `bound`. The first
 * `along` go along Anderson's direction, f - sum_j gamma_j (dx_j + df_j), those
 * after them along f: all differences are then to be forgotten. */
enum { PARALLEL_STEPS = 16 };

typedef struct {
  double gamma[ANDERSON_MEMORY];
  int along, n;
  double scale[PARALLEL_STEPS];
  double bound;
} parallel_plan;

/* From the normal equations of c differences (anderson.h), which are spoilt,
 * and the least size so far. */
parallel_plan parallel_steps(double *H, double *g, int c, double damping,
                             double least);

#endif
