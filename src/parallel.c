/* What: the decisions of parallel EP.
 * Method: a step along Anderson's direction is halved until it helps; when no
 *   long one does, one along f itself is tried, down to a short one. Plain
 *   damping is no safeguard: undamped, parallel EP cycles without growing.
 * References: WN11. */
#include "parallel.h"
#include "numeric.h"

/* What the residual of a row with an improper cavity counts as */
#define IMPROPER_SIZE 10
/* The residuals, root mean square, may be so many times the least so far. (The
 * largest residual is that of one row in 50,000.) Cold starts (tools/bench,
 * passes.R) take 17 % more passes when only a single step is bounded so, as
 * long with 1.2 to 3. */
#define GROWTH 2
/* Shorter than this share of a step none is tried: along Anderson's direction,
 * which is then forgotten (of the same starts, 1e-3 takes 40 % more passes;
 * 0.05 to 0.4 differ by 18 %), and along f. */
#define SHORTEST_ANDERSON 0.2
#define SHORTEST 1e-3
/* A site is taken over only where 1 + lambda tau is above this */
#define LEAST_LEFT 0.05

void parallel_add(parallel_sums *sums, const site_view *view, double residual) {
  const double r = fmin(residual, IMPROPER_SIZE);
  sums->worst = fmax(sums->worst, r);
  sums->squares += r * r;
  sums->improper += !view->proper;
}

ep_site parallel_take(double lambda, ep_site site) {
  return 1 + lambda * site.tau > LEAST_LEFT ? site : (ep_site){0, 0};
}

ep_site parallel_move(ep_site x, double lambda, const site_view *view) {
  if (!view->proper) return (ep_site){-x.tau / 2, -x.nu / 2};
  const ep_site to = view->next;
  const double rho = 1 / (1 + lambda * to.tau);
  return (ep_site){rho * to.tau - x.tau, rho * to.nu - x.nu};
}

static void add_scales(parallel_plan *plan, double damping, double shortest) {
  for (double scale = damping; scale > shortest * damping; scale /= 2)
    plan->scale[plan->n++] = scale;
}

parallel_plan parallel_steps(double *H, double *g, int c, double damping,
                             double least) {
  parallel_plan plan = {.bound = GROWTH * least};
  if (c > 0 && anderson_solve(H, g, c)) {
    memcpy(plan.gamma, g, (size_t)c * sizeof *g);
    add_scales(&plan, damping, SHORTEST_ANDERSON);
    plan.along = plan.n;
  }
  add_scales(&plan, damping, SHORTEST);
  return plan;
}
