/* Cavity, projection and their derivatives, one site at a time. */
#include "site.h"
#include "check.h"
#include "dense.h"
#include "flip-rates.h"

static const double dfs[] = {0.5, 3, 10, 60, 1e8, INFINITY};
#define N_DFS (int)(sizeof dfs / sizeof *dfs)

/* A random marginal and site with a proper cavity; tau of either sign. */
typedef struct {
  double A, m, y;
  ep_site site;
} marginal;

static marginal random_marginal(uint64_t *seed) {
  marginal x = {.A = exp(dense_norm(seed)), .m = 2 * dense_norm(seed)};
  x.y = dense_unif(seed) < 0.5 ? -1 : 1;
  x.site.tau = (1 - exp(dense_norm(seed))) / x.A;
  x.site.nu = dense_norm(seed);
  return x;
}

static lik_step step_of(double df, double y, double epsilon, step_levels *row) {
  const double both[2] = {epsilon, epsilon};
  return label_step(df, 20, 1, &y, both, row);
}

static void cavity_times_site_is_the_marginal(void) {
  uint64_t seed = 1;
  for (int k = 0; k < 200; k++) {
    const marginal x = random_marginal(&seed);
    ep_cavity cav;
    CHECK(site_divide(x.A, x.m, x.site, INFINITY, &cav) == EP_CONVERGED);
    const double precision = 1 / cav.base + x.site.tau;
    CHECK_NEAR(1 / precision, x.A, 1e-12);
    CHECK_NEAR((cav.mean / cav.base + x.site.nu) / precision, x.m, 1e-11);
    CHECK_NEAR(cav.var, cav.base, 0);
  }
}

static void the_scale_of_the_cavity_follows_its_determinant(void) {
  uint64_t seed = 2;
  for (int k = 0; k < 50; k++)
    for (int j = 0; j < N_DFS; j++) {
      const marginal x = random_marginal(&seed);
      ep_cavity cav;
      site_divide(x.A, x.m, x.site, dfs[j], &cav);
      CHECK_NEAR(cav.u, 1 - x.site.tau * x.A, 1e-15);
      CHECK_NEAR(cav.var, pow(cav.u, -1 / dfs[j]) * cav.base, 1e-13);
    }
}

static void improper_cavities_are_refused_and_left(void) {
  const ep_site heavy = {2, 0};
  ep_cavity cav = {.u = -7};
  CHECK(site_divide(0.5, 0, heavy, 3, &cav) == EP_IMPROPER); /* u = 0 */
  CHECK(site_divide(1, 0, heavy, 3, &cav) == EP_IMPROPER);
  CHECK(site_divide(NAN, 0, heavy, 3, &cav) == EP_IMPROPER);
  CHECK(site_divide(0.1, INFINITY, heavy, 3, &cav) == EP_IMPROPER);
  CHECK(cav.u == -7);
}

/* The escort of the cavity in scaled units has variance cav.var; matching means
 * that cavity times projected site has the tilted mean and, after the change of
 * scale that the site brings about, the tilted variance. */
static void the_projection_matches_the_tilted_moments(void) {
  uint64_t seed = 3;
  for (int k = 0; k < 100; k++)
    for (int j = 0; j < N_DFS; j++) {
      const marginal x = random_marginal(&seed);
      step_levels row;
      const lik_step lik = step_of(dfs[j], x.y, k % 2 ? 0.07 : 0, &row);
      ep_cavity cav;
      ep_site next;
      site_divide(x.A, x.m, x.site, dfs[j], &cav);
      const tilted t = likelihood_tilt(&lik, 0, cav.mean, cav.var);
      CHECK(site_project(&cav, &t, dfs[j], &next) == EP_CONVERGED);
      const double grow = 1 + next.tau * cav.base;
      const double mean = (cav.mean + cav.base * next.nu) / grow;
      /* new scale: |S| shrinks by grow, the overall scale by grow^{-1/v} */
      const double var = cav.var / grow * pow(grow, -1 / dfs[j]);
      CHECK_NEAR(mean, x.y * sqrt(cav.var) * t.mu, 1e-10);
      CHECK_SCALED(var, cav.var * t.w, 1e-10, 0);
    }
}

static void a_contradicted_label_gets_a_negative_precision(void) {
  for (int j = 0; j < N_DFS; j++) {
    step_levels row;
    const lik_step lik = step_of(dfs[j], 1, 0.1, &row);
    const ep_site none = {0, 0};
    ep_cavity cav;
    ep_site next;
    site_divide(1, -2, none, dfs[j], &cav);
    const tilted t = likelihood_tilt(&lik, 0, cav.mean, cav.var);
    CHECK(site_project(&cav, &t, dfs[j], &next) == EP_CONVERGED);
    CHECK(next.tau < 0);
    CHECK(next.nu > 0);
  }
}

/* nu of a label that agrees: with alpha, 1 - w << 1 it is a small number
 * beside the means whose difference it is. */
