/* What: a fit of EP as a job. */
#include "ep-job.h"
#include "matrix.h"
#include "numeric.h"

typedef struct {
  ep_state st;
  ep_work work;
  criterion_partials partials;
  second_space second;
} job_space;

static void lay_out(job_space *s, const ep_job *job, workspace *ws) {
  job->post->ops->carve(job->post, job->opt.block, ws);
  ep_carve(&s->st, &s->work, job->post->n, &job->opt, ws);
  adjoint_carve(&s->partials, job->post->n, job->lik.classes, ws);
  if (job->second) second_carve(&s->second, job->post->n, 1, ws);
}

size_t ep_job_size(const ep_job *job) {
  job_space s;
  workspace ws = {NULL, 0};
  lay_out(&s, job, &ws);
  return ws.used;
}

static double value_of(criterion_type type, const ep_job *job,
                       const job_space *s) {
  double value = NAN;
  criterion_value(type, job->post, job->lik.df, s->st.site, s->st.view, &value);
  return value;
}

static void tell_posterior(latent *post, const ep_site *site, ep_told *to) {
  const size_t n = (size_t)post->n, k = (size_t)post->n_location;
  memcpy(to->m, post->m, n * sizeof *to->m);
  memcpy(to->b, post->location, k * sizeof *to->b);
  for (size_t i = 0; i < n; i++)
    to->C_diag[i] =
        latent_copy_of(post, (int)i, post->A[i], post->m[i], site[i]).A;
  to->log_det = latent_log_det(post, site);
  if (!to->extra) return;
  memcpy(to->extra, post->ops->covariance(post), k * k * sizeof *to->extra);
  mirror_lower(to->extra, post->n_location);
}

static void tell_rows(const lik_step *lik, const ep_state *st, int n,
                      ep_told *to) {
  for (int i = 0; i < n; i++) {
    const site_view *v = &st->view[i];
    double log_p[CUTS_MOST];
    for (int t = 0; t < lik->classes; t++) log_p[t] = NAN;
    if (v->proper) likelihood_truth(lik, &v->tilt, log_p);
    to->tau[i] = st->site[i].tau;
    to->nu[i] = st->site[i].nu;
    to->mean[i] = v->proper ? v->cav.mean : NAN;
    to->var[i] = v->proper ? v->cav.var : NAN;
    to->loo[i] = v->proper ? v->tilt.log_zp : NAN;
    for (int t = 0; t < lik->classes; t++) to->seen[IDX(i, t, n)] = log_p[t];
    to->residual[i] = st->residual[i];
  }
}

static void tell_run(const ep_state *st, ep_told *to) {
  const size_t cells = (size_t)st->n_trace * N_TRACE;
  to->sweeps = st->sweeps;
  to->newton = st->newton;
  to->skipped = st->skipped;
  to->n_trace = st->n_trace;
  memcpy(to->trace, st->trace, cells * sizeof *to->trace);
}

/* The criterion asked for and its gradient: spoils the posterior, so last. */
static void tell_criterion(const ep_job *job, job_space *s, ep_told *to) {
  const criterion_type type = (criterion_type)job->criterion;
  to->value = value_of(type, job, s);
  if (!job->gradient) return;
  to->gradient_status =
      adjoint_gradient(type, job->post, &job->lik, s->st.site, s->st.view,
                       &s->work.fix, &s->partials, to->gradient);
  const size_t n = (size_t)job->post->n, C = (size_t)job->lik.classes;
  memcpy(to->slope, s->partials.L, C * n * sizeof *to->slope);
  if (job->lik.cut)
    memcpy(to->by_cut, s->partials.cut, (C - 1) * sizeof *to->by_cut);
  if (job->post->offset)
    memcpy(to->by_offset, s->partials.offset, n * sizeof *to->by_offset);
}

void ep_job_run(const ep_job *job, ep_told *to, double *memory,
                ep_monitor monitor) {
  job_space s;
  workspace ws = {memory, 0};
  lay_out(&s, job, &ws);
  job->post->ops->bind(job->post);
  for (int i = 0; i < job->post->n; i++)
    s.st.site[i] = (ep_site){job->tau[i], job->nu[i]};
  to->gradient_status = EP_NO_ADJOINT;
  to->status = ep_run(job->post, &job->lik, &job->opt, &s.st, &s.work, monitor,
                      job->monitor_data);
  if (to->status < 0) return;
  tell_posterior(job->post, s.st.site, to);
  tell_rows(&job->lik, &s.st, job->post->n, to);
  tell_run(&s.st, to);
  to->log_evidence = value_of(CRITERION_EVIDENCE, job, &s);
  to->log_evidence_zp = value_of(CRITERION_EVIDENCE_ZP, job, &s);
  to->second =
      job->second && !isfinite(job->lik.df)
          ? second_order(job->post, &job->lik, s.st.site, s.st.view, &s.second)
          : 0;
  if (job->criterion >= 0) tell_criterion(job, &s, to);
}
