/* What: what the glue files share. */
#include "glue.h"

double *glue_alloc(size_t n) {
  return (double *)R_alloc(n > 0 ? n : 1, sizeof(double));
}

/* l, theta as the core wants them; group becomes 0-based */
kernel_ard glue_kernel(SEXP X_, SEXP group_, SEXP l_, SEXP theta_) {
  const int p = Rf_ncols(X_), groups = Rf_length(l_);
  if (!Rf_isReal(X_) || !Rf_isMatrix(X_) || !Rf_isInteger(group_) ||
      Rf_length(group_) != p || !Rf_isReal(l_) || !Rf_isReal(theta_) ||
      Rf_length(theta_) != 3)
    Rf_error("internal error: wrong types in a kernel");
  int *group = (int *)R_alloc((size_t)p + 1, sizeof(int));
  for (int k = 0; k < p; k++) {
    group[k] = INTEGER_RO(group_)[k] - 1;
    if (group[k] < 0 || group[k] >= groups)
      Rf_error("internal error: kernel group out of range");
  }
  const double *theta = REAL_RO(theta_);
  return (kernel_ard){p, groups, group, REAL_RO(l_),
                      theta[0], theta[1], theta[2]};
}

void glue_inputs(kernel_inputs *in, int n, int p) {
  workspace ws = {NULL, 0};
  kernel_carve(in, n, p, &ws);
  ws = (workspace){glue_alloc(ws.used), 0};
  kernel_carve(in, n, p, &ws);
}
