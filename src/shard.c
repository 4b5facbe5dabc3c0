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

/* As in ep-parallel.c */
#define IMPROPER_SIZE 10
/* As in latent-lowrank.c */
#define PANEL_COLUMNS 256

WORKSPACE_HOLDS(ep_site);
WORKSPACE_HOLDS(site_view);

void shard_carve(shard_work *work,
                 const shard_rows *rows,
                 inducing *points,
                 workspace *ws) {
  const size_t n = (size_t)rows->n, k = (size_t)rows->k;
  latent_lowrank *lr = &work->lr;
  *lr =
      (latent_lowrank){.n = rows->n, .k = rows->k, .points = points, .kept = 1};
  lr->width = rows->n < PANEL_COLUMNS ? rows->n : PANEL_COLUMNS;
  lr->Phi = (double *)rows->Phi; /* only read */
  lr->lambda = (double *)rows->lambda;
  double **panel[] = {&lr->P, &lr->Q};
  for (int s = 0; s < 2; s++)
    *panel[s] = workspace_take(ws, k * (size_t)lr->width);
  double **square[] = {&lr->M, &lr->S1, &lr->S2};
  for (int s = 0; s < 3; s++) *square[s] = workspace_take(ws, k * k);
  double **small[] = {&lr->w, &lr->v1, &lr->v2};
  for (int s = 0; s < 3; s++) *small[s] = workspace_take(ws, k);
  work->by_scale = workspace_take(ws, k + 1);
  work->post = (latent){.n = rows->n_all, .self = lr};
  double **by_row[] = {&lr->rho,      &lr->x1,        &lr->x2,
                       &work->post.A, &work->post.m,  &work->post.prior,
                       &work->q,      &work->residual};
  for (int s = 0; s < 8; s++) *by_row[s] = workspace_take(ws, n);
  work->site = workspace_take_bytes(ws, n * sizeof *work->site);
  work->view = workspace_take_bytes(ws, n * sizeof *work->view);
  if (points) inducing_carve(points, lr->width, ws);
}

void shard_gram(const shard_rows *rows,
                const double *tt,
                const double *nt,
                shard_work *work,
                double *P,
                double *h) {
  (void)rows;
  lowrank_gram(&work->lr, tt, P, nt, h);
}

/* q, A and m of all rows at x, whose rho are known [M 9.2] */
static void
marginals(const shard_posterior *u, const double *x, shard_work *work) {
  const latent_lowrank *lr = &work->lr;
  const int n = lr->n, k = lr->k;
  latent *post = &work->post;
  for (int first = 0; first < n; first += lr->width) {
    const int b = lowrank_columns(lr, first);
    const double *phi = lr->Phi + IDX(0, first, k);
    memcpy(lr->P, phi, (size_t)k * (size_t)b * sizeof *phi);
    solve_lower("N", u->L, k, lr->P, b);
    for (int l = 0; l < b; l++, phi += k) {
      const int i = first + l;
      const double *v = lr->P + IDX(0, l, k);
      const double rho = lr->rho[i], lambda = lr->lambda[i];
      work->q[i] = dot(k, v, v);
      post->A[i] = lambda * rho + rho * rho * work->q[i];
      post->m[i] = rho * dot(k, phi, u->w) + lambda * x[(size_t)n + (size_t)i];
      post->prior[i] = dot(k, phi, phi) + lambda;
    }
  }
}

