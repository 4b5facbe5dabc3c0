/* What: glue of the simulation. */
#include "ais.h"
#include "bounce-classes.h"
#include "bounce.h"
#include "glue.h"

static double r_normal(void *data) {
  (void)data;
  return norm_rand();
}

static const random_source r_source = {r_normal, NULL};

/* progress_: NULL or an R function of the moves done; it must not draw. */
static int r_check(void *data, int done) {
  glue_tick(data, done);
  return 0;
}

/* What runs between GetRNGstate() and PutRNGstate(): however it is left, by an
 * interrupt too, R's seed has moved on by what was drawn. */
typedef struct {
  ais_space s;
  bounce two;
  bounce_classes several;
  const double *barrier;
  int levels, keep, thin;
  double *out;
  SEXP progress_;
} simulation;

/* y_[n] are the labels of two classes, or y_[n x C] the losses of several; K_[n
 * x n] and B_[n x r], or of several classes side by side those of each. */
static void simulate(simulation *sim, SEXP K_, SEXP B_, SEXP y_, int chains) {
  const int several = Rf_isMatrix(y_), n = Rf_nrows(B_);
  const int C = several ? Rf_ncols(y_) : 1, kernels = Rf_ncols(K_) / n;
  const int r = Rf_ncols(B_) / kernels;
  if (several)
    CARVE((ais_carve(&sim->s, n, r, C, chains, &ws),
           bounce_classes_carve(&sim->several, n, C, &ws)));
  else
    CARVE((ais_carve(&sim->s, n, r, 1, chains, &ws),
           bounce_carve(&sim->two, n, &ws)));
  sim->s.B = MATRIX(B_, n, r * kernels);
  sim->s.own = sim->several.own = kernels > 1;
  sim->two.K = sim->several.K = MATRIX(K_, n, n * kernels);
  if (several) {
    sim->several.loss = MATRIX(y_, n, C);
    sim->s.ops = &bounce_classes_ops;
    sim->s.walls = &sim->several;
  } else {
    sim->two.y = DOUBLES(y_, n);
    sim->s.ops = &bounce_ops;
    sim->s.walls = &sim->two;
  }
}

static void put_seed(void *data) {
  (void)data;
  PutRNGstate();
}

static void draw(SEXP (*run)(void *), simulation *sim) {
  GetRNGstate();
  R_ExecWithCleanup(run, sim, put_seed, NULL);
}

static SEXP run_anneal(void *data) {
  simulation *sim = data;
  const ais_monitor monitor = {r_check, sim->progress_};
  ais_start(&sim->s, &r_source);
  ais_anneal(&sim->s, sim->barrier, sim->levels, &r_source, &monitor, sim->out);
  return R_NilValue;
}

static SEXP run_moves(void *data) {
  simulation *sim = data;
  const ais_monitor none = {r_check, R_NilValue};
  const size_t size =
      (size_t)sim->s.n * (size_t)sim->s.functions * (size_t)sim->s.chains;
  for (int k = 0; k < sim->keep; k++) {
    r_check(sim->progress_, k);
    ais_move(&sim->s, sim->barrier, sim->thin, &r_source, &none);
    memcpy(sim->out + size * (size_t)k, sim->s.F, size * sizeof *sim->out);
  }
  return R_NilValue;
}

/* Anneals through barrier_[2 x levels]. Returns trace [levels x chains] and F [n
 * x chains]. */
SEXP glue_ais(SEXP K_, SEXP B_, SEXP y_, SEXP barrier_, SEXP chains_,
              SEXP progress_) {
  const int levels = Rf_ncols(barrier_), chains = WHOLE(chains_);
  simulation sim = {.barrier = MATRIX(barrier_, 2, levels),
                    .levels = levels,
                    .progress_ = progress_};
  simulate(&sim, K_, B_, y_, chains);
  SEXP out_ = PROTECT(new_list("trace F"));
  sim.out = set_matrix(out_, "trace", levels, chains);
  sim.s.F = set_matrix(out_, "F", sim.s.n * sim.s.functions, chains);
  draw(run_anneal, &sim);
  UNPROTECT(1);
  return out_;
}

/* Goes on from F_[n C x chains] at barrier_[2], keeping every `thin`-th state,
 * `keep` of them: [n C x chains x keep]. */
SEXP glue_ais_move(SEXP K_, SEXP B_, SEXP y_, SEXP barrier_, SEXP F_,
                   SEXP keep_, SEXP thin_, SEXP progress_) {
  const int n = Rf_length(y_), chains = Rf_ncols(F_);
  const double *F = MATRIX(F_, n, chains);
  simulation sim = {.barrier = DOUBLES(barrier_, 2),
                    .keep = WHOLE(keep_),
                    .thin = WHOLE(thin_),
                    .progress_ = progress_};
  simulate(&sim, K_, B_, y_, chains);
  SEXP out_ = PROTECT(Rf_alloc3DArray(REALSXP, n, chains, sim.keep));
  memcpy(sim.s.F, F, (size_t)Rf_xlength(F_) * sizeof *F);
  sim.out = REAL(out_);
  draw(run_moves, &sim);
  UNPROTECT(1);
  return out_;
}
