/* Evidence and leave-one-out with their direct partial derivatives. */
#include "criterion.h"
#include "check.h"
#include "fit.h"

static const double dfs[] = {1e-3, 0.7, 3, 10, 1e6, INFINITY};
static const criterion_type types[] = {CRITERION_EVIDENCE,
                                       CRITERION_EVIDENCE_ZP, CRITERION_LOO};
#define N_DFS (int)(sizeof dfs / sizeof *dfs)

static fit *converged(int n, double df, double epsilon, uint64_t seed) {
  fit *f = fit_new(n, df, epsilon);
  dense_problem(seed, n, 0.5, f->K, f->y);
  CHECK(fit_cold(f) == EP_CONVERGED);
  return f;
}

/* The normalisers agree where q = 1 or nothing is flipped: Z1 = Zp then. */
static void the_normalisers_agree_where_they_should(void) {
  fit *gauss = converged(20, INFINITY, 0.1, 31);
  CHECK_NEAR(fit_value(gauss, CRITERION_EVIDENCE),
             fit_value(gauss, CRITERION_EVIDENCE_ZP), 1e-13);
  fit *clean = converged(20, 10, 0, 31), *flips = converged(20, 10, 0.1, 31);
  CHECK_NEAR(fit_value(clean, CRITERION_EVIDENCE),
             fit_value(clean, CRITERION_EVIDENCE_ZP), 1e-12);
  CHECK(fit_value(flips, CRITERION_EVIDENCE) <
        fit_value(flips, CRITERION_EVIDENCE_ZP) - 1e-3);
  fit_free(gauss);
  fit_free(clean);
  fit_free(flips);
}

static void a_large_df_tends_to_the_gaussian(void) {
  for (int k = 0; k < 3; k++) {
    fit *f = converged(25, INFINITY, 0.03, 32);
    const double limit = fit_value(f, types[k]);
    fit_free(f);
    for (double df = 1e6; df < 1e13; df *= 1e3) {
      f = converged(25, df, 0.03, 32);
      /* the difference is of order n/df, then rounding */
      CHECK_NEAR(fit_value(f, types[k]), limit, 300 / df + 1e-12);
      fit_free(f);
    }
  }
}

static void undefined_evidence_is_told(void) {
  fit *f = converged(12, 3, 0.05, 33);
  double value = 7;
  const double log_det = f->post.log_det;
  f->post.log_det = -60; /* exp(-D/v) large, R < 0 here */
  for (int i = 0; i < 12; i++) f->st.view[i].tilt.log_z1 = 0;
  CHECK(criterion_value(CRITERION_EVIDENCE, &f->post, 3, f->st.site, f->st.view,
                        &value) == EP_NO_EVIDENCE);
  CHECK(value == 7);
  f->post.log_det = log_det;
  f->st.view[2].proper = 0;
  for (int k = 0; k < 3; k++)
    CHECK(criterion_value(types[k], &f->post, 3, f->st.site, f->st.view,
                          &value) == EP_IMPROPER);
  CHECK(value == 7);
  fit_free(f);
}

/* exp(-2 log(Z_i)/v) is beyond a double at a v this small, and within the range
 * of a long double. */
static void a_tiny_df_does_not_overflow(void) {
  const double df = 2e-3;
  fit *f = converged(12, df, 0.05, 33);
  long double R = 0, h = 0;
  int beyond = 0;
  for (int i = 0; i < f->n; i++) {
    const long double A = f->post.A[i], m = f->post.m[i], v = df;
    const long double tau = f->st.site[i].tau, nu = f->st.site[i].nu;
    const long double u = 1 - tau * A;
    const double log_z = f->st.view[i].tilt.log_z1;
    R += expl(-2 * log_z / v) - expl(-logl(u) / v) +
         (tau * m * m - 2 * m * nu + A * nu * nu) / u / -v;
    h += nu * m;
    beyond += !isfinite(exp(-2 * log_z / df));
  }
  R -= h / df;
  const long double D = f->post.log_det;
  const long double want = -df / 2 * logl(expl(D / df) + R);
  CHECK(beyond > 0 && isfinite(want));
  CHECK_NEAR(fit_value(f, CRITERION_EVIDENCE), (double)want, 1e-12);
  fit_free(f);

  f = converged(1, 1e-3, 0.05, 34); /* exact with Zp */
  CHECK_NEAR(fit_value(f, CRITERION_EVIDENCE_ZP), log(0.5), 1e-12);
  fit_free(f);
}