int shard_evaluate(const shard_rows *rows,
                   const lik_step *lik,
                   const shard_posterior *post,
                   const double *x,
                   shard_work *work) {
  const int n = rows->n;
  const double *tt = x, *nt = x + n;
  for (int i = 0; i < n; i++) {
    const double left = 1 - rows->lambda[i] * tt[i]; /* this is rho */
    if (!(left > 0)) return EP_NOT_PD;
    work->lr.rho[i] = left;
    work->site[i] = (ep_site){tt[i] / left, nt[i] / left};
  }
  marginals(post, x, work);
  for (int i = 0; i < n; i++)
    work->residual[i] = fixpoint_site(&work->post, lik, rows->y[i], i,
                                      work->site[i], &work->view[i]);
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

/* f = G(x) - x; half of a site is taken away whose cavity is improper */
static void take_residual(const shard_work *work, int n, double *point) {
  for (int i = 0; i < n; i++) {
    double *tt = point + i, *nt = point + n + i;
    double *f_tt = point + 2 * (size_t)n + i, *f_nt = point + 3 * (size_t)n + i;
    if (work->view[i].proper) {
      const ep_site to = work->view[i].next;
      const double rho = 1 / (1 + work->lr.lambda[i] * to.tau);
      *f_tt = rho * to.tau - *tt;
      *f_nt = rho * to.nu - *nt;
    } else {
      *f_tt = -*tt / 2;
      *f_nt = -*nt / 2;
    }
  }
}

/* H (lower) and g of anderson.c for the differences, newest first, the newest
 * being next - here */
static void normal_equations(const shard_step *step,
                             const shard_work *work,
                             int n,
                             const double *next,
                             shard_sums *sums) {
  const size_t N = 2 * (size_t)n;
  const int c = sums->known;
  memset(sums->H, 0, sizeof sums->H);
  memset(sums->g, 0, sizeof sums->g);
  for (size_t i = 0; i < N; i++) {
    const double q = work->q[i % (size_t)n];
    const double w2 = i < (size_t)n ? q * q : q, f = next[N + i];
    double d[ANDERSON_MEMORY];
    d[0] = f - step->here[N + i];
    for (int j = 1; j < c; j++) d[j] = step->memory[j - 1][N + i];
    for (int j = 0; j < c; j++) {
      sums->g[j] += w2 * d[j] * f;
      for (int l = j; l < c; l++) sums->H[IDX(l, j, c)] += w2 * d[j] * d[l];
    }
  }
}

static void sum_rows(const shard_work *work, int n, double df, shard_sums *s) {
  s->worst = s->squares = s->log_det = s->loo = 0;
  s->improper = 0;
  for (int i = 0; i < n; i++) {
    const double r = fmin(work->residual[i], IMPROPER_SIZE);
    s->worst = fmax(s->worst, r);
    s->squares += r * r;
    s->improper += !work->view[i].proper;
    s->log_det += log1p(work->lr.lambda[i] * work->site[i].tau);
  }
  s->evidence = s->evidence_zp = (criterion_terms){0, 0, 0};
  if (s->improper > 0) return;
  latent here = work->post;
  here.n = n;
  s->evidence =
      criterion_sum(CRITERION_EVIDENCE, &here, df, work->site, work->view);
  s->evidence_zp =
      criterion_sum(CRITERION_EVIDENCE_ZP, &here, df, work->site, work->view);
  for (int i = 0; i < n; i++) s->loo += work->view[i].tilt.log_zp;
}

int shard_pass(const shard_rows *rows,
               const lik_step *lik,
               const shard_posterior *post,
               const shard_step *step,
               shard_work *work,
               double *next,
               shard_sums *sums) {
  const int n = rows->n;
  take_step(step, n, next);
  if (shard_evaluate(rows, lik, post, next, work) != EP_CONVERGED)
    return EP_NOT_PD;
  take_residual(work, n, next);
  sum_rows(work, n, lik->df, sums);
  sums->known = 0;
  if (step->scale > 0)
    sums->known = step->known < ANDERSON_MEMORY ? step->known + 1 : step->known;
  normal_equations(step, work, n, next, sums);
  shard_gram(rows, next + 2 * (size_t)n, next + 3 * (size_t)n, work, sums->P,
             sums->h);
  return EP_CONVERGED;
}

void shard_gradient(const shard_rows *rows,
                    const lik_step *lik,
                    const shard_posterior *post,
                    double nugget,
                    shard_work *work,
                    double *gradient,
                    double *epsilon) {
  latent_lowrank *lr = &work->lr;
  const int n = rows->n, k = rows->k;
  lr->nugget = nugget;
  memcpy(lr->M, post->L, (size_t)k * (size_t)k * sizeof *lr->M);
  cholesky_invert(lr->M, k);
  memcpy(lr->w, post->w, (size_t)k * sizeof *lr->w);
  epsilon[0] = epsilon[1] = 0;
  for (int i = 0; i < n; i++) {
    const tilted_grad tg =
        likelihood_tilt_grad(lik, rows->y[i], &work->view[i].tilt);
    likelihood_add_epsilon(rows->y[i], tg.log_z1_e, epsilon);
  }
  memset(work->q, 0, (size_t)n * sizeof *work->q);
  /* the evidence is stationary in the sites [M 5.6]; its h and D are halves */
  const latent_dots dots = {work->q, work->q, -0.5, 0.5};
  if (lr->points) {
    lowrank_gradient(&work->post, work->site, &dots, gradient);
    return;
  }
  /* the scales move M alone: no matter of rows */
  lowrank_gradient(&work->post, work->site, &dots, work->by_scale);
  gradient[0] = work->by_scale[k];
}
