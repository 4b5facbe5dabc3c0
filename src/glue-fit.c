/* What: glue of all EP fits. Types are checked (internal errors only, users
 *       were checked in R), memory is taken, EP is run, and all that comes of it
 *       stands in lists by name. */
#include "glue-fit.h"
#include "glue-team.h"
#include <stdatomic.h>

int glue_monitor(void *data, int sweep, double residual) {
  SEXP progress_ = data;
  if (team_is_at_work()) return team_is_stopped();
  R_CheckUserInterrupt();
  if (Rf_isNull(progress_)) return 0;
  SEXP sweep_ = PROTECT(Rf_ScalarInteger(sweep));
  SEXP residual_ = PROTECT(Rf_ScalarReal(residual));
  SEXP call_ = PROTECT(Rf_lang3(progress_, sweep_, residual_));
  Rf_eval(call_, R_GlobalEnv);
  UNPROTECT(3);
  return 0;
}

ep_options glue_options(SEXP run_) {
  const double *control = get_doubles(run_, "control", 7);
  return (ep_options){.tol = control[0],
                      .max_sweeps = (int)control[1],
                      .damping = control[2],
                      .block = (int)control[3],
                      .parallel = (int)control[4],
                      .lean = (int)control[5],
                      .near = (int)control[6]};
}

void set_trace(SEXP list_, const double *trace, int rows) {
  double *to = set_matrix(list_, "trace", rows, N_TRACE);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < N_TRACE; j++)
      to[IDX(i, j, rows)] = trace[i * N_TRACE + j];
}

/* Sites of a row that stands for more are led to where they agree best together
 * with those of all others: with some 1000 copies of each label at 8 and at 30
 * inputs, rates .05, sequential EP lost its way in one of two. */
#define MANY_COPIES 100

static int has_many_copies(const latent *post) {
  double most = 0;
  for (int i = 0; i < post->n && post->times; i++)
    if (post->times[i] > most) most = post->times[i];
  return most > MANY_COPIES;
}

static ep_job job_of(latent *post, SEXP run_) {
  expect(post->n > 0, "an EP fit without rows");
  post->offset = glue_rows(run_, "offset", post->n);
  ep_options opt = glue_options(run_);
  opt.parallel |= has_many_copies(post);
  return (ep_job){.post = post,
                  .lik = glue_likelihood(run_, post->d, post->n),
                  .opt = opt,
                  .tau = get_doubles(run_, "tau", post->n),
                  .nu = get_doubles(run_, "nu", post->n),
                  .criterion = get_whole(run_, "criterion"),
                  .gradient = get_whole(run_, "gradient"),
                  .second = get_whole(run_, "second"),
                  .monitor_data = get_named(run_, "progress")};
}

static SEXP new_result(void) {
  return new_list(
      "status sites cavity loo seen m C_diag b extra residual log_det "
      "log_evidence log_evidence_zp second sweeps newton skipped trace value "
      "gradient gradient_status slope by_offset by_cut");
}

/* A result whose arrays are those of `told` */
static SEXP result_for(const ep_job *job, int has_covariance, ep_told *told) {
  const latent *post = job->post;
  const int n = post->n, k = post->n_location;
  const size_t cells = (size_t)ep_trace_rows(&job->opt) * N_TRACE;
  SEXP out_ = PROTECT(new_result());
  SEXP sites_ = PROTECT(new_list("tau nu")), cavity_ = new_list("mean var");
  set_named(out_, "cavity", cavity_);
  set_named(out_, "sites", sites_);
  *told = (ep_told){.m = set_vector(out_, "m", n),
                    .C_diag = set_vector(out_, "C_diag", n),
                    .tau = set_vector(sites_, "tau", n),
                    .nu = set_vector(sites_, "nu", n),
                    .mean = set_vector(cavity_, "mean", n),
                    .var = set_vector(cavity_, "var", n),
                    .residual = set_vector(out_, "residual", n),
                    .loo = set_vector(out_, "loo", n),
                    .seen = set_matrix(out_, "seen", n, job->lik.classes),
                    .b = set_vector(out_, "b", k),
                    .trace = glue_alloc(cells)};
  if (has_covariance) told->extra = set_matrix(out_, "extra", k, k);
  if (job->criterion >= 0 && job->gradient) {
    told->gradient = set_vector(out_, "gradient", post->n_prior);
    told->slope = set_matrix(out_, "slope", n, job->lik.classes);
    if (job->lik.cut)
      told->by_cut = set_vector(out_, "by_cut", job->lik.classes - 1);
    if (post->offset) told->by_offset = set_vector(out_, "by_offset", n);
  }
  UNPROTECT(2);
  return out_;
}

