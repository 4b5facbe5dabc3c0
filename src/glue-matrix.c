/* What: glue of dense operations that the simulations need from R: those of R
 *       itself can't be interrupted. */
#include "glue.h"
#include "matrix.h"
#include "status.h"

/* Lower factor of A_ with jitter_ added to its diagonal, NULL when there is
 * none */
SEXP glue_cholesky(SEXP A_, SEXP jitter_) {
  const int n = Rf_ncols(A_);
  const double *A = MATRIX(A_, n, n), jitter = NUMBER(jitter_);
  SEXP out_ = PROTECT(Rf_allocMatrix(REALSXP, n, n));
  double *L = REAL(out_), log_det = 0;
  memcpy(L, A, (size_t)n * (size_t)n * sizeof *L);
  for (int i = 0; i < n; i++) L[IDX(i, i, n)] += jitter;
  const int status = cholesky(L, n, &log_det);
  for (int j = 0; j < n; j++)
    memset(L + IDX(0, j, n), 0, (size_t)j * sizeof *L);
  UNPROTECT(1);
  return status == EP_CONVERGED ? out_ : R_NilValue;
}

/* op(L)^{-1} B, the lower triangle of L_ read */
SEXP glue_solve_lower(SEXP L_, SEXP B_, SEXP transpose_) {
  const int n = Rf_ncols(L_), cols = Rf_ncols(B_);
  const double *L = MATRIX(L_, n, n), *B = MATRIX(B_, n, cols);
  const int transpose = WHOLE(transpose_);
  SEXP out_ = PROTECT(Rf_allocMatrix(REALSXP, n, cols));
  memcpy(REAL(out_), B, (size_t)n * (size_t)cols * sizeof *B);
  solve_lower(transpose ? "T" : "N", L, n, REAL(out_), cols);
  UNPROTECT(1);
  return out_;
}

/* op(A) B */
SEXP glue_product(SEXP A_, SEXP B_, SEXP transpose_) {
  const int transpose = WHOLE(transpose_), inner = Rf_nrows(B_);
  const int rows = Rf_nrows(A_), n = transpose ? Rf_ncols(A_) : rows;
  const int cols = Rf_ncols(B_);
  const double *A = MATRIX(A_, transpose ? inner : n, transpose ? n : inner);
  const double *B = MATRIX(B_, inner, cols);
  SEXP out_ = PROTECT(Rf_allocMatrix(REALSXP, n, cols));
  const int lda = rows > 0 ? rows : 1, ldb = inner > 0 ? inner : 1;
  if (n > 0)
    product(transpose ? "T" : "N", "N", n, cols, inner, 1, A, lda, B, ldb, 0,
            REAL(out_), n);
  UNPROTECT(1);
  return out_;
}
