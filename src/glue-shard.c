/* What: glue of shards, and of what is decided over all of them. rows_ is
 *       list(Phi, lambda, n_all, d, nugget), lik_ list(df, L (n x 2)),
 *       posterior_ list(L, w): L packed, column after column of the lower
 *       triangle, as all symmetric matrices are here. */
#include "ep-state.h"
#include "glue.h"
#include "shard.h"

typedef struct {
  shard rows;
  lik_step lik;
  shard_posterior u;
} shard_space;

static size_t packed_size(int k) { return (size_t)k * ((size_t)k + 1) / 2; }

static const double *unpacked(const double *packed, int k) {
  double *A = glue_alloc((size_t)k * (size_t)k);
  for (int j = 0; j < k; j++)
    for (int i = j; i < k; i++) A[IDX(i, j, k)] = *packed++;
  return A;
}

static void pack(const double *A, int k, double *packed) {
  for (int j = 0; j < k; j++)
    for (int i = j; i < k; i++) *packed++ = A[IDX(i, j, k)];
}

/* points: what the features are of, where a gradient is wanted, or NULL. */
static void set_rows(shard_space *s, SEXP rows_, inducing *points) {
  SEXP Phi_ = get_named(rows_, "Phi");
  const int n = Rf_ncols(Phi_);
  expect(n > 0, "Phi of a shard");
  const lowrank_rows rows = {.n = n,
                             .k = Rf_nrows(Phi_),
                             .Phi = MATRIX(Phi_, -1, n),
                             .lambda = get_doubles(rows_, "lambda", n),
                             .points = points,
                             .nugget = get_doubles(rows_, "nugget", 1)[0],
                             .d = get_doubles(rows_, "d", 1)[0],
                             .n_terms = get_doubles(rows_, "n_all", 1)[0]};
  shard *here = &s->rows;
  here->post = latent_lowrank_rows(&here->lr, &rows);
  CARVE(shard_carve(here, &ws));
  here->post.ops->bind(&here->post);
}

static void set_model(shard_space *s, SEXP lik_, SEXP posterior_) {
  const int k = s->rows.lr.k;
  s->lik = glue_likelihood(lik_, s->rows.post.d, s->rows.post.n);
  s->u = (shard_posterior){
      .L = unpacked(get_doubles(posterior_, "L", (R_xlen_t)packed_size(k)), k),
      .w = get_doubles(posterior_, "w", k)};
}

static const double *point_of(SEXP point_, int n) {
  return DOUBLES(point_, (R_xlen_t)SHARD_PARTS * n);
}

/* Sites list(tau, nu), or NULL for the prior's: the point whose x they are */
SEXP glue_shard_point(SEXP sites_, SEXP lambda_) {
  const int n = Rf_length(lambda_), prior = Rf_isNull(sites_);
  const double *lambda = REAL_RO(lambda_);
  const double *tau = prior ? NULL : get_doubles(sites_, "tau", n);
  const double *nu = prior ? NULL : get_doubles(sites_, "nu", n);
  SEXP point_ = PROTECT(Rf_allocMatrix(REALSXP, n, SHARD_PARTS));
  double *point = REAL(point_);
  memset(point, 0, SHARD_PARTS * (size_t)n * sizeof *point);
  for (int i = 0; i < n && !prior; i++) {
    const ep_site site = parallel_take(lambda[i], (ep_site){tau[i], nu[i]});
    const double left = 1 + lambda[i] * site.tau;
    point[IDX(i, SHARD_TT, n)] = site.tau / left;
    point[IDX(i, SHARD_NT, n)] = site.nu / left;
  }
  UNPROTECT(1);
  return point_;
}

/* point_: its x is read. list(P (packed), h) */
SEXP glue_shard_gram(SEXP rows_, SEXP point_) {
  shard_space s;
  set_rows(&s, rows_, NULL);
  const int n = s.rows.post.n, k = s.rows.lr.k;
  const double *x = point_of(point_, n);
  double *P = glue_alloc((size_t)k * (size_t)k);
  SEXP out_ = PROTECT(new_list("P h"));
  double *h = set_vector(out_, "h", k);
  shard_gram(&s.rows, x, x + n, P, h);
  pack(P, k, set_vector(out_, "P", (R_xlen_t)packed_size(k)));
  UNPROTECT(1);
  return out_;
}

static void set_terms(SEXP out_, const char *name, const criterion_terms *t) {
  double *to = set_vector(out_, name, 3);
  to[0] = t->R;
  to[1] = t->h;
  to[2] = t->shift;
}

