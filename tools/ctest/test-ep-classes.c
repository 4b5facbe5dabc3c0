/* EP with several classes. The stored fixed points are in
 * tests/testthat/test-ep-classes.R. */
#include "check.h"
#include "dense.h"
#include "ep-classes.h"
#include "latent-kernel.h"
#include "latent-lowrank.h"

enum { MOST = 6 };

typedef struct {
  int n, C;
  latent post[MOST], *at[MOST];
  latent_kernel lk[MOST];
  latent_lowrank lr[MOST];
  classes_model model;
  classes_state st;
  classes_work work;
  ep_options opt;
  double *K, *omega, *weight, *block, *side;
  int *y;
} fit;

static void fit_carve(fit *f, workspace *ws) {
  for (int c = 0; c < f->C; c++)
    f->post[c].ops->carve(&f->post[c], f->opt.block, ws);
  classes_carve(&f->st, &f->work, f->n, f->C, &f->opt, ws);
}

/* Memory of a fit whose latents have been made */
static void fit_lay_out(fit *f) {
  workspace ws = {NULL, 0};
  fit_carve(f, &ws);
  free(f->block);
  f->block = dense_new(ws.used);
  ws = (workspace){f->block, 0};
  fit_carve(f, &ws);
  for (int c = 0; c < f->C; c++) f->at[c] = &f->post[c];
  f->model =
      (classes_model){.n = f->n, .C = f->C, .post = f->at, .weight = f->weight};
}

static void one_rate(fit *f, double epsilon) {
  for (int k = 0; k < f->C * f->C; k++)
    f->omega[k] = k % (f->C + 1) ? epsilon / (f->C - 1) : 1 - epsilon;
}

/* Points in the plane; the class is a sector, some are wrong. */
static fit *fit_new(int n, int C, double epsilon, uint64_t seed) {
  fit *f = calloc(1, sizeof *f);
  if (!f) abort();
  f->n = n;
  f->C = C;
  f->opt =
      (ep_options){.tol = 1e-11, .max_sweeps = 300, .damping = 1, .block = 16};
  f->K = dense_square(n);
  f->omega = dense_square(C);
  f->weight = dense_new((size_t)(n * C));
  f->side = dense_new((size_t)n);
  f->y = calloc((size_t)n, sizeof *f->y);
  dense_problem(seed, n, 0.3, f->K, f->side);
  for (int i = 0; i < n; i++)
    f->y[i] = f->side[i] > 0 ? 0 : 1 + (int)((C - 1) * dense_unif(&seed));
  one_rate(f, epsilon);
  for (int c = 0; c < C; c++)
    f->post[c] = latent_kernel_given(&f->lk[c], n, f->K);
  fit_lay_out(f);
  return f;
}

static void fit_free(fit *f) {
  free(f->block);
  free(f->K);
  free(f->omega);
  free(f->weight);
  free(f->side);
  free(f->y);
  free(f);
}

/* From the labels y and omega as they are */
static int fit_run(fit *f) {
  for (int i = 0; i < f->n; i++)
    for (int c = 0; c < f->C; c++)
      f->weight[IDX(c, i, f->C)] = f->omega[IDX(c, f->y[i], f->C)];
  for (int c = 0; c < f->C; c++) f->post[c].ops->bind(&f->post[c]);
  return classes_run(&f->model, &f->opt, &f->st, &f->work, NULL, NULL);
}

static int fit_cold(fit *f) {
  memset(f->st.site, 0, (size_t)(f->n * f->C) * sizeof *f->st.site);
  return fit_run(f);
}

static double fit_value(const fit *f) {
  double value = NAN;
  classes_evidence(&f->model, f->st.site, f->st.cav, f->st.log_z, &value);
  return value;
}

static void check_same_sites(const fit *a, const fit *b, double tol) {
  for (int c = 0; c < a->C; c++)
    for (int i = 0; i < a->n; i++) {
      const ep_site s = a->st.site[IDX(i, c, a->n)];
      const ep_site t = b->st.site[IDX(i, c, a->n)];
      const double A = b->post[c].A[i];
      CHECK(fabs(s.tau - t.tau) * A < tol && fabs(s.nu - t.nu) * sqrt(A) < tol);
    }
}

static void one_row_is_exact(void) {
  for (int C = 2; C <= MOST; C++) {
    fit *f = fit_new(1, C, 0.1, 61);
    f->K[0] = 2.3;
    for (int c = 0; c < C; c++) f->omega[IDX(c, f->y[0], C)] = 0.1 * (c + 1);
    CHECK(fit_cold(f) == EP_CONVERGED);
    CHECK_NEAR(fit_value(f), log(0.1 * (C + 1) / 2), 1e-12);
    fit_free(f);
  }
}

