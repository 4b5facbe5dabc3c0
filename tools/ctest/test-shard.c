/* Rows in shards: what they sum to does not depend on the cut, and is that of
 * the latent with all rows. */
#include "check.h"
#include "dense.h"
#include "matrix.h"
#include "shard.h"

enum { N = 60, K = 5, PARTS = SHARD_PARTS };

typedef struct {
  double Phi[K * N], lambda[N], y[N], here[PARTS * N], older[PARTS * N];
  double L[K * K], w[K];
  lik_step lik;
} problem;

/* Sites somewhere near those of a fit, and the posterior at them */
static void make(problem *p, uint64_t seed, double df) {
  const double epsilon[2] = {0.1, 0.05};
  p->lik = likelihood_step(df, N, epsilon);
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
  const shard_rows rows = {.n = n,
                           .k = K,
                           .n_all = N,
                           .Phi = p->Phi + first * K,
                           .lambda = p->lambda + first,
                           .y = p->y + first};
  shard_work work;
  workspace ws = {NULL, 0};
  shard_carve(&work, &rows, NULL, &ws);
  double *block = dense_new(ws.used);
  ws = (workspace){block, 0};
  shard_carve(&work, &rows, NULL, &ws);
  r->status = EP_CONVERGED;
  if (scale < 0) {
    shard_gram(&rows, points[0], points[0] + n, &work, r->P, r->h);
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
    r->status = shard_pass(&rows, &p->lik, &u, &step, &work, next, &r->sums);
    if (r->status == EP_CONVERGED) {
      shard_gradient(&rows, &p->lik, &u, 0.3, &work, r->gradient, r->epsilon);
      for (int k = 0; k < PARTS; k++)
        memcpy(r->next + k * N + first, next + k * n,
               (size_t)n * sizeof(double));
      memcpy(r->A + first, work.post.A, (size_t)n * sizeof(double));
      memcpy(r->m + first, work.post.m, (size_t)n * sizeof(double));
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

static void
near_terms(criterion_terms a, criterion_terms b, criterion_terms c) {
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
      CHECK_NEAR(a->squares + b->squares, c->squares, 1e-11);
      CHECK_NEAR(a->log_det + b->log_det, c->log_det, 1e-12);
      CHECK_NEAR(a->loo + b->loo, c->loo, 1e-11);
      CHECK(fmax(a->worst, b->worst) == c->worst);
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

/* Marginals are those of the latent with these rows, at its own posterior */
static void marginals_are_those_of_all_rows(void) {
  problem p;
  result at, pass;
  make(&p, 9, INFINITY);
  for (int i = 0; i < N; i++) p.lambda[i] = 0.3;
  part(&p, 0, N, -1, &at);
  take_posterior(&p, &at);
  part(&p, 0, N, 0, &pass);
  double s0[K], tau[N], nu[N];
  for (int j = 0; j < K; j++) s0[j] = 1;
  latent_lowrank lr;
  latent post = latent_lowrank_features(&lr, N, K, p.Phi, s0, 0.3);
  workspace ws = {NULL, 0};
  post.ops->carve(&post, 16, &ws);
  double *block = dense_new(ws.used);
  ws = (workspace){block, 0};
  post.ops->carve(&post, 16, &ws);
  post.ops->bind(&post);
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
  RUN("a row without a posterior is a status",
      a_row_without_a_posterior_is_a_status);
  return check_done();
}