static void fill_pass(SEXP out_, const shard_sums *sums, int k) {
  set_double(out_, "worst", sums->rows.worst);
  set_double(out_, "squares", sums->rows.squares);
  set_double(out_, "improper", sums->rows.improper);
  set_double(out_, "log_det", sums->log_det);
  set_double(out_, "loo", sums->loo);
  set_terms(out_, "evidence", &sums->evidence);
  set_terms(out_, "evidence_zp", &sums->evidence_zp);
  const int c = sums->known;
  double *H = set_matrix(out_, "H", c, c), *g = set_vector(out_, "g", c);
  for (int j = 0; j < c; j++) {
    g[j] = sums->g[j];
    for (int l = j; l < c; l++)
      H[IDX(l, j, c)] = H[IDX(j, l, c)] = sums->H[IDX(l, j, c)];
  }
  pack(sums->P, k, set_vector(out_, "P", (R_xlen_t)packed_size(k)));
}

/* step_: list(here, memory, gamma, scale). list(status, next, ..), status alone
 * where there is no posterior. */
SEXP glue_shard_pass(SEXP rows_, SEXP lik_, SEXP posterior_, SEXP step_) {
  shard_space s;
  set_rows(&s, rows_, NULL);
  set_model(&s, lik_, posterior_);
  const int n = s.rows.post.n, k = s.rows.lr.k;
  SEXP memory_ = get_named(step_, "memory");
  SEXP gamma_ = get_named(step_, "gamma");
  shard_step step = {.here = point_of(get_named(step_, "here"), n),
                     .gamma = REAL_RO(gamma_),
                     .count = Rf_length(gamma_),
                     .known = Rf_length(memory_),
                     .scale = get_doubles(step_, "scale", 1)[0]};
  if (step.known > ANDERSON_MEMORY || step.count > step.known)
    Rf_error("internal error: a wrong memory of a shard");
  for (int j = 0; j < step.known; j++)
    step.memory[j] = point_of(VECTOR_ELT(memory_, j), n);
  SEXP out_ = PROTECT(new_list("status next worst squares improper log_det "
                               "evidence evidence_zp loo H g P h"));
  double *next = set_matrix(out_, "next", n, SHARD_PARTS);
  shard_sums sums = {.P = glue_alloc((size_t)k * (size_t)k),
                     .h = set_vector(out_, "h", k)};
  const int status = shard_pass(&s.rows, &s.lik, &s.u, &step, next, &sums);
  set_int(out_, "status", status);
  if (status == EP_CONVERGED) fill_pass(out_, &sums, k);
  UNPROTECT(1);
  return out_;
}

/* What a fit tells of its rows. point_: its x is read. */
SEXP glue_shard_view(SEXP rows_, SEXP lik_, SEXP posterior_, SEXP point_) {
  shard_space s;
  set_rows(&s, rows_, NULL);
  set_model(&s, lik_, posterior_);
  const int n = s.rows.post.n;
  const char *names[] = {"m",        "C_diag", "mean", "var",
                         "residual", "loo",    "seen", ""};
  SEXP out_ = PROTECT(Rf_mkNamed(VECSXP, names));
  double *to[6], *seen = set_matrix(out_, "seen", n, 2);
  for (int j = 0; j < 6; j++) to[j] = set_vector(out_, names[j], n);
  const int status = shard_evaluate(&s.rows, &s.lik, &s.u, point_of(point_, n));
  for (int i = 0; i < n; i++) {
    const site_view *v = &s.rows.view[i];
    const int proper = status == EP_CONVERGED && v->proper;
    to[0][i] = status == EP_CONVERGED ? s.rows.post.m[i] : NA_REAL;
    to[1][i] = status == EP_CONVERGED ? s.rows.post.A[i] : NA_REAL;
    to[2][i] = proper ? v->cav.mean : NA_REAL;
    to[3][i] = proper ? v->cav.var : NA_REAL;
    to[4][i] = proper ? s.rows.residual[i] : R_PosInf;
    to[5][i] = proper ? v->tilt.log_zp : NA_REAL;
    double log_p[2] = {NA_REAL, NA_REAL};
    if (proper) likelihood_truth(&s.lik, &v->tilt, log_p);
    seen[i] = log_p[0];
    seen[IDX(i, 1, n)] = log_p[1];
  }
  UNPROTECT(1);
  return out_;
}

