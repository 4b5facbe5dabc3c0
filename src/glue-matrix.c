/* What: glue of dense operations that the simulations need from R: those of R
 *       itself can't be interrupted. */
#include "glue.h"
#include "matrix.h"
#include "status.h"

static void check_matrix(SEXP A_, int rows) {
  if (!Rf_isReal(A_) || !Rf_isMatrix(A_) || Rf_nrows(A_) != rows)
    Rf_error("internal error: wrong types in a dense operation");
}

/* Lower factor of A_ with jitter_ added to its diagonal, NULL when there is
 * none */
SEXP glue_cholesky(SEXP A_, SEXP jitter_) {
  const int n = Rf_ncols(A_);
  check_matrix(A_, n);
  if (!Rf_isReal(jitter_) || Rf_length(jitter_) != 1)
    Rf_error("internal error: wrong types in cholesky");
  SEXP out_ = PROTECT(Rf_allocMatrix(REALSXP, n, n));
  double *L = REAL(out_), log_det = 0;
  memcpy(L, REAL_RO(A_), (size_t)n * (size_t)n * sizeof *L);
  for (int i = 0; i < n; i++)
    L[(size_t)i + (size_t)i * (size_t)n] += REAL_RO(jitter_)[0];
  const int status = cholesky(L, n, &log_det);
  for (int j = 0; j < n; j++)
    memset(L + (size_t)j * (size_t)n, 0, (size_t)j * sizeof *L);
  UNPROTECT(1);
  return status == EP_CONVERGED ? out_ : R_NilValue;
}

static const char *trans_of(SEXP transpose_) {
  if (!Rf_isLogical(transpose_) || Rf_length(transpose_) != 1)
    Rf_error("internal error: wrong types of a transpose");
  return LOGICAL_RO(transpose_)[0] ? "T" : "N";
}

/* op(L)^{-1} B, the lower triangle of L_ read */
SEXP glue_solve_lower(SEXP L_, SEXP B_, SEXP transpose_) {
  const int n = Rf_ncols(L_), cols = Rf_ncols(B_);
  check_matrix(L_, n);
  check_matrix(B_, n);
  const char *trans = trans_of(transpose_);
  SEXP out_ = PROTECT(Rf_allocMatrix(REALSXP, n, cols));
  memcpy(REAL(out_), REAL_RO(B_),
         (size_t)n * (size_t)cols * sizeof *REAL_RO(B_));
  solve_lower(trans, REAL_RO(L_), n, REAL(out_), cols);
  UNPROTECT(1);
  return out_;
}

/* op(A) B */
SEXP glue_product(SEXP A_, SEXP B_, SEXP transpose_) {
  const char *trans = trans_of(transpose_);
  const int rows = Rf_nrows(A_), inner = Rf_nrows(B_), cols = Rf_ncols(B_);
  const int n = *trans == 'T' ? Rf_ncols(A_) : rows;
  check_matrix(A_, *trans == 'T' ? inner : rows);
  check_matrix(B_, inner);
  if (*trans == 'N' && Rf_ncols(A_) != inner)
    Rf_error("internal error: wrong sizes in a product");
  SEXP out_ = PROTECT(Rf_allocMatrix(REALSXP, n, cols));
  const int lda = rows > 0 ? rows : 1, ldb = inner > 0 ? inner : 1;
  if (n > 0)
    product(trans, "N", n, cols, inner, 1, REAL_RO(A_), lda, REAL_RO(B_), ldb,
            0, REAL(out_), n);
  UNPROTECT(1);
  return out_;
}