static void independent_rows_know_nothing_of_each_other(void) {
  fit *f = fit_new(12, 3, 0.05, 62);
  memset(f->K, 0, 144 * sizeof *f->K);
  for (int i = 0; i < 12; i++) f->K[IDX(i, i, 12)] = 1 + i;
  CHECK(fit_cold(f) == EP_CONVERGED);
  CHECK_NEAR(fit_value(f), -12 * log(3), 1e-12);
  fit_free(f);
}

/* At a fixed point the sites are what rows answer to their cavities with */
static void cavities_know_their_sites(void) {
  const int n = 24, C = 4;
  fit *f = fit_new(n, C, 0.1, 63);
  CHECK(fit_cold(f) == EP_CONVERGED);
  for (int i = 0; i < n; i++) {
    classes_row row;
    for (int c = 0; c < C; c++)
      row.cav[c] = (ep_cavity){.mean = f->st.cav[IDX(i, c, n)].mean,
                               .var = f->st.cav[IDX(i, c, n)].var};
    CHECK(classes_answer(&f->model, i, &row) == EP_CONVERGED);
    CHECK_NEAR(row.log_z, f->st.log_z[i], 1e-12);
    for (int c = 0; c < C; c++) {
      const ep_site site = f->st.site[IDX(i, c, n)];
      CHECK(fabs(row.next[c].tau - site.tau) * f->post[c].A[i] < 1e-9);
      CHECK(fabs(row.next[c].nu - site.nu) * sqrt(f->post[c].A[i]) < 1e-9);
    }
  }
  fit_free(f);
}

static void blocks_starts_and_steps_do_not_matter(void) {
  const int blocks[] = {1, 7, 1000}, n = check_quick() ? 24 : 60;
  fit *a = fit_new(n, 4, 0.1, 63);
  CHECK(fit_cold(a) == EP_CONVERGED);
  for (int k = 0; k < 3; k++) {
    fit *b = fit_new(n, 4, 0.1, 63);
    b->opt.block = blocks[k];
    fit_lay_out(b);
    CHECK(fit_cold(b) == EP_CONVERGED);
    check_same_sites(b, a, 1e-9);
    CHECK(b->st.sweeps == a->st.sweeps);
    fit_free(b);
  }
  fit *b = fit_new(n, 4, 0.1, 63);
  b->opt.damping = 0.6;
  CHECK(fit_cold(b) == EP_CONVERGED);
  check_same_sites(b, a, 1e-9);
  for (int k = 0; k < 4 * n; k++) {
    b->st.site[k].tau *= 0.9;
    b->st.site[k].nu *= 1.1;
  }
  CHECK(fit_run(b) == EP_CONVERGED);
  check_same_sites(b, a, 1e-9);
  CHECK(fit_run(b) == EP_CONVERGED && b->st.sweeps <= 1);
  for (int k = 0; k < 4 * n; k++) b->st.site[k] = (ep_site){-50, NAN};
  CHECK(fit_run(b) == EP_CONVERGED);
  check_same_sites(b, a, 1e-9);
  fit_free(a);
  fit_free(b);
}

static void names_of_classes_do_not_matter(void) {
  fit *a = fit_new(40, 3, 0, 64), *b = fit_new(40, 3, 0, 64);
  for (int c = 0; c < 3; c++)
    for (int y = 0; y < 3; y++) {
      const double w = c == y ? 0.8 : 0.05 + 0.1 * ((c + 2 * y) % 2);
      a->omega[IDX(c, y, 3)] = w;
      b->omega[IDX((c + 1) % 3, (y + 1) % 3, 3)] = w;
    }
  for (int i = 0; i < 40; i++) b->y[i] = (a->y[i] + 1) % 3;
  CHECK(fit_cold(a) == EP_CONVERGED && fit_cold(b) == EP_CONVERGED);
  CHECK_NEAR(fit_value(b), fit_value(a), 1e-11);
  for (int c = 0; c < 3; c++)
    for (int i = 0; i < 40; i++)
      CHECK_NEAR(b->post[(c + 1) % 3].m[i], a->post[c].m[i], 1e-9);
  fit_free(a);
  fit_free(b);
}

