/* The EP loop. */
#include "check.h"
#include "fit.h"

static fit *problem(int n, double df, double epsilon, uint64_t seed) {
  fit *f = fit_new(n, df, epsilon);
  dense_problem(seed, n, 0.3, f->K, f->y);
  return f;
}

static void one_site_is_exact(void) {
  const double dfs[] = {0.5, 3, 10, 1e8, INFINITY}, flips[] = {0, 0.1, 0.45};
  for (int k = 0; k < 5; k++)
    for (int e = 0; e < 3; e++) {
      fit *f = fit_new(1, dfs[k], flips[e]);
      f->K[0] = 2.3;
      f->y[0] = -1;
      CHECK(fit_cold(f) == EP_CONVERGED);
      CHECK_NEAR(fit_value(f, CRITERION_LOO), log(0.5), 1e-14);
      CHECK_NEAR(fit_value(f, CRITERION_EVIDENCE_ZP), log(0.5), 1e-13);
      if (flips[e] == 0 || isinf(dfs[k]))
        CHECK_NEAR(fit_value(f, CRITERION_EVIDENCE), log(0.5), 1e-13);
      fit_free(f);
    }
}

static void independent_rows_know_nothing_of_each_other(void) {
  fit *f = fit_new(30, INFINITY, 0.05);
  for (int i = 0; i < 30; i++) {
    f->K[IDX(i, i, 30)] = 1 + i;
    f->y[i] = i % 3 ? 1 : -1;
  }
  CHECK(fit_cold(f) == EP_CONVERGED);
  CHECK_NEAR(fit_value(f, CRITERION_EVIDENCE), -30 * log(2), 1e-13);
  CHECK_NEAR(fit_value(f, CRITERION_LOO), -30 * log(2), 1e-13);
  fit_free(f);
}

/* The exact value is [M 4.7]: K = (1 1' + I)/2, all labels +1, epsilon = 0 */
static void equicorrelated_rows_have_their_table(void) {
  const int sizes[] = {2, 3, 5, 10, 30};
  const double gauss[] = {-1.1004, -1.3900, -1.7986, -2.4101, -3.4558};
  const double df10[] = {-1.0731, -1.3436, -1.7300, -2.3257, -3.4196};
  for (int k = 0; k < 5; k++)
    for (int t = 0; t < 2; t++) {
      const int n = sizes[k];
      fit *f = fit_new(n, t ? 10 : INFINITY, 0);
      for (int i = 0; i < n * n; i++) f->K[i] = 0.5;
      for (int i = 0; i < n; i++) f->K[IDX(i, i, n)] = f->y[i] = 1;
      CHECK(fit_cold(f) == EP_CONVERGED);
      const double got = fit_value(f, CRITERION_EVIDENCE);
      CHECK(fabs(got - (t ? df10 : gauss)[k]) < 5.001e-5);
      fit_free(f);
    }
}

/* Sites of one fit, compared in units of the residual. */
static void check_same_sites(const fit *a, const fit *b, double tol) {
  for (int i = 0; i < a->n; i++) {
    const double A = b->post.A[i];
    CHECK(fabs(a->st.site[i].tau - b->st.site[i].tau) * A < tol);
    CHECK(fabs(a->st.site[i].nu - b->st.site[i].nu) * sqrt(A) < tol);
  }
}

static void blocks_and_starts_do_not_matter(void) {
  const double dfs[] = {3, 10, INFINITY};
  const int blocks[] = {1, 7, 64, 1000};
  for (int k = 0; k < 3; k++) {
    fit *a = problem(90, dfs[k], 0.03, 21);
    CHECK(fit_cold(a) == EP_CONVERGED);
    for (int b = 0; b < 4; b++) {
      fit *c = problem(90, dfs[k], 0.03, 21);
      c->opt.block = blocks[b];
      workspace ws = {NULL, 0}; /* the block sizes the workspace */
      fit_carve(c, &ws);
      free(c->block);
      c->block = dense_new(ws.used);
      ws = (workspace){c->block, 0};
      fit_carve(c, &ws);
      CHECK(fit_cold(c) == EP_CONVERGED);
      check_same_sites(c, a, 1e-9);
      CHECK(c->st.sweeps == a->st.sweeps);
      fit_free(c);
    }
    fit *warm = problem(90, dfs[k], 0.03, 21);
    for (int i = 0; i < 90; i++) {
      warm->st.site[i].tau = 0.9 * a->st.site[i].tau;
      warm->st.site[i].nu = 1.1 * a->st.site[i].nu;
    }
    CHECK(fit_run(warm) == EP_CONVERGED);
    check_same_sites(warm, a, 1e-9);
    CHECK(fit_run(warm) == EP_CONVERGED && warm->st.sweeps <= 1);
    fit_free(warm);
    fit_free(a);
  }
}

static void damping_changes_the_way_only(void) {
  fit *a = problem(40, 10, 0.05, 22), *b = problem(40, 10, 0.05, 22);
  b->opt.damping = 0.3;
  CHECK(fit_cold(a) == EP_CONVERGED && fit_cold(b) == EP_CONVERGED);
  check_same_sites(b, a, 1e-9);
  CHECK(b->st.trace[TRACE_DAMPING] == 0.3);
  fit_free(a);
  fit_free(b);
}

