/* What: glue of recalibrated scores. */
#include "glue.h"
#include "scores.h"

/* S_ (n x C) log scores, a_ (C), b_, L_ (n x C), gradient_ a logical, times_ (n)
 * or NULL. Returns log_evidence, seen (n x C), loo (n) and, of gradient_, slope
 * (n x C) and gradient (C + 1); otherwise these are NULL. */
SEXP glue_scores(SEXP S_, SEXP a_, SEXP b_, SEXP L_, SEXP gradient_,
                 SEXP times_) {
  const int n = Rf_nrows(S_), C = Rf_ncols(S_);
  const double *S = MATRIX(S_, n, C), *L = MATRIX(L_, n, C);
  const double *a = DOUBLES(a_, C), b = NUMBER(b_);
  const double *times = Rf_isNull(times_) ? NULL : DOUBLES(times_, n);
  SEXP out_ = PROTECT(new_list("log_evidence seen loo slope gradient"));
  scores_result out = {.log_q = set_matrix(out_, "seen", n, C),
                       .log_z = set_vector(out_, "loo", n)};
  if (WHOLE(gradient_)) {
    out.slope = set_matrix(out_, "slope", n, C);
    out.gradient = set_vector(out_, "gradient", C + 1);
  }
  double *work = glue_alloc(scores_work_size(C));
  set_double(out_, "log_evidence",
             scores_recalibrate(n, C, S, a, b, L, times, &out, work));
  UNPROTECT(1);
  return out_;
}
