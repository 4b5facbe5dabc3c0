/* Rows in shards: what they sum to does not depend on the cut, and is that of
 * the latent with all rows. */
#include "adjoint.h"
#include "check.h"
#include "dense.h"
#include "ep.h"
#include "flip-rates.h"
#include "matrix.h"
#include "shard.h"

enum { N = 60, K = 5, PARTS = SHARD_PARTS };

typedef struct {
  double Phi[K * N], lambda[N], y[N], here[PARTS * N], older[PARTS * N];
  double L[K * K], w[K], df;
} problem;

static const double flips[2] = {0.1, 0.05};

/* Sites somewhere near those of a fit, and the posterior at them */
static void make(problem *p, uint64_t seed, double df) {
  p->df = df;
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < K; j++) p->Phi[j + i * K] = dense_norm(&seed);
    p->lambda[i] = 0.3 + fabs(dense_norm(&seed));
    p->y[i] = dense_norm(&seed) > 0 ? 1 : -1;
    for (int part = 0; part < PARTS; part++) {
      p->here[part * N + i] = 0.05 * dense_norm(&seed);
      p->older[part * N + i] = 0.02 * dense_norm(&seed);
    }
    p->here[i] = fabs(p->here[i]);
  }
}

typedef struct {
  double P[K * K], h[K], next[PARTS * N], gradient[1], epsilon[2];
  double A[N], m[N];
  shard_sums sums;
  int status;
} result;

/* Rows first, .., first + n - 1 of the problem, alone. scale < 0: P and h of
 * the point `here` only. */
static void part(const problem *p, int first, int n, double scale, result *r) {
  double *points[2];
  const double *from[2] = {p->here, p->older};
  for (int s = 0; s < 2; s++) {
    points[s] = dense_new((size_t)PARTS * (size_t)n);
    for (int k = 0; k < PARTS; k++)
      memcpy(points[s] + k * n, from[s] + k * N + first,
             (size_t)n * sizeof(double));
  }
  const lowrank_rows rows = {.n = n,
                             .k = K,
                             .Phi = p->Phi + first * K,
                             .lambda = p->lambda + first,
                             .nugget = 0.3,
                             .d = N,
                             .n_terms = N};
  const double *y = p->y + first;
  step_levels row[N];
  const lik_step lik = label_step(p->df, N, n, y, flips, row);
  shard here = {.q = NULL};
  here.post = latent_lowrank_rows(&here.lr, &rows);
  workspace ws = {NULL, 0};
  shard_carve(&here, &ws);
  double *block = dense_new(ws.used);
  ws = (workspace){block, 0};
  shard_carve(&here, &ws);
  here.post.ops->bind(&here.post);
  r->status = EP_CONVERGED;
  if (scale < 0) {
    shard_gram(&here, points[0], points[0] + n, r->P, r->h);
  } else {
    const double gamma = 0.4;
    const shard_posterior u = {p->L, p->w};
    const shard_step step = {.here = points[0],
                             .memory = {points[1]},
                             .gamma = &gamma,
                             .count = 1,
                             .known = 1,
                             .scale = scale};
    r->sums = (shard_sums){.P = r->P, .h = r->h};
    double *next = dense_new((size_t)PARTS * (size_t)n);
    r->status = shard_pass(&here, &lik, &u, &step, next, &r->sums);
    if (r->status == EP_CONVERGED) {
      double slope[2 * N];
      shard_gradient(&here, &lik, r->gradient, slope);
      r->epsilon[0] = r->epsilon[1] = 0;
      for (int i = 0; i < n; i++) {
        r->epsilon[0] += y[i] * slope[i];
        r->epsilon[1] -= y[i] * slope[n + i];
      }
      for (int k = 0; k < PARTS; k++)
        memcpy(r->next + k * N + first, next + k * n,
               (size_t)n * sizeof(double));
      memcpy(r->A + first, here.post.A, (size_t)n * sizeof(double));
      memcpy(r->m + first, here.post.m, (size_t)n * sizeof(double));
    }
    free(next);
  }
  free(block);
  free(points[0]);
  free(points[1]);
}

/* The posterior at x, P and h being those of r */
static void take_posterior(problem *p, const result *r) {
  double ignore = 0;
  memcpy(p->L, r->P, sizeof p->L);
  for (int j = 0; j < K; j++) p->L[j * (K + 1)] += 1;
  CHECK(cholesky(p->L, K, &ignore) == EP_CONVERGED);
  memcpy(p->w, r->h, sizeof p->w);
  solve_lower("N", p->L, K, p->w, 1);
  solve_lower("T", p->L, K, p->w, 1);
}

