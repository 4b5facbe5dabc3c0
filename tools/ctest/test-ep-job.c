/* Fits as jobs, on any number of threads. */
#include "check.h"
#include "fit.h"
#include "ep-job.h"

enum { N = 60, JOBS = 7, THREADS = 3 };

/* Problems that differ in noise and labels, and room for what is told of them */
typedef struct {
  fit *f[JOBS];
  ep_job job[JOBS];
  ep_told told[JOBS];
  double *none, *memory;
  size_t size;
} batch;

static ep_told room(int n, int rows) {
  const size_t k = (size_t)n;
  ep_told to = {.status = -99, .trace = dense_new((size_t)rows * N_TRACE)};
  double **one[] = {&to.m,   &to.C_diag,   &to.tau, &to.nu, &to.mean,
                    &to.var, &to.residual, &to.loo, &to.b,  &to.gradient};
  for (int i = 0; i < 10; i++) *one[i] = dense_new(k);
  to.seen = dense_new(2 * k);
  to.slope = dense_new(2 * k);
  return to;
}

static void room_free(ep_told *to) {
  double *all[] = {to->m,    to->C_diag,   to->tau,  to->nu, to->mean,
                   to->var,  to->residual, to->loo,  to->b,  to->gradient,
                   to->seen, to->slope,    to->trace};
  for (int i = 0; i < 13; i++) free(all[i]);
}

static batch batch_new(double df) {
  batch b = {.none = dense_new(N), .size = 0};
  for (int k = 0; k < JOBS; k++) {
    fit *f = b.f[k] = fit_new(N, df, 0.02 + 0.03 * k);
    dense_problem(7 + (uint64_t)k, N, 0.1 + 0.2 * k, f->K, f->y);
    fit_bind(f);
    b.job[k] = (ep_job){.post = &f->post,
                        .lik = f->lik,
                        .opt = f->opt,
                        .tau = b.none,
                        .nu = b.none,
                        .criterion = CRITERION_EVIDENCE_ZP,
                        .gradient = 1};
    b.told[k] = room(N, ep_trace_rows(&f->opt));
    const size_t size = ep_job_size(&b.job[k]);
    if (size > b.size) b.size = size;
  }
  b.memory = dense_new(b.size * THREADS);
  return b;
}

static void batch_run(batch *b, int threads, ep_monitor monitor) {
  (void)threads; /* without OpenMP */
  OMP(omp parallel for schedule(dynamic, 1) num_threads(threads))
  for (int k = 0; k < JOBS; k++)
    ep_job_run(&b->job[k], &b->told[k],
               b->memory + b->size * (size_t)thread_number(), monitor);
}

static void batch_free(batch *b) {
  for (int k = 0; k < JOBS; k++) {
    room_free(&b->told[k]);
    fit_free(b->f[k]);
  }
  free(b->memory);
  free(b->none);
}

static int same(const double *a, const double *b, size_t n) {
  return memcmp(a, b, n * sizeof *a) == 0;
}

static void a_job_is_a_fit(void) {
  batch b = batch_new(INFINITY);
  batch_run(&b, 1, NULL);
  for (int k = 0; k < JOBS; k++) {
    fit *f = fit_new(N, INFINITY, 0.02 + 0.03 * k);
    const ep_told *to = &b.told[k];
    memcpy(f->K, b.f[k]->K, sizeof *f->K * N * N);
    memcpy(f->y, b.f[k]->y, sizeof *f->y * N);
    CHECK(fit_cold(f) == EP_CONVERGED && to->status == EP_CONVERGED);
    CHECK(same(to->m, f->post.m, N) && same(to->C_diag, f->post.A, N));
    CHECK(to->value == fit_value(f, CRITERION_EVIDENCE_ZP));
    CHECK(to->log_evidence == fit_value(f, CRITERION_EVIDENCE));
    CHECK(to->sweeps == f->st.sweeps && to->gradient_status == EP_CONVERGED);
    for (int i = 0; i < N; i++) {
      CHECK(to->tau[i] == f->st.site[i].tau && to->nu[i] == f->st.site[i].nu);
      /* the reports are right or wrong: their probability is the sum */
      const double sum =
          f->lik.row[i].less +
          f->lik.row[i].gap * exp(to->seen[IDX(i, f->y[i] > 0 ? 1 : 0, N)]);
      CHECK_NEAR(to->loo[i], log(sum), 1e-12);
    }
    fit_free(f);
  }
  batch_free(&b);
}

static void threads_change_no_bit(void) {
  const double dfs[] = {5, INFINITY};
  for (int t = 0; t < 2; t++)
    for (int variant = -1; variant == -1 || dense_variant_at(variant);
         variant++) {
      if (check_quick() && (variant + t) % 2 == 0) continue;
      dense_engine team[THREADS];
      batch one = batch_new(dfs[t]), many = batch_new(dfs[t]);
      for (int k = 0; k < THREADS; k++)
        team[k] = (dense_engine){.own = dense_variant_at(variant),
                                 .threads = 1,
                                 .pack = dense_new(dense_pack_size(1))};
      check_team = team; /* the engine of the first thread */
      batch_run(&one, 1, NULL);
      batch_run(&many, THREADS, NULL);
      check_team = NULL;
      for (int k = 0; k < JOBS; k++) {
        const ep_told *a = &one.told[k], *b = &many.told[k];
        CHECK(a->status == EP_CONVERGED && b->status == EP_CONVERGED);
        CHECK(a->value == b->value && a->n_trace == b->n_trace);
        CHECK(same(a->tau, b->tau, N) && same(a->nu, b->nu, N));
        CHECK(same(a->seen, b->seen, 2 * N) && same(a->slope, b->slope, 2 * N));
      }
      for (int k = 0; k < THREADS; k++) free(team[k].pack);
      batch_free(&one);
      batch_free(&many);
    }
}

static int stop_at_once(void *data, int sweep, double residual) {
  (void)data, (void)sweep, (void)residual;
  return 1;
}

static void a_monitor_stops_them(void) {
  batch b = batch_new(INFINITY);
  batch_run(&b, 1, stop_at_once);
  for (int k = 0; k < JOBS; k++) CHECK(b.told[k].status == EP_INTERRUPTED);
  batch_free(&b);
}

static void a_failure_is_its_own(void) {
  batch b = batch_new(INFINITY);
  b.f[2]->K[0] = NAN;
  batch_run(&b, 1, NULL);
  for (int k = 0; k < JOBS; k++)
    CHECK(k == 2 ? b.told[k].status < 0 : b.told[k].status == EP_CONVERGED);
  batch_free(&b);
}

int main(void) {
  RUN("a job tells what a fit finds", a_job_is_a_fit);
  RUN("threads change no bit", threads_change_no_bit);
  RUN("a monitor stops them", a_monitor_stops_them);
  RUN("a job that fails leaves the others alone", a_failure_is_its_own);
  return check_done();
}