/* ---- partial derivatives by differences ----
 * A, m, tau, nu of one site, D, h and L are moved one at a time. h enters
 * only through the sum nu' m, so it is moved by a site that changes nothing
 * else: an extra one with A = 0, m = 1 and nu = step. */

enum { P_A, P_M, P_TAU, P_NU, P_D, P_LO, P_HI, N_P };

typedef struct {
  fit *f;
  criterion_type type;
  int by, i;
} probe;

/* Views of marginals that need not belong to one posterior. */
static void look(fit *f, const lik_step *lik) {
  for (int i = 0; i < f->n; i++) {
    site_view *v = &f->st.view[i];
    site_divide(f->post.A[i], f->post.m[i], f->st.site[i], lik->df, &v->cav);
    v->tilt = likelihood_tilt(lik, i, v->cav.mean, v->cav.var);
    v->proper = 1;
  }
}

enum { N = 8 };

/* Labels with two flip rates: lo is the larger of those at -1 */
static void levels(const fit *f, double *L) {
  for (int i = 0; i < N; i++) {
    L[i] = f->y[i] > 0 ? 0.04 : 0.96;
    L[N + i] = f->y[i] > 0 ? 0.89 : 0.11;
  }
}

static double probe_at(void *data, double step) {
  probe *p = data;
  fit *f = p->f;
  double L[2 * N];
  levels(f, L);
  double *moved[] = {&f->post.A[p->i],      &f->post.m[p->i],
                     &f->st.site[p->i].tau, &f->st.site[p->i].nu,
                     &f->post.log_det,      &L[p->i],
                     &L[N + p->i]};
  const double was = *moved[p->by];
  /* D and the sites are separate arguments: nothing else follows the move */
  *moved[p->by] += step;
  step_levels row[N];
  const lik_step lik = likelihood_step(f->lik.df, N, N, L, row);
  look(f, &lik);
  double value = NAN;
  criterion_value(p->type, &f->post, lik.df, f->st.site, f->st.view, &value);
  *moved[p->by] = was;
  return value;
}

static void partial_derivatives_equal_differences(void) {
  for (int k = 0; k < N_DFS; k++)
    for (int t = 0; t < 3; t++) {
      fit *f = converged(N, dfs[k], 0.05, 34);
      uint64_t seed = 35;
      for (int i = 0; i < N; i++) { /* away from the fixed point */
        f->post.m[i] += 0.1 * dense_norm(&seed);
        f->post.A[i] *= 1 - 0.1 * dense_unif(&seed);
      }
      double L[2 * N];
      step_levels row[N];
      levels(f, L);
      const lik_step lik = likelihood_step(dfs[k], N, N, L, row);
      look(f, &lik);
      criterion_partials *E = &f->partials;
      CHECK(criterion_derivatives(types[t], &f->post, &lik, f->st.site,
                                  f->st.view, E) == EP_CONVERGED);
      for (int i = 0; i < N; i += 3) {
        /* criterion_value() forms h from m and nu: take that part out */
        const double want[N_P] = {E->A[i],    E->m[i] + E->h * f->st.site[i].nu,
                                  E->tau[i],  E->nu[i] + E->h * f->post.m[i],
                                  E->D,       E->L[i],
                                  E->L[N + i]};
        for (int by = 0; by < N_P; by++) {
          probe p = {f, types[t], by, i};
          const double unit =
              fmin(1, dfs[k]); /* E bends over such a distance */
          const double h = unit * (by < P_LO ? 0.01 * f->post.A[i] : 0.004);
          CHECK_NEAR(want[by], dense_slope(probe_at, &p, h), 3e-8);
        }
      }
      fit_free(f);
    }
}

int main(void) {
  RUN("the normalisers agree where they should",
      the_normalisers_agree_where_they_should);
  RUN("a large df tends to the Gaussian", a_large_df_tends_to_the_gaussian);
  RUN("undefined evidence is told", undefined_evidence_is_told);
  RUN("a tiny df does not overflow", a_tiny_df_does_not_overflow);
  RUN("partial derivatives equal differences",
      partial_derivatives_equal_differences);
  return check_done();
}