static void near_terms(criterion_terms a, criterion_terms b,
                       criterion_terms c) {
  CHECK(a.shift == 0 && b.shift == 0 && c.shift == 0);
  CHECK_NEAR(a.R + b.R, c.R, 1e-11);
  CHECK_NEAR(a.h + b.h, c.h, 1e-11);
}

static void sums_do_not_depend_on_the_cut(void) {
  const double dfs[] = {6, INFINITY};
  for (int d = 0; d < 2; d++)
    for (uint64_t seed = 1; seed <= 4; seed++) {
      static const int cut = 23;
      problem p;
      result all, one, two;
      make(&p, seed, dfs[d]);
      part(&p, 0, N, -1, &all);
      take_posterior(&p, &all);
      part(&p, 0, N, 0.5, &all);
      part(&p, 0, cut, 0.5, &one);
      part(&p, cut, N - cut, 0.5, &two);
      CHECK(all.status == 0 && one.status == 0 && two.status == 0);
      for (int j = 0; j < K; j++) {
        CHECK_NEAR(one.h[j] + two.h[j], all.h[j], 1e-12);
        for (int i = j; i < K; i++)
          CHECK_NEAR(one.P[i + j * K] + two.P[i + j * K], all.P[i + j * K],
                     1e-12);
      }
      const shard_sums *a = &one.sums, *b = &two.sums, *c = &all.sums;
      CHECK_NEAR(a->rows.squares + b->rows.squares, c->rows.squares, 1e-11);
      CHECK_NEAR(a->log_det + b->log_det, c->log_det, 1e-12);
      CHECK_NEAR(a->loo + b->loo, c->loo, 1e-11);
      CHECK(fmax(a->rows.worst, b->rows.worst) == c->rows.worst);
      CHECK(a->known == 2 && b->known == 2 && c->known == 2);
      for (int j = 0; j < 4; j++) CHECK_NEAR(a->H[j] + b->H[j], c->H[j], 1e-12);
      for (int j = 0; j < 2; j++) CHECK_NEAR(a->g[j] + b->g[j], c->g[j], 1e-12);
      near_terms(a->evidence, b->evidence, c->evidence);
      near_terms(a->evidence_zp, b->evidence_zp, c->evidence_zp);
      CHECK_NEAR(one.gradient[0] + two.gradient[0], all.gradient[0], 1e-11);
      for (int j = 0; j < 2; j++)
        CHECK_NEAR(one.epsilon[j] + two.epsilon[j], all.epsilon[j], 1e-11);
    }
}

/* (10.2): what f sums to tells P and h after the step */
static void a_step_is_linear_in_what_is_summed(void) {
  problem p;
  result at, pass, older, there;
  make(&p, 7, INFINITY);
  part(&p, 0, N, -1, &at);
  take_posterior(&p, &at);
  part(&p, 0, N, 0.5, &pass);
  /* f of here and the difference, as points whose x they are */
  problem f = p, d = p, next = p;
  memcpy(f.here, p.here + 2 * N, 2 * N * sizeof(double));
  for (int i = 0; i < 2 * N; i++) d.here[i] = p.older[i] + p.older[2 * N + i];
  memcpy(next.here, pass.next, 2 * N * sizeof(double));
  result of_f;
  part(&f, 0, N, -1, &of_f);
  part(&d, 0, N, -1, &older);
  part(&next, 0, N, -1, &there);
  for (int j = 0; j < K; j++) {
    CHECK_NEAR(at.h[j] + 0.5 * (of_f.h[j] - 0.4 * older.h[j]), there.h[j],
               1e-12);
    for (int i = j; i < K; i++) {
      const int e = i + j * K;
      CHECK_NEAR(at.P[e] + 0.5 * (of_f.P[e] - 0.4 * older.P[e]), there.P[e],
                 1e-12);
    }
  }
}

/* A latent of all rows, its memory in *block */
static latent all_rows(latent_lowrank *lr, const problem *p, double **block) {
  static const double ones[K] = {1, 1, 1, 1, 1};
  latent post = latent_lowrank_features(lr, N, K, p->Phi, ones, 0.3);
  workspace ws = {NULL, 0};
  post.ops->carve(&post, 16, &ws);
  *block = dense_new(ws.used);
  ws = (workspace){*block, 0};
  post.ops->carve(&post, 16, &ws);
  post.ops->bind(&post);
  return post;
}

