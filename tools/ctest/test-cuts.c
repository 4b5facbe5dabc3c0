/* Derivatives of tilted moments where thresholds part classes in an order, those
 * of the site that is projected, and those in levels and thresholds, against
 * differences. */
#include "check.h"
#include "likelihood.h"
#include "site.h"
#include <string.h>

#define C 4

static const double cuts[C - 1] = {-1.1, -0.2, 1.4};
static const double levels[3][C] = {
    {0.9, 0.06, 0.03, 0.01}, {0, 1, 0, 0}, {0.1, 0.1, 0.8, 0.3}};
static const double means[] = {-3, -0.6, 0.1, 2.5};
static const double vars[] = {0.05, 0.7, 9};

static tilted tilt_at(int i, double z, double log_var) {
  const lik_step lik = cuts_make(1, C, levels[i], cuts);
  const double s = exp(log_var / 2);
  return likelihood_tilt(&lik, 0, z * s, s * s);
}

static double difference(double above, double below, double h) {
  return (above - below) / (2 * h);
}

static void moments_move_as_their_derivatives_say(void) {
  const double h = 1e-5;
  for (int i = 0; i < 3; i++)
    for (int a = 0; a < 4; a++)
      for (int b = 0; b < 3; b++) {
        const double v = log(vars[b]), z = means[a] / sqrt(vars[b]);
        const lik_step lik = cuts_make(1, C, levels[i], cuts);
        const tilted t = tilt_at(i, z, v);
        const tilted_grad g = likelihood_tilt_grad(&lik, 0, &t);
        const tilted up = tilt_at(i, z + h, v), down = tilt_at(i, z - h, v);
        const tilted wide = tilt_at(i, z, v + h), narrow = tilt_at(i, z, v - h);
        const double tol = 1e-7 * (1 + fabs(z));
        CHECK_NEAR(g.log_z1_z, difference(up.log_z1, down.log_z1, h), tol);
        CHECK_NEAR(g.alpha_z, difference(up.alpha, down.alpha, h), tol);
        CHECK_NEAR(g.w_z, difference(up.w, down.w, h), tol);
        CHECK_NEAR(g.log_z_v, difference(wide.log_z1, narrow.log_z1, h), tol);
        CHECK_NEAR(g.alpha_v, difference(wide.alpha, narrow.alpha, h), tol);
        CHECK_NEAR(g.w_v, difference(wide.w, narrow.w, h), tol);
      }
}

static ep_site project_at(int i, double A, double m, ep_site site) {
  const lik_step lik = cuts_make(1, C, levels[i], cuts);
  ep_cavity cav;
  ep_site next;
  CHECK(site_divide(A, m, site, INFINITY, &cav) == EP_CONVERGED);
  const tilted t = likelihood_tilt(&lik, 0, cav.mean, cav.var);
  CHECK(site_project(&cav, &t, INFINITY, &next) == EP_CONVERGED);
  return next;
}

static void the_projected_site_moves_as_its_jacobian_says(void) {
  const double h = 1e-5, at[4] = {0.7, -0.4, 0.3, 0.2};
  for (int i = 0; i < 3; i++) {
    const lik_step lik = cuts_make(1, C, levels[i], cuts);
    const ep_site site = {at[2], at[3]};
    ep_cavity cav;
    site_divide(at[0], at[1], site, INFINITY, &cav);
    const tilted t = likelihood_tilt(&lik, 0, cav.mean, cav.var);
    const tilted_grad tg = likelihood_tilt_grad(&lik, 0, &t);
    const cavity_grad cg = site_divide_grad(at[0], site, INFINITY, &cav, &t);
    const site_jacobian J = site_project_grad(
        &cav, INFINITY, &t, &tg, &cg, project_at(i, at[0], at[1], site));
    for (int x = 0; x < 4; x++) {
      double up[4], down[4];
      memcpy(up, at, sizeof at);
      memcpy(down, at, sizeof at);
      up[x] += h;
      down[x] -= h;
      const ep_site a = project_at(i, up[0], up[1], (ep_site){up[2], up[3]});
      const ep_site b =
          project_at(i, down[0], down[1], (ep_site){down[2], down[3]});
      CHECK_NEAR(J.tau[x], difference(a.tau, b.tau, h), 1e-6);
      CHECK_NEAR(J.nu[x], difference(a.nu, b.nu, h), 1e-6);
    }
  }
}

static void evidence_moves_with_levels_and_thresholds(void) {
  const double h = 1e-6, mean = 0.3, var = 0.8;
  for (int i = 0; i < 3; i++) {
    double by_L[C], by_cut[C - 1] = {0, 0, 0};
    const lik_step lik = cuts_make(1, C, levels[i], cuts);
    const tilted t = likelihood_tilt(&lik, 0, mean, var);
    cuts_partials(&lik, 0, &t, 2, by_L, by_cut);
    for (int k = 0; k < C; k++) {
      double L[2][C];
      for (int s = 0; s < 2; s++) {
        memcpy(L[s], levels[i], sizeof L[s]);
        L[s][k] += (s ? -h : h) * (L[s][k] > 0);
      }
      if (!(levels[i][k] > 0)) continue;
      const lik_step up = cuts_make(1, C, L[0], cuts);
      const lik_step down = cuts_make(1, C, L[1], cuts);
      CHECK_NEAR(by_L[k],
                 difference(likelihood_tilt(&up, 0, mean, var).log_z1,
                            likelihood_tilt(&down, 0, mean, var).log_z1, h),
                 1e-7);
    }
    for (int j = 0; j < C - 1; j++) {
      double moved[2][C - 1], value[2];
      for (int s = 0; s < 2; s++) {
        memcpy(moved[s], cuts, sizeof cuts);
        moved[s][j] += s ? -h : h;
        const lik_step there = cuts_make(1, C, levels[i], moved[s]);
        value[s] = likelihood_tilt(&there, 0, mean, var).log_z1;
      }
      CHECK_NEAR(by_cut[j], 2 * difference(value[0], value[1], h), 1e-7);
    }
  }
}

static void a_certain_latent_value_has_one_class(void) {
  double log_p[C];
  const lik_step lik = cuts_make(1, C, levels[0], cuts);
  const tilted t = likelihood_tilt(&lik, 0, 0.5, 0);
  CHECK_NEAR(t.log_z1, log(levels[0][2]), 1e-15);
  CHECK_NEAR(t.w, 1, 1e-15);
  likelihood_truth(&lik, &t, log_p);
  double sum = 0;
  for (int c = 0; c < C; c++) sum += exp(log_p[c]);
  CHECK_NEAR(sum, 1, 1e-15);
}

int main(void) {
  RUN("moments move as their derivatives say",
      moments_move_as_their_derivatives_say);
  RUN("the projected site moves as its Jacobian says",
      the_projected_site_moves_as_its_jacobian_says);
  RUN("evidence moves with levels and thresholds",
      evidence_moves_with_levels_and_thresholds);
  RUN("a certain latent value has one class",
      a_certain_latent_value_has_one_class);
  return check_done();
}
