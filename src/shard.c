/* What: a pass of parallel EP over the rows of a shard.
 * Method: ep-parallel.c, cut where rows meet. All that they share is the
 *   posterior of u;
 *     P = I + Phi' diag(tt) Phi,   h = Phi' nt                       [M 10.2]
 *   are linear in x = (tt, nt), so that sums of f tell P and h after any step,
 *   and what a step costs is one visit to the rows.
 * References: WN11. */
#include "shard.h"
#include "matrix.h"
#include "numeric.h"

WORKSPACE_HOLDS(ep_site);
WORKSPACE_HOLDS(site_view);

void shard_carve(shard *s, workspace *ws) {
  const size_t n = (size_t)s->post.n;
  s->post.ops->carve(&s->post, 1, ws);
  s->q = workspace_take(ws, n);
  s->residual = workspace_take(ws, n);
  s->none = workspace_take(ws, n);
  s->gradient = workspace_take(ws, (size_t)s->post.n_prior);
  s->site = workspace_take_bytes(ws, n * sizeof *s->site);
  s->view = workspace_take_bytes(ws, n * sizeof *s->view);
}

void shard_gram(shard *s, const double *tt, const double *nt, double *P,
                double *h) {
  lowrank_gram(&s->lr, tt, P, nt, h);
}

int shard_evaluate(shard *s, const lik_step *lik, const shard_posterior *u,
                   const double *x) {
  const int n = s->post.n;
  const double *tt = x, *nt = x + n;
  if (lowrank_condition(&s->post, u->L, u->w, tt, nt, s->q) != EP_CONVERGED)
    return EP_NOT_PD;
  for (int i = 0; i < n; i++)
    s->site[i] = (ep_site){tt[i] / s->lr.rho[i], nt[i] / s->lr.rho[i]};
  fixpoint_evaluate(&s->post, lik, s->site, s->view, s->residual);
  return EP_CONVERGED;
}

static void take_step(const shard_step *step, int n, double *x) {
  const size_t N = 2 * (size_t)n;
  const double *here = step->here;
  for (size_t i = 0; i < N; i++) {
    double move = here[N + i];
    for (int j = 0; j < step->count; j++)
      move -= step->gamma[j] * (step->memory[j][i] + step->memory[j][N + i]);
    x[i] = here[i] + step->scale * move;
  }
}

/* The f of a point whose x is known */
static void take_moves(const shard *s, double *point) {
  const size_t n = (size_t)s->post.n;
  for (size_t i = 0; i < n; i++) {
    const ep_site x = {point[i], point[n + i]};
    const ep_site f = parallel_move(x, s->lr.lambda[i], &s->view[i]);
    point[2 * n + i] = f.tau;
    point[3 * n + i] = f.nu;
  }
}

/* Of the differences, newest first, the newest being next - here */
static void normal_equations(const shard *s, const shard_step *step,
                             const double *next, shard_sums *sums) {
  const size_t n = (size_t)s->post.n, N = 2 * n;
  const int c = sums->known;
  memset(sums->H, 0, sizeof sums->H);
  memset(sums->g, 0, sizeof sums->g);
  for (size_t i = 0; i < N; i++) {
    const double q = s->q[i % n];
    double d[ANDERSON_MEMORY];
    d[0] = next[N + i] - step->here[N + i];
    for (int j = 1; j < c; j++) d[j] = step->memory[j - 1][N + i];
    anderson_add(c, i < n ? q * q : q, d, next[N + i], sums->H, sums->g);
  }
}

static void sum_rows(const shard *s, double df, shard_sums *sums) {
  sums->rows = (parallel_sums){0, 0, 0};
  for (int i = 0; i < s->post.n; i++)
    parallel_add(&sums->rows, &s->view[i], s->residual[i]);
  sums->log_det = s->post.log_det;
  sums->loo = 0;
  sums->evidence = sums->evidence_zp = (criterion_terms){0, 0, 0};
  if (sums->rows.improper > 0) return;
  sums->evidence =
      criterion_sum(CRITERION_EVIDENCE, &s->post, df, s->site, s->view);
  sums->evidence_zp =
      criterion_sum(CRITERION_EVIDENCE_ZP, &s->post, df, s->site, s->view);
  for (int i = 0; i < s->post.n; i++) sums->loo += s->view[i].tilt.log_zp;
}

int shard_pass(shard *s, const lik_step *lik, const shard_posterior *u,
               const shard_step *step, double *next, shard_sums *sums) {
  const int n = s->post.n;
  take_step(step, n, next);
  if (shard_evaluate(s, lik, u, next) != EP_CONVERGED) return EP_NOT_PD;
  take_moves(s, next);
  sum_rows(s, lik->df, sums);
  sums->known = 0;
  if (step->scale > 0)
    sums->known = step->known < ANDERSON_MEMORY ? step->known + 1 : step->known;
  normal_equations(s, step, next, sums);
  const double *f = next + 2 * (size_t)n;
  shard_gram(s, f, f + n, sums->P, sums->h);
  return EP_CONVERGED;
}

void shard_gradient(shard *s, const lik_step *lik, double *gradient,
                    double *slope) {
  const int n = s->post.n;
  for (int i = 0; i < n; i++) {
    const tilted_grad tg = likelihood_tilt_grad(lik, i, &s->view[i].tilt);
    slope[i] = tg.log_z1_e[0];
    slope[IDX(i, 1, n)] = tg.log_z1_e[1];
  }
  memset(s->none, 0, (size_t)n * sizeof *s->none);
  /* the evidence is stationary in the sites [M 5.6]; its h and D are halves */
  const latent_dots dots = {.A = s->none, .m = s->none, .D = -0.5, .h = 0.5};
  if (s->lr.points) {
    s->post.ops->gradient(&s->post, s->site, &dots, gradient);
    return;
  }
  /* the scales move M alone: no matter of rows */
  s->post.ops->gradient(&s->post, s->site, &dots, s->gradient);
  gradient[0] = s->gradient[s->post.n_prior - 1];
}
