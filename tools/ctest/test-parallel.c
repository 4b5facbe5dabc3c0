/* The decisions of parallel EP. */
#include "parallel.h"
#include "check.h"
#include "dense.h"
#include "ep-state.h"

/* Cut anywhere, the normal equations are the same, and their solution leaves
 * nothing of f that its differences could take away. */
static void normal_equations_add_up(void) {
  enum { n = 40, c = 3 };
  uint64_t seed = 5;
  double d[n][c], f[n], weight[n], left[c] = {0};
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < c; j++) d[i][j] = dense_norm(&seed);
    f[i] = dense_norm(&seed);
    weight[i] = fabs(dense_norm(&seed));
  }
  double H[c * c] = {0}, g[c] = {0}, H2[2][c * c] = {{0}}, g2[2][c] = {{0}};
  for (int i = 0; i < n; i++) {
    anderson_add(c, weight[i], d[i], f[i], H, g);
    anderson_add(c, weight[i], d[i], f[i], H2[i > 17], g2[i > 17]);
  }
  for (int j = 0; j < c; j++) {
    CHECK_NEAR(g2[0][j] + g2[1][j], g[j], 1e-13);
    for (int l = j; l < c; l++)
      CHECK_NEAR(H2[0][l + j * c] + H2[1][l + j * c], H[l + j * c], 1e-13);
  }
  CHECK(anderson_solve(H, g, c));
  for (int i = 0; i < n; i++) {
    double rest = f[i];
    for (int j = 0; j < c; j++) rest -= g[j] * d[i][j];
    for (int j = 0; j < c; j++) left[j] += weight[i] * d[i][j] * rest;
  }
  for (int j = 0; j < c; j++) CHECK(fabs(left[j]) < 1e-10);
}

static void steps_shorten_and_then_go_along_f(void) {
  double H[1] = {2}, g[1] = {1}, none[1] = {0}, zero[1] = {0};
  const parallel_plan plan = parallel_steps(H, g, 1, 0.8, 3);
  CHECK_NEAR(plan.gamma[0], 0.5, 1e-12);
  CHECK(plan.along == 3 && plan.n == 13 && plan.bound == 6);
  CHECK(plan.scale[0] == 0.8 && plan.scale[2] == 0.2);
  CHECK(plan.scale[3] == 0.8 && plan.scale[12] == 0.8 / 512);
  /* a difference of nothing says nothing, of itself and of the others */
  CHECK(parallel_steps(none, zero, 1, 1, 3).along == 0);
  double beside[4] = {0, 0, 0, 2}, of_one[2] = {0, 1};
  const parallel_plan same = parallel_steps(beside, of_one, 2, 0.8, 3);
  CHECK(same.along == 3 && same.gamma[0] == 0);
  CHECK_NEAR(same.gamma[1], 0.5, 1e-12);
  CHECK(parallel_steps(NULL, NULL, 0, 1, 3).along == 0);
}

static void an_improper_row_counts_and_loses_half_its_site(void) {
  parallel_sums sums = {0, 0, 0};
  const site_view bad = {.proper = 0}, good = {.next = {1, 2}, .proper = 1};
  parallel_add(&sums, &good, 3);
  parallel_add(&sums, &bad, INFINITY);
  CHECK(sums.worst == 10 && sums.squares == 109 && sums.improper == 1);
  const ep_site x = {0.5, -1}, half = parallel_move(x, 2, &bad),
                to = parallel_move(x, 2, &good);
  CHECK(half.tau == -0.25 && half.nu == 0.5);
  CHECK_NEAR(to.tau, 1.0 / 3 - 0.5, 1e-15);
  CHECK_NEAR(to.nu, 2.0 / 3 + 1, 1e-15);
}

static void a_site_that_leaves_no_posterior_is_not_taken(void) {
  const ep_site site = {-0.5, 1};
  CHECK(parallel_take(1.8, site).tau == -0.5);
  CHECK(parallel_take(1.95, site).tau == 0);
  CHECK(parallel_take(1.95, site).nu == 0);
}

static int tell(void *data, int sweep, double residual) {
  *(double *)data = residual;
  return sweep == 4;
}

static void the_watch_keeps_the_best_and_ends(void) {
  double seen = 0;
  ep_site site = {1, 1}, best = {0, 0};
  ep_watch w = {.max_sweeps = 9,
                .patience = 2,
                .monitor = tell,
                .monitor_data = &seen,
                .site = &site,
                .best = &best,
                .count = 1};
  ep_watch_begin(&w);
  CHECK(ep_watch_sweep(&w, 0, 2) == EP_CONVERGED && seen == 2);
  site.tau = 5;
  CHECK(ep_watch_sweep(&w, 1, 3) == EP_CONVERGED && best.tau == 1);
  CHECK(ep_watch_sweep(&w, 2, 1.9) == EP_CONVERGED && best.tau == 5);
  CHECK(ep_watch_sweep(&w, 3, 1.9) == EP_STALLED);
  CHECK(ep_watch_sweep(&w, 4, 1.5) == EP_INTERRUPTED);
  CHECK(ep_watch_sweep(&w, 5, 1.5) == EP_CONVERGED);
  CHECK(ep_watch_sweep(&w, 9, 1) == EP_MAX_SWEEPS);
}

/* Two rises halve the damping, and it recovers as the residual falls: to all of
 * it, or below calm to less than led up. */
static void damping_recovers_to_less_than_led_up(void) {
  const double falls[] = {1, .5, .6, .7, .4, .3, .2, .1, .05, .02, .01};
  const ep_options opt = {.damping = 1};
  for (int calm = 0; calm < 2; calm++) {
    ep_pace p = {
        .damping = 1, .earlier = INFINITY, .most = INFINITY, .calm = calm};
    for (int k = 0; k < 10; k++) {
      ep_pace_after(&p, &opt, 0.25, falls[k], falls[k + 1], 0);
      if (k == 2) CHECK_NEAR(p.damping, 0.5, 1e-15);
    }
    CHECK_NEAR(p.damping, calm ? 0.8 : 1.0, 1e-15);
  }
  ep_pace p = {.damping = 0.3, .earlier = 0.1, .most = INFINITY, .calm = 1};
  p.rises = 1; /* never less than is let */
  ep_pace_after(&p, &opt, 0.25, 0.2, 0.3, 0);
  CHECK_NEAR(p.damping, 0.25, 1e-15);
  CHECK_NEAR(p.most, 0.25, 1e-15);
}

int main(void) {
  RUN("normal equations add up", normal_equations_add_up);
  RUN("steps shorten and then go along f", steps_shorten_and_then_go_along_f);
  RUN("an improper row counts and loses half its site",
      an_improper_row_counts_and_loses_half_its_site);
  RUN("a site that leaves no posterior is not taken",
      a_site_that_leaves_no_posterior_is_not_taken);
  RUN("damping recovers to less than led up",
      damping_recovers_to_less_than_led_up);
  RUN("the watch keeps the best and ends", the_watch_keeps_the_best_and_ends);
  return check_done();
}