/* [M 12.13] */
static void coefficients_of_a_row_add_up_to_nothing(void) {
  fit *f = fit_new(80, 5, 0.02, 65);
  CHECK(fit_cold(f) == EP_CONVERGED);
  int negative = 0;
  for (int i = 0; i < 80; i++) {
    double sum = 0;
    for (int c = 0; c < 5; c++) {
      sum += f->post[c].location[i];
      negative += f->st.site[IDX(i, c, 80)].tau < 0;
    }
    CHECK(fabs(sum) < 1e-9);
  }
  CHECK(negative > 0);
  fit_free(f);
}

/* K = L L' + 0.3 I as features L and a nugget */
static void low_rank_has_the_same_fixed_point(void) {
  fit *a = fit_new(50, 3, 0.1, 66), *b = fit_new(50, 3, 0.1, 66);
  double *Lt = dense_square(50), *ones = dense_new(50);
  memcpy(Lt, a->K, 2500 * sizeof *Lt);
  for (int i = 0; i < 50; i++) {
    Lt[IDX(i, i, 50)] -= 0.3 - 1e-9;
    a->K[IDX(i, i, 50)] += 1e-9;
    ones[i] = 1;
  }
  int n = 50, info = 0;
  F77_CALL(dpotrf)("U", &n, Lt, &n, &info FCONE);
  CHECK(info == 0);
  for (int j = 0; j < 50; j++)
    for (int i = j + 1; i < 50; i++) Lt[IDX(i, j, 50)] = 0;
  for (int c = 0; c < 3; c++)
    b->post[c] = latent_lowrank_features(&b->lr[c], 50, 50, Lt, ones, 0.3);
  fit_lay_out(b);
  CHECK(fit_cold(a) == EP_CONVERGED && fit_cold(b) == EP_CONVERGED);
  check_same_sites(b, a, 1e-8);
  CHECK_NEAR(fit_value(b), fit_value(a), 1e-9);
  fit_free(a);
  fit_free(b);
  free(Lt);
  free(ones);
}

/* Classes with kernels of their own that are equal, against one that is shared
 */
static void shared_memory_changes_nothing(void) {
  const int n = 30, group[2] = {0, 1};
  const double weight[2] = {1, 1}, l[2] = {0.4, 0.7};
  kernel_ard kernel = {.p = 2,
                       .groups = 2,
                       .group = group,
                       .weight = weight,
                       .l = l,
                       .variance = 1.3,
                       .bias = 0.2,
                       .nugget = 0.3,
                       .linear = 0.4};
  kernel_ard kernels[3] = {kernel, kernel, kernel};
  double *X = dense_new(60), *zero = dense_new(30), grad[2][6];
  uint64_t seed = 67;
  for (int i = 0; i < 60; i++) X[i] = dense_norm(&seed);
  fit *f[2];
  for (int own = 0; own < 2; own++) {
    f[own] = fit_new(n, 3, 0.1, 67);
    f[own]->post[0] = latent_kernel_inputs(&f[own]->lk[0], n, &kernels[0], X);
    for (int c = 1; c < 3; c++)
      f[own]->post[c] = latent_kernel_like(&f[own]->lk[c], &f[own]->lk[0],
                                           &kernels[own ? c : 0]);
    fit_lay_out(f[own]);
    CHECK(fit_cold(f[own]) == EP_CONVERGED);
  }
  check_same_sites(f[0], f[1], 1e-12);
  for (int c = 0; c < 3; c++) {
    for (int own = 0; own < 2; own++)
      classes_prior_gradient(&f[own]->model, c, f[own]->st.site, zero,
                             grad[own]);
    for (int k = 0; k < 6; k++) CHECK_NEAR(grad[0][k], grad[1][k], 1e-12);
  }
  /* the second class's kernel alone, by differences */
  classes_run(&f[1]->model, &f[1]->opt, &f[1]->st, &f[1]->work, NULL, NULL);
  classes_prior_gradient(&f[1]->model, 1, f[1]->st.site, zero, grad[1]);
  double value[2];
  for (int side = 0; side < 2; side++) {
    kernels[1].nugget = 0.3 * exp(side ? 1e-4 : -1e-4);
    CHECK(fit_run(f[1]) == EP_CONVERGED);
    value[side] = fit_value(f[1]);
  }
  CHECK_NEAR(grad[1][4], (value[1] - value[0]) / 2e-4, 1e-7);
  fit_free(f[0]);
  fit_free(f[1]);
  free(X);
  free(zero);
}