/* Marginals are those of the latent with these rows, at its own posterior */
static void marginals_are_those_of_all_rows(void) {
  problem p;
  result at, pass;
  make(&p, 9, INFINITY);
  for (int i = 0; i < N; i++) p.lambda[i] = 0.3;
  part(&p, 0, N, -1, &at);
  take_posterior(&p, &at);
  part(&p, 0, N, 0, &pass);
  double tau[N], nu[N], *block;
  latent_lowrank lr;
  latent post = all_rows(&lr, &p, &block);
  for (int i = 0; i < N; i++) {
    const double left = 1 - 0.3 * p.here[i];
    tau[i] = p.here[i] / left;
    nu[i] = p.here[N + i] / left;
  }
  CHECK(post.ops->refresh(&post, tau, nu) == EP_CONVERGED);
  for (int i = 0; i < N; i++) {
    CHECK_NEAR(pass.A[i], post.A[i], 1e-12);
    CHECK_NEAR(pass.m[i], post.m[i], 1e-12);
  }
  free(block);
}

/* Sequential EP, Newton steps and the gradient, which ask for all of
 * latent_ops, give the same of a shard with all rows as of the latent that
 * makes its features. */
static double fit_rows(latent *post, const problem *p, ep_site *site,
                       double *gradient) {
  const ep_options opt = {
      .tol = 1e-10, .max_sweeps = 200, .damping = 1, .block = 16};
  step_levels row[N];
  const lik_step lik = label_step(p->df, N, N, p->y, flips, row);
  ep_state st;
  ep_work work;
  criterion_partials partials;
  workspace ws = {NULL, 0};
  ep_carve(&st, &work, N, &opt, &ws);
  adjoint_carve(&partials, N, 2, &ws);
  double *block = dense_new(ws.used), value = NAN;
  ws = (workspace){block, 0};
  ep_carve(&st, &work, N, &opt, &ws);
  adjoint_carve(&partials, N, 2, &ws);
  memset(st.site, 0, N * sizeof *st.site);
  CHECK(ep_run(post, &lik, &opt, &st, &work, NULL, NULL) == EP_CONVERGED);
  criterion_value(CRITERION_EVIDENCE, post, p->df, st.site, st.view, &value);
  CHECK(adjoint_gradient(CRITERION_LOO, post, &lik, st.site, st.view, &work.fix,
                         &partials, gradient) == EP_CONVERGED);
  memcpy(site, st.site, N * sizeof *site);
  free(block);
  return value;
}

static void a_shard_is_a_latent(void) {
  const double dfs[] = {6, INFINITY};
  for (int d = 0; d < 2; d++) {
    problem p;
    make(&p, 11, dfs[d]);
    for (int i = 0; i < N; i++) p.lambda[i] = 0.3;
    double *blocks[2], gradient[2][K + 4];
    ep_site site[2][N];
    latent_lowrank lr[2];
    latent whole = all_rows(&lr[0], &p, &blocks[0]);
    const lowrank_rows rows = {.n = N,
                               .k = K,
                               .Phi = p.Phi,
                               .lambda = p.lambda,
                               .nugget = 0.3,
                               .d = N,
                               .n_terms = 1e10};
    latent given = latent_lowrank_rows(&lr[1], &rows);
    workspace ws = {NULL, 0};
    given.ops->carve(&given, 16, &ws);
    blocks[1] = dense_new(ws.used);
    ws = (workspace){blocks[1], 0};
    given.ops->carve(&given, 16, &ws);
    given.ops->bind(&given);
    CHECK(given.n == N && given.d == N && given.n_terms == 1e10);
    given.n_terms = N;
    const double a = fit_rows(&whole, &p, site[0], gradient[0]);
    const double b = fit_rows(&given, &p, site[1], gradient[1]);
    CHECK(a == b);
    CHECK(memcmp(site[0], site[1], sizeof site[0]) == 0);
    for (int j = 0; j < K + 1; j++) CHECK(gradient[0][j] == gradient[1][j]);
    free(blocks[0]);
    free(blocks[1]);
  }
}

static void a_row_without_a_posterior_is_a_status(void) {
  problem p;
  result at, pass;
  make(&p, 3, INFINITY);
  part(&p, 0, N, -1, &at);
  take_posterior(&p, &at);
  p.here[4] = 1.1 / p.lambda[4];
  p.here[2 * N + 4] = p.older[4] = p.older[2 * N + 4] = 0;
  part(&p, 0, N, 0.5, &pass);
  CHECK(pass.status == EP_NOT_PD);
}

int main(void) {
  RUN("sums do not depend on the cut", sums_do_not_depend_on_the_cut);
  RUN("a step is linear in what is summed", a_step_is_linear_in_what_is_summed);
  RUN("marginals are those of all rows", marginals_are_those_of_all_rows);
  RUN("a shard is a latent", a_shard_is_a_latent);
  RUN("a row without a posterior is a status",
      a_row_without_a_posterior_is_a_status);
  return check_done();
}