/* inputs_: list(X, Z, kernel), or NULL of linear features. list(gradient,
 * slope): the share of the rows in the gradient [groups + 4, or 1], and their
 * slopes [n x 2]; NULL where there is no posterior. */
SEXP glue_shard_gradient(SEXP rows_, SEXP lik_, SEXP posterior_, SEXP point_,
                         SEXP inputs_) {
  shard_space s;
  const int linear = Rf_isNull(inputs_);
  kernel_ard kernel = {0};
  inducing points = {0};
  if (!linear) {
    SEXP X_ = get_named(inputs_, "X");
    kernel = glue_kernel(X_, get_named(inputs_, "kernel"));
    points = glue_inducing(X_, get_named(inputs_, "Z"), &kernel);
  }
  set_rows(&s, rows_, linear ? NULL : &points);
  set_model(&s, lik_, posterior_);
  const int size = linear ? 1 : kernel.groups + KERNEL_OTHERS;
  if (shard_evaluate(&s.rows, &s.lik, &s.u, point_of(point_, s.rows.post.n)) !=
      EP_CONVERGED)
    return R_NilValue;
  SEXP out_ = PROTECT(new_list("gradient slope"));
  double *gradient = set_vector(out_, "gradient", size);
  shard_gradient(&s.rows, &s.lik, gradient,
                 set_matrix(out_, "slope", s.rows.post.n, 2));
  UNPROTECT(1);
  return out_;
}

/* The steps to try from where the rows sum to H_ and g_: list(gamma, along,
 * scale, bound), see parallel.h */
SEXP glue_parallel_steps(SEXP H_, SEXP g_, SEXP damping_, SEXP least_) {
  const int c = Rf_length(g_);
  if (!Rf_isReal(H_) || Rf_length(H_) != c * c || !Rf_isReal(g_) ||
      c > ANDERSON_MEMORY)
    Rf_error("internal error: wrong types in parallel_steps");
  double H[ANDERSON_MEMORY * ANDERSON_MEMORY], g[ANDERSON_MEMORY];
  if (c > 0) memcpy(H, REAL_RO(H_), (size_t)c * (size_t)c * sizeof *H);
  if (c > 0) memcpy(g, REAL_RO(g_), (size_t)c * sizeof *g);
  const parallel_plan plan =
      parallel_steps(H, g, c, Rf_asReal(damping_), Rf_asReal(least_));
  SEXP out_ = PROTECT(new_list("gamma along scale bound"));
  double *gamma = set_vector(out_, "gamma", plan.along > 0 ? c : 0);
  if (plan.along > 0) memcpy(gamma, plan.gamma, (size_t)c * sizeof *gamma);
  memcpy(set_vector(out_, "scale", plan.n), plan.scale,
         (size_t)plan.n * sizeof *plan.scale);
  set_int(out_, "along", plan.along);
  set_double(out_, "bound", plan.bound);
  UNPROTECT(1);
  return out_;
}

/* The watch of ep-state.h after another round, watch_ c(anchor, since) of the
 * last, or NULL in the first: list(status, watch) */
SEXP glue_parallel_watch(SEXP watch_, SEXP round_, SEXP worst_,
                         SEXP max_rounds_) {
  ep_watch watch = {.max_sweeps = Rf_asInteger(max_rounds_),
                    .patience = PARALLEL_PATIENCE};
  ep_watch_begin(&watch);
  if (!Rf_isNull(watch_)) {
    watch.anchor = REAL_RO(watch_)[0];
    watch.since = (int)REAL_RO(watch_)[1];
  }
  const int status =
      ep_watch_sweep(&watch, Rf_asInteger(round_), Rf_asReal(worst_));
  SEXP out_ = PROTECT(new_list("status watch"));
  set_int(out_, "status", status);
  double *to = set_vector(out_, "watch", 2);
  to[0] = watch.anchor;
  to[1] = watch.since;
  UNPROTECT(1);
  return out_;
}

/* The evidence of terms_, c(R, h, shift); NA where it is undefined */
SEXP glue_evidence(SEXP terms_, SEXP log_det_, SEXP df_) {
  if (!Rf_isReal(terms_) || Rf_length(terms_) != 3)
    Rf_error("internal error: wrong types in evidence");
  const double *t = REAL_RO(terms_);
  const double value = criterion_evidence(&(criterion_terms){t[0], t[1], t[2]},
                                          Rf_asReal(log_det_), Rf_asReal(df_));
  return Rf_ScalarReal(isnan(value) ? NA_REAL : value);
}