static void weights_have_their_gradient(void) {
  fit *f = fit_new(30, 3, 0.15, 68);
  double *log_p = dense_new(90), *slope = dense_new(90);
  CHECK(fit_cold(f) == EP_CONVERGED);
  classes_labels(&f->model, f->st.cav, 1, log_p);
  classes_slope(&f->model, f->st.log_z, log_p, slope);
  for (int k = 0; k < 90; k += check_quick() ? 28 : 7) {
    double *weight = &f->weight[IDX(k / 30, k % 30, 3)];
    const double at = *weight;
    double value[2];
    for (int side = 0; side < 2; side++) {
      *weight = at + (side ? 1e-5 : -1e-5);
      CHECK(classes_run(&f->model, &f->opt, &f->st, &f->work, NULL, NULL) ==
            EP_CONVERGED);
      value[side] = fit_value(f);
    }
    *weight = at;
    CHECK_NEAR(slope[k], (value[1] - value[0]) / 2e-5, 1e-6);
  }
  fit_free(f);
  free(log_p);
  free(slope);
}

/* One row: the posterior of its class is Bayes' rule with the prior 1/C. */
static void the_posterior_of_the_truth_is_exact(void) {
  const double weight[3] = {0.02, 0.5, 0.11};
  fit *f = fit_new(1, 3, 0.1, 72);
  fit_lay_out(f);
  for (int c = 0; c < 3; c++) {
    f->weight[c] = weight[c];
    f->post[c].ops->bind(&f->post[c]);
  }
  memset(f->st.site, 0, 3 * sizeof *f->st.site);
  CHECK(classes_run(&f->model, &f->opt, &f->st, &f->work, NULL, NULL) ==
        EP_CONVERGED);
  double log_p[3], slope[3];
  classes_labels(&f->model, f->st.cav, 1, log_p);
  classes_slope(&f->model, f->st.log_z, log_p, slope);
  for (int c = 0; c < 3; c++) {
    CHECK_NEAR(log_p[c], -log(3), 1e-10);
    CHECK_NEAR(weight[c] * slope[c], weight[c] / 0.63, 1e-10);
  }
  fit_free(f);
}

static void the_sweep_limit_is_kept_and_told(void) {
  fit *f = fit_new(60, 4, 0.05, 69);
  for (f->opt.max_sweeps = 1; f->opt.max_sweeps <= 4; f->opt.max_sweeps++) {
    CHECK(fit_cold(f) == EP_MAX_SWEEPS);
    CHECK(f->st.sweeps == f->opt.max_sweeps);
    for (int c = 0; c < 4; c++)
      for (int i = 0; i < 60; i++)
        CHECK(isfinite(f->post[c].m[i]) && f->post[c].A[i] > 0);
  }
  fit_free(f);
}

static int stop(void *data, int sweep, double residual) {
  (void)residual;
  return sweep >= *(int *)data;
}

static void the_monitor_is_asked_every_sweep(void) {
  fit *f = fit_new(60, 4, 0.05, 70);
  fit_cold(f);
  for (int last = 0; last < 4; last++) {
    memset(f->st.site, 0, 240 * sizeof *f->st.site);
    CHECK(classes_run(&f->model, &f->opt, &f->st, &f->work, stop, &last) ==
          EP_INTERRUPTED);
    CHECK(f->st.sweeps == last);
  }
  fit_free(f);
}

static void a_prior_with_nan_is_refused(void) {
  fit *f = fit_new(8, 3, 0.05, 71);
  f->K[IDX(3, 3, 8)] = NAN;
  CHECK(fit_cold(f) < 0);
  fit_free(f);
}

int main(void) {
  RUN("one row is exact", one_row_is_exact);
  RUN("independent rows know nothing of each other",
      independent_rows_know_nothing_of_each_other);
  RUN("cavities know their sites", cavities_know_their_sites);
  RUN("blocks, starts and steps do not matter",
      blocks_starts_and_steps_do_not_matter);
  RUN("the names of the classes do not matter", names_of_classes_do_not_matter);
  RUN("the coefficients of a row add up to nothing",
      coefficients_of_a_row_add_up_to_nothing);
  RUN("low rank has the same fixed point", low_rank_has_the_same_fixed_point);
  RUN("shared memory changes nothing", shared_memory_changes_nothing);
  RUN("weights have their gradient", weights_have_their_gradient);
  RUN("the posterior of the truth of one row is exact",
      the_posterior_of_the_truth_is_exact);
  RUN("the sweep limit is kept and told", the_sweep_limit_is_kept_and_told);
  RUN("the monitor is asked every sweep", the_monitor_is_asked_every_sweep);
  RUN("a prior with NaN is refused", a_prior_with_nan_is_refused);
  return check_done();
}
