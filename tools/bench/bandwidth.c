/* What: how fast this machine moves memory, for adf.R.
 * Method: memcpy of `size` doubles, `times` times. A copy reads every double once
 *   and writes one for it: it touches a matrix of that size twice. */
#include <string.h>

#include <R.h>
#include <Rinternals.h>

SEXP copy_doubles(SEXP size_, SEXP times_) {
  const size_t size = (size_t)Rf_asReal(size_);
  const int times = Rf_asInteger(times_);
  double *from = (double *)R_alloc(size, sizeof(double));
  double *to = (double *)R_alloc(size, sizeof(double));
  double sum = 0;
  memset(from, 0, size * sizeof(double));
  for (int k = 0; k < times; ++k) {
    from[k % size] = k; /* so that no copy can be left out */
    memcpy(to, from, size * sizeof(double));
    sum += to[k % size];
  }
  return Rf_ScalarReal(sum);
}
