/* What: glue of the simulation. */
#include "ais.h"
#include "glue.h"

static double r_normal(void *data) {
  (void)data;
  return norm_rand();
}

static double r_uniform(void *data) {
  (void)data;
  return unif_rand();
}

/* progress_: NULL or an R function of the level */
static int r_check(void *data, int level) {
  SEXP progress_ = data;
  if (level % 16 == 0) R_CheckUserInterrupt();
  if (!Rf_isNull(progress_) && level % 64 == 0) {
    SEXP level_ = PROTECT(Rf_ScalarInteger(level));
    SEXP call_ = PROTECT(Rf_lang2(progress_, level_));
    Rf_eval(call_, R_GlobalEnv);
    UNPROTECT(2);
  }
  return 0;
}

/* Anneals through epsilon_[2 x levels], then keeps every `thin`-th state of
 * each chain, `keep` of them, moving on at the last level. Returns log_w
 * [chains], F [n x chains x keep] and Z [r x chains x keep]; keep = 0 returns
 * the states at the end of annealing. */
SEXP glue_ais(SEXP B_, SEXP y_, SEXP epsilon_, SEXP chains_, SEXP lines_,
              SEXP keep_, SEXP thin_, SEXP progress_) {
  if (!Rf_isReal(B_) || !Rf_isMatrix(B_) || !Rf_isReal(y_) ||
      Rf_nrows(B_) != Rf_length(y_) || !Rf_isReal(epsilon_) ||
      Rf_nrows(epsilon_) != 2 || !Rf_isInteger(chains_) ||
      !Rf_isLogical(lines_) || !Rf_isInteger(keep_) || !Rf_isInteger(thin_))
    Rf_error("internal error: wrong types in ais");
  const int n = Rf_nrows(B_), r = Rf_ncols(B_), levels = Rf_ncols(epsilon_);
  const int chains = INTEGER_RO(chains_)[0], lines = LOGICAL_RO(lines_)[0];
  const int keep = INTEGER_RO(keep_)[0], thin = INTEGER_RO(thin_)[0];
  const double *epsilon = REAL_RO(epsilon_);
  ais_space s;
  workspace ws = {NULL, 0};
  ais_carve(&s, n, r, chains, &ws);
  ws = (workspace){glue_alloc(ws.used), 0};
  ais_carve(&s, n, r, chains, &ws);
  s.B = REAL_RO(B_);
  s.y = REAL_RO(y_);

  const char *names[] = {"log_w", "F", "Z", ""};
  const int states = keep > 0 ? keep : 1;
  const size_t nf = (size_t)n * (size_t)chains, nz = (size_t)r * (size_t)chains;
  SEXP out_ = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(out_, 0, Rf_allocVector(REALSXP, chains));
  SET_VECTOR_ELT(out_, 1, Rf_alloc3DArray(REALSXP, n, chains, states));
  SET_VECTOR_ELT(out_, 2, Rf_alloc3DArray(REALSXP, r, chains, states));
  const random_source rng = {r_normal, r_uniform, NULL};
  GetRNGstate();
  ais_start(&s, &rng);
  ais_anneal(&s, epsilon, levels, lines, &rng, r_check, progress_);
  for (int k = 0; k < states; k++) {
    if (keep > 0)
      ais_move(&s, epsilon + 2 * (levels - 1), thin, lines, &rng, r_check,
               R_NilValue);
    memcpy(REAL(VECTOR_ELT(out_, 1)) + nf * (size_t)k, s.F, nf * sizeof *s.F);
    memcpy(REAL(VECTOR_ELT(out_, 2)) + nz * (size_t)k, s.Z, nz * sizeof *s.Z);
  }
  PutRNGstate();
  memcpy(REAL(VECTOR_ELT(out_, 0)), s.log_w, (size_t)chains * sizeof(double));
  UNPROTECT(1);
  return out_;
}