static void a_label_that_agrees_keeps_its_digits(void) {
  const ep_site none = {0, 0};
  for (int z = 2; z <= 8; z += 2) {
    step_levels row;
    const lik_step lik = step_of(INFINITY, 1, 0, &row);
    ep_cavity cav;
    ep_site next;
    site_divide(1, z, none, INFINITY, &cav);
    const tilted t = likelihood_tilt(&lik, 0, cav.mean, cav.var);
    CHECK(site_project(&cav, &t, INFINITY, &next) == EP_CONVERGED);
    const long double log_g = -logl((long double)t.w);
    const long double want = z * expm1l(log_g) + t.alpha * expl(log_g);
    CHECK_SCALED(next.nu, (double)want, 1e-13, 0);
  }
}

static void a_direction_without_variance_has_a_flat_site(void) {
  const ep_site none = {0, 0};
  step_levels row;
  const lik_step lik = step_of(5, 1, 0, &row);
  ep_cavity cav;
  ep_site next = {1, 1};
  CHECK(site_divide(0, 0, none, 5, &cav) == EP_CONVERGED);
  CHECK(cav.var == 0);
  const tilted t = likelihood_tilt(&lik, 0, cav.mean, cav.var);
  CHECK(site_project(&cav, &t, 5, &next) == EP_CONVERGED);
  CHECK(next.tau == 0 && next.nu == 0);
}

/* ---- derivatives by differences ---- */

typedef struct {
  marginal x;
  double df, L[2];
  int by,
      out; /* moved quantity; result: u, log base, log var, mean, z, tau, nu */
} probe;

static double probe_at(void *data, double step) {
  const probe *p = data;
  marginal x = p->x;
  double L[2] = {p->L[0], p->L[1]};
  double *moved[] = {&x.A, &x.m, &x.site.tau, &x.site.nu};
  if (p->by < BY_LO) *moved[p->by] += step;
  if (p->by >= BY_LO) L[p->by - BY_LO] += step;
  step_levels row;
  const lik_step lik = likelihood_step(p->df, 20, 1, L, &row);
  ep_cavity cav;
  ep_site next;
  site_divide(x.A, x.m, x.site, p->df, &cav);
  const tilted t = likelihood_tilt(&lik, 0, cav.mean, cav.var);
  site_project(&cav, &t, p->df, &next);
  const double out[] = {cav.u, log(cav.base), log(cav.var), cav.mean,
                        t.z,   next.tau,      next.nu};
  return out[p->out];
}

static void derivatives_equal_differences(void) {
  uint64_t seed = 4;
  for (int k = 0; k < 40; k++)
    for (int j = 0; j < N_DFS; j++) {
      probe p = {.x = random_marginal(&seed),
                 .df = dfs[j],
                 .L = {k % 2 ? 0.05 : 0.88, k % 2 ? 0.8 : 0.12}};
      step_levels row;
      const lik_step lik = likelihood_step(p.df, 20, 1, p.L, &row);
      ep_cavity cav;
      ep_site next;
      site_divide(p.x.A, p.x.m, p.x.site, p.df, &cav);
      const tilted t = likelihood_tilt(&lik, 0, cav.mean, cav.var);
      site_project(&cav, &t, p.df, &next);
      const tilted_grad tg = likelihood_tilt_grad(&lik, 0, &t);
      const cavity_grad cg = site_divide_grad(p.x.A, p.x.site, p.df, &cav, &t);
      const site_jacobian J = site_project_grad(&cav, p.df, &t, &tg, &cg, next);
      for (p.by = 0; p.by < N_BY; p.by++) {
        const int b = p.by < 4 ? p.by : 0;
        const double want[] = {cg.u[b],    cg.log_base[b], cg.log_var[b],
                               cg.mean[b], cg.z[b],        J.tau[p.by],
                               J.nu[p.by]};
        for (p.out = p.by < 4 ? 0 : 5; p.out < 7; p.out++) {
          const double h = p.by < 4 ? 2e-3 * cav.u * fmin(p.x.A, 1) : 2e-3;
          CHECK_NEAR(want[p.out], dense_slope(probe_at, &p, h), 1e-7);
        }
      }
    }
}

int main(void) {
  RUN("a cavity times its site is the marginal",
      cavity_times_site_is_the_marginal);
  RUN("the cavity's scale follows its determinant",
      the_scale_of_the_cavity_follows_its_determinant);
  RUN("improper cavities are refused", improper_cavities_are_refused_and_left);
  RUN("the projection matches the tilted moments",
      the_projection_matches_the_tilted_moments);
  RUN("a contradicted label gets a negative precision",
      a_contradicted_label_gets_a_negative_precision);
  RUN("a label that agrees keeps its digits",
      a_label_that_agrees_keeps_its_digits);
  RUN("a direction without variance has a flat site",
      a_direction_without_variance_has_a_flat_site);
  RUN("derivatives equal differences", derivatives_equal_differences);
  return check_done();
}
