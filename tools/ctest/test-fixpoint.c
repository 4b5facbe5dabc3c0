/* EP as a map: its Jacobian, transposed Jacobian and Newton step. */
#include "check.h"
#include "fit.h"

static const double dfs[] = {3, 10, INFINITY};

/* Sites near a fixed point, so that all cavities are proper. */
static fit *near_fit(int n, double df, double epsilon, uint64_t seed) {
  fit *f = fit_new(n, df, epsilon);
  dense_problem(seed, n, 0.3, f->K, f->y);
  CHECK(fit_cold(f) == EP_CONVERGED);
  for (int i = 0; i < n; i++) {
    f->st.site[i].tau *= 1 + 0.02 * dense_norm(&seed);
    f->st.site[i].nu *= 1 + 0.02 * dense_norm(&seed);
  }
  CHECK(fit_look(f) == EP_CONVERGED);
  return f;
}

typedef struct {
  fit *f;
  const ep_site *base, *move;
  int i, nu; /* entry of G asked for */
} direction;

static double map_along(void *data, double step) {
  direction *d = data;
  fit *f = d->f;
  for (int i = 0; i < f->n; i++) {
    f->st.site[i].tau = d->base[i].tau + step * d->move[i].tau;
    f->st.site[i].nu = d->base[i].nu + step * d->move[i].nu;
  }
  fit_look(f);
  const ep_site next = f->st.view[d->i].next;
  return d->nu ? next.nu - f->st.site[d->i].nu
               : next.tau - f->st.site[d->i].tau;
}

/* A Newton step s solves (I - G_s) s = G - site: so along s, the derivative of
 * G - site is its negative. */
static void newton_steps_solve_the_linear_system(void) {
  for (int k = 0; k < 3; k++) {
    enum { n = 15 };
    fit *f = near_fit(n, dfs[k], 0.05, 11);
    ep_site base[n], step[n];
    double rhs_tau[n], rhs_nu[n];
    memcpy(base, f->st.site, sizeof base);
    fixpoint_linearise(&f->work.fix, &f->post, &f->lik, f->st.site, f->st.view);
    CHECK(fixpoint_newton(&f->work.fix, f->st.site, f->st.view, 1e-12, 400,
                          step) > 0);
    for (int i = 0; i < n; i++) {
      rhs_tau[i] = f->st.view[i].next.tau - base[i].tau;
      rhs_nu[i] = f->st.view[i].next.nu - base[i].nu;
    }
    for (int i = 0; i < n; i += 3)
      for (int nu = 0; nu < 2; nu++) {
        direction d = {f, base, step, i, nu};
        const double slope = dense_slope(map_along, &d, 0.05);
        CHECK_NEAR(-slope, nu ? rhs_nu[i] : rhs_tau[i], 1e-8);
      }
    fit_free(f);
  }
}

static void newton_converges_quadratically(void) {
  for (int k = 0; k < 3; k++) {
    fit *f = near_fit(40, dfs[k], 0.02, 12);
    ep_site step[40];
    double before = 0, after = 0;
    for (int round = 0; round < 6; round++) {
      fixpoint_linearise(&f->work.fix, &f->post, &f->lik, f->st.site,
                         f->st.view);
      fixpoint_newton(&f->work.fix, f->st.site, f->st.view, 1e-13, 400, step);
      for (int i = 0; i < 40; i++) {
        before = fmax(before, f->st.residual[i]);
        f->st.site[i].tau += step[i].tau;
        f->st.site[i].nu += step[i].nu;
      }
      CHECK(fit_look(f) == EP_CONVERGED);
    }
    for (int i = 0; i < 40; i++) after = fmax(after, f->st.residual[i]);
    CHECK(before > 1e-4);
    CHECK(after < 1e-11);
    fit_free(f);
  }
}