static void sites_that_cannot_be_used_are_replaced(void) {
  fit *a = problem(20, 10, 0.05, 23), *b = problem(20, 10, 0.05, 23);
  CHECK(fit_cold(a) == EP_CONVERGED);
  for (int i = 0; i < 20; i++) b->st.site[i] = (ep_site){-50, 3};
  CHECK(fit_run(b) == EP_CONVERGED);
  check_same_sites(b, a, 1e-9);
  for (int i = 0; i < 20; i++) b->st.site[i] = (ep_site){NAN, INFINITY};
  CHECK(fit_run(b) == EP_CONVERGED);
  check_same_sites(b, a, 1e-9);
  fit_free(a);
  fit_free(b);
}

static void the_sweep_limit_is_kept_and_told(void) {
  fit *f = problem(60, 10, 0.02, 24);
  for (f->opt.max_sweeps = 1; f->opt.max_sweeps <= 4; f->opt.max_sweeps++) {
    CHECK(fit_cold(f) == EP_MAX_SWEEPS);
    CHECK(f->st.sweeps == f->opt.max_sweeps);
    CHECK(f->st.n_trace == f->st.sweeps + 1);
    for (int i = 0; i < 60; i++)
      CHECK(isfinite(f->post.m[i]) && f->post.A[i] > 0);
  }
  fit_free(f);
}

typedef struct {
  int calls, stop_at, last;
} stopper;

static int stop(void *data, int sweep, double residual) {
  stopper *s = data;
  CHECK(sweep == s->calls && residual > 0);
  s->last = sweep;
  return ++s->calls > s->stop_at;
}

static void the_monitor_is_asked_every_sweep(void) {
  fit *f = problem(60, 10, 0.02, 25);
  fit_bind(f);
  for (int k = 0; k < 4; k++) {
    stopper s = {0, k, 0};
    memset(f->st.site, 0, 60 * sizeof *f->st.site);
    CHECK(ep_run(&f->post, &f->lik, &f->opt, &f->st, &f->work, stop, &s) ==
          EP_INTERRUPTED);
    CHECK(s.last == k && f->st.sweeps == k);
  }
  fit_free(f);
}

/* From sites off by some 5e-3 a last step without a factorisation: the evidence
 * is off by their third power, A, m and sites by their second, and b still
 * solves K b = m. */
static void a_last_step_needs_no_factorisation(void) {
  const int n = 90;
  fit *exact = problem(n, INFINITY, 0.05, 21);
  fit *near = problem(n, INFINITY, 0.05, 21);
  CHECK(fit_cold(exact) == EP_CONVERGED);
  for (int i = 0; i < n; i++) {
    const double A = exact->post.A[i], off = 5e-3 * sin(i);
    near->st.site[i].tau = exact->st.site[i].tau + off / A;
    near->st.site[i].nu = exact->st.site[i].nu - off / sqrt(A);
  }
  near->opt.near = 1;
  near->opt.tol = 1e-3;
  CHECK(fit_run(near) == EP_CONVERGED);
  CHECK(near->st.sweeps == 1 && near->st.newton == 1);
  check_same_sites(near, exact, 1e-3);
  CHECK_NEAR(fit_value(near, CRITERION_EVIDENCE),
             fit_value(exact, CRITERION_EVIDENCE), 1e-6);
  for (int i = 0; i < n; i++) {
    double Kb = 0;
    for (int j = 0; j < n; j++) Kb += near->K[IDX(i, j, n)] * near->lk.b[j];
    CHECK_NEAR(near->post.A[i], exact->post.A[i], 2e-3);
    CHECK(fabs(near->post.m[i] - exact->post.m[i]) < 1e-3);
    CHECK(fabs(Kb - near->post.m[i]) < 1e-9);
  }
  fit_free(exact);
  fit_free(near);
}

static void a_prior_with_nan_is_refused(void) {
  fit *f = problem(5, 10, 0.02, 26);
  f->K[IDX(3, 3, 5)] = NAN;
  CHECK(fit_cold(f) < 0);
  fit_free(f);
}

/* Arrays of structs lie between arrays of doubles: none may reach into the
 * next, whatever their size is a multiple of. */
static void no_array_overlaps_the_next(void) {
  for (int n = 1; n < 10; n++) {
    fit *f = fit_new(n, 10, 0.05);
    CHECK((double *)(f->st.site + n) <= (double *)f->st.view);
    CHECK((double *)(f->st.view + n) <= f->st.residual);
    CHECK((double *)(f->work.best + n) <= (double *)f->work.active);
    CHECK((double *)(f->work.active + n) <= (double *)f->work.fix.J);
    CHECK((double *)(f->work.fix.J + n) <= f->work.fix.p1);
    fit_free(f);
  }
}

int main(void) {
  RUN("one site is exact", one_site_is_exact);
  RUN("independent rows know nothing of each other",
      independent_rows_know_nothing_of_each_other);
  RUN("equicorrelated rows have their tabled evidence",
      equicorrelated_rows_have_their_table);
  RUN("block size and start do not matter", blocks_and_starts_do_not_matter);
  RUN("damping changes the way only", damping_changes_the_way_only);
  RUN("sites that cannot be used are replaced",
      sites_that_cannot_be_used_are_replaced);
  RUN("the sweep limit is kept and told", the_sweep_limit_is_kept_and_told);
  RUN("the monitor is asked every sweep", the_monitor_is_asked_every_sweep);
  RUN("a last step needs no factorisation", a_last_step_needs_no_factorisation);
  RUN("a prior with NaN is refused", a_prior_with_nan_is_refused);
  RUN("no array overlaps the next", no_array_overlaps_the_next);
  return check_done();
}