static void nan_to_na(double *x, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (ISNAN(x[i])) x[i] = NA_REAL;
}

/* What is not in its arrays; or one with no more than a status */
static SEXP finished(SEXP out_, const ep_job *job, const ep_told *told) {
  const size_t n = (size_t)job->post->n;
  const int asked = told->status >= 0 && job->criterion >= 0;
  const int tried = asked && job->gradient;
  PROTECT(out_ = told->status < 0 ? new_result() : out_);
  set_int(out_, "status", told->status);
  set_int(out_, "gradient_status", tried ? told->gradient_status : NA_INTEGER);
  if (told->status >= 0) {
    double values[] = {told->log_evidence, told->log_evidence_zp, told->value,
                       told->second};
    double *rows[] = {told->mean, told->var, told->loo, told->seen};
    const size_t all = n * (size_t)job->lik.classes;
    for (int k = 0; k < 4; k++) nan_to_na(rows[k], k == 3 ? all : n);
    nan_to_na(values, 4);
    set_double(out_, "log_det", told->log_det);
    set_double(out_, "log_evidence", values[0]);
    set_double(out_, "log_evidence_zp", values[1]);
    if (asked) set_double(out_, "value", values[2]);
    set_double(out_, "second", values[3]);
    set_int(out_, "sweeps", told->sweeps);
    set_int(out_, "newton", told->newton);
    set_int(out_, "skipped", told->skipped);
    set_trace(out_, told->trace, told->n_trace);
  }
  if (tried && told->gradient_status != EP_CONVERGED) {
    set_named(out_, "gradient", R_NilValue);
    set_named(out_, "slope", R_NilValue);
    set_named(out_, "by_offset", R_NilValue);
    set_named(out_, "by_cut", R_NilValue);
  }
  UNPROTECT(1);
  return out_;
}

/* Jobs that the members of a team take one by one */
typedef struct {
  int count;
  const ep_job *job;
  ep_told *told;
  double *memory; /* `size` doubles for each member */
  size_t size;
  int threads;
  atomic_int next;
} job_queue;

static void work_off(void *data, int number) {
  job_queue *q = data;
  for (int k; (k = atomic_fetch_add(&q->next, 1)) < q->count;)
    ep_job_run(&q->job[k], &q->told[k], q->memory + q->size * (size_t)number,
               glue_monitor);
}

static void work_together(void *data, double *memory) {
  job_queue *q = data;
  q->memory = memory;
  team_run(core_dense(), q->threads, work_off, q);
}

SEXP glue_fits(latent *post, int has_covariance, SEXP runs_) {
  const int count = Rf_length(runs_);
  ep_job *job = (ep_job *)R_alloc((size_t)count + 1, sizeof *job);
  ep_told *told = (ep_told *)R_alloc((size_t)count + 1, sizeof *told);
  SEXP out_ = PROTECT(Rf_allocVector(VECSXP, count));
  size_t size = 0;
  int gaussian = 1;
  for (int k = 0; k < count; k++) {
    job[k] = job_of(&post[k], VECTOR_ELT(runs_, k));
    SET_VECTOR_ELT(out_, k, result_for(&job[k], has_covariance, &told[k]));
    const size_t its = ep_job_size(&job[k]);
    if (its > size) size = its;
    gaussian = gaussian && !R_FINITE(job[k].lik.df);
  }
  /* pt() of few degrees of freedom may warn, which is R's */
  const int threads = gaussian ? team_size(core_dense(), count) : 1;
  job_queue queue = {.count = count,
                     .job = job,
                     .told = told,
                     .size = size,
                     .threads = threads};
  glue_with_memory(size * (size_t)threads, work_together, &queue);
  for (int k = 0; k < count; k++)
    SET_VECTOR_ELT(out_, k, finished(VECTOR_ELT(out_, k), &job[k], &told[k]));
  UNPROTECT(1);
  return out_;
}
