/* Parallel EP with Anderson acceleration. */
#include "anderson.h"
#include "check.h"
#include "fit.h"
#include "latent-lowrank.h"

/* In a space of as many dimensions as it remembers a linear map is known after
 * that many steps. */
static void a_linear_map_is_solved_at_once(void) {
  enum { n = ANDERSON_MEMORY };
  uint64_t seed = 3;
  double A[n * n], b[n], x[n] = {0}, f[n], weight[n], step[n], worst = 0;
  anderson a;
  workspace ws = {NULL, 0};
  anderson_carve(&a, n, &ws);
  double *block = dense_new(ws.used);
  ws = (workspace){block, 0};
  anderson_carve(&a, n, &ws);
  for (int i = 0; i < n * n; i++) A[i] = dense_norm(&seed); /* no contraction */
  for (int i = 0; i < n; i++) {
    b[i] = dense_norm(&seed);
    weight[i] = 1 + i;
  }
  for (int pass = 0; pass <= n + 1; pass++) {
    worst = 0;
    for (int i = 0; i < n; i++) {
      f[i] = b[i];
      for (int j = 0; j < n; j++) f[i] -= A[IDX(i, j, n)] * x[j];
      worst = fmax(worst, fabs(f[i]));
    }
    anderson_take(&a, weight, x, f);
    if (a.count > 0) CHECK(anderson_solve(a.H, a.g, a.count));
    anderson_step(&a, a.g, step);
    for (int i = 0; i < n; i++) x[i] += step[i];
  }
  CHECK(worst < 1e-6);
  free(block);
}

/* The same problem by either way; the sites in units of the residual. */
static void check_same(fit *a, fit *b, double tol) {
  b->opt.parallel = 1;
  workspace ws = {NULL, 0};
  fit_carve(b, &ws);
  free(b->block);
  b->block = dense_new(ws.used);
  ws = (workspace){b->block, 0};
  fit_carve(b, &ws);
  CHECK(fit_cold(a) == EP_CONVERGED);
  CHECK(fit_cold(b) == EP_CONVERGED);
  CHECK(b->st.newton == 0);
  for (int i = 0; i < a->n; i++) {
    const double A = a->post.A[i];
    CHECK(fabs(a->st.site[i].tau - b->st.site[i].tau) * A < tol);
    CHECK(fabs(a->st.site[i].nu - b->st.site[i].nu) * sqrt(A) < tol);
  }
}

static void kernel_space_has_the_same_fixed_point(void) {
  const double dfs[] = {5, 10, INFINITY};
  for (int k = 0; k < 3; k++)
    for (uint64_t seed = 1; seed <= (check_quick() ? 1 : 4); seed++) {
      fit *a = fit_new(90, dfs[k], 0.05), *b = fit_new(90, dfs[k], 0.05);
      dense_problem(seed, 90, 0.3, a->K, a->y);
      dense_problem(seed, 90, 0.3, b->K, b->y);
      check_same(a, b, 1e-8);
      fit_free(a);
      fit_free(b);
    }
}

/* Labels of which every other is wrong where nothing is allowed to be: whatever
 * becomes of it has a status, and sites that have a posterior. */
static void failure_has_a_status(void) {
  const int n = check_quick() ? 30 : 60;
  for (uint64_t seed = 1; seed <= 6; seed++) {
    fit *f = fit_new(n, seed % 2 ? 1.5 : INFINITY, seed % 3 ? 0 : 1e-6);
    dense_problem(seed, n, 1e-7, f->K, f->y);
    for (int i = 0; i < n; i += 2) f->y[i] = -f->y[i];
    f->opt.parallel = f->opt.lean = 1;
    f->opt.max_sweeps = 100;
    workspace ws = {NULL, 0};
    fit_carve(f, &ws);
    free(f->block);
    f->block = dense_new(ws.used);
    ws = (workspace){f->block, 0};
    fit_carve(f, &ws);
    CHECK(fit_cold(f) >= 0);
    for (int i = 0; i < n; i++) CHECK(isfinite(f->post.A[i]));
    fit_free(f);
  }
}

int main(void) {
  RUN("a linear map is solved at once", a_linear_map_is_solved_at_once);
  RUN("kernel space has the same fixed point",
      kernel_space_has_the_same_fixed_point);
  RUN("failure has a status", failure_has_a_status);
  return check_done();
}