/* lambda' b for (I - G_s') lambda = c equals c' s for (I - G_s) s = b. */
static void the_adjoint_is_the_transpose(void) {
  for (int k = 0; k < 3; k++)
    for (int e = 0; e < 2; e++) {
      enum { n = 30 };
      fit *f = near_fit(n, dfs[k], e ? 0.08 : 0.001, 13);
      ep_site step[n];
      double c_tau[n], c_nu[n], forward = 0, backward = 0;
      uint64_t seed = 3;
      fixpoint_linearise(&f->work.fix, &f->post, &f->lik, f->st.site,
                         f->st.view);
      CHECK(fixpoint_newton(&f->work.fix, f->st.site, f->st.view, 1e-13, 400,
                            step) > 0);
      for (int i = 0; i < n; i++) {
        c_tau[i] = dense_norm(&seed);
        c_nu[i] = dense_norm(&seed);
        forward += c_tau[i] * step[i].tau + c_nu[i] * step[i].nu;
      }
      CHECK(fixpoint_adjoint(&f->work.fix, 1e-13, 400, c_tau, c_nu) > 0);
      for (int i = 0; i < n; i++)
        backward += c_tau[i] * (f->st.view[i].next.tau - f->st.site[i].tau) +
                    c_nu[i] * (f->st.view[i].next.nu - f->st.site[i].nu);
      CHECK_NEAR(backward, forward, 1e-9);
      fit_free(f);
    }
}

static void improper_cavities_are_told(void) {
  fit *f = near_fit(8, 10, 0.05, 14);
  f->st.site[5].tau = 2 / f->post.A[5];
  const double worst = fixpoint_evaluate(&f->post, &f->lik, f->st.site,
                                         f->st.view, f->st.residual);
  CHECK(isinf(worst) && isinf(f->st.residual[5]));
  CHECK(!f->st.view[5].proper && f->st.view[4].proper);
  fit_free(f);
}

/* The rounding error of A grows with the rows, of which there may be more than a
 * tenth of INT_MAX: below it A tells nothing, wherever the rows are. */
static void many_rows_leave_the_bound_of_a_cavity_in_place(void) {
  double prior = 1;
  const ep_site none = {0, 0};
  ep_cavity cav;
  const double rows[] = {1, 1000, 300000000, 5e9};
  for (int k = 0; k < 4; k++) {
    const latent post = {.n_terms = rows[k], .prior = &prior};
    const double error = 10 * (rows[k] * DBL_EPSILON);
    CHECK(fixpoint_cavity(&post, 0, 0.9 * error, 0, none, INFINITY, &cav) ==
          EP_IMPROPER);
    CHECK(fixpoint_cavity(&post, 0, 1.1 * error, 0, none, INFINITY, &cav) ==
          EP_CONVERGED);
  }
}

/* Rows with no prior variance: the site is flat and nothing divides by 0. */
static void a_row_without_variance_is_flat(void) {
  fit *f = fit_new(10, 10, 0.05);
  dense_problem(15, 10, 0.3, f->K, f->y);
  for (int i = 0; i < 10; i++) f->K[IDX(i, 4, 10)] = f->K[IDX(4, i, 10)] = 0;
  CHECK(fit_cold(f) == EP_CONVERGED);
  CHECK(f->st.site[4].tau == 0 && f->st.site[4].nu == 0);
  CHECK_NEAR(f->st.view[4].tilt.log_zp, log(0.5), 1e-15);
  for (int i = 0; i < 10; i++) CHECK(isfinite(f->post.m[i]));
  fit_free(f);
}

int main(void) {
  RUN("Newton steps solve the linear system",
      newton_steps_solve_the_linear_system);
  RUN("Newton's method converges", newton_converges_quadratically);
  RUN("the adjoint is the transpose", the_adjoint_is_the_transpose);
  RUN("improper cavities are told", improper_cavities_are_told);
  RUN("many rows leave the bound of a cavity in place",
      many_rows_leave_the_bound_of_a_cavity_in_place);
  RUN("a row without variance has a flat site", a_row_without_variance_is_flat);
  return check_done();
}
