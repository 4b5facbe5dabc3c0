/* What: restarted GMRES with modified Gram-Schmidt and Givens rotations.
 * References: SS86, algorithm 4. */
#include "gmres.h"
#include "numeric.h"

void gmres_carve(gmres_space *s, int n, workspace *ws) {
  s->n = n;
  /* systems need up to 50 (adjoint.c); 50 to 200: no difference */
  s->max_basis = n < 100 ? n : 100;
  const size_t k = (size_t)s->max_basis;
  s->basis = workspace_take(ws, (size_t)n * (k + 1));
  s->H = workspace_take(ws, (k + 1) * k);
  s->rot = workspace_take(ws, 2 * k);
  s->g = workspace_take(ws, k + 1);
  WORKSPACE_EACH(ws, (size_t)n, &s->resid, &s->last);
}

/* Orthogonalise basis column j + 1; its coefficients go to H[, j]. */
static void arnoldi_column(gmres_space *s, int j) {
  const int one = 1, n = s->n, ld = s->max_basis + 1;
  double *w = s->basis + IDX(0, j + 1, n), *h = s->H + IDX(0, j, ld);
  for (int i = 0; i <= j; i++) {
    const double *v = s->basis + IDX(0, i, n);
    h[i] = F77_CALL(ddot)(&n, v, &one, w, &one);
    const double minus = -h[i];
    F77_CALL(daxpy)(&n, &minus, v, &one, w, &one);
  }
  h[j + 1] = F77_CALL(dnrm2)(&n, w, &one);
  if (h[j + 1] > 0) {
    const double scale = 1 / h[j + 1];
    F77_CALL(dscal)(&n, &scale, w, &one);
  }
}

/* Rotate column j of H into upper triangular form; returns |residual|. */
static double rotate_column(gmres_space *s, int j) {
  const int ld = s->max_basis + 1;
  double *h = s->H + IDX(0, j, ld);
  for (int i = 0; i < j; i++) {
    const double c = s->rot[2 * i], r = s->rot[2 * i + 1], a = h[i];
    h[i] = c * a + r * h[i + 1];
    h[i + 1] = -r * a + c * h[i + 1];
  }
  const double len = hypot(h[j], h[j + 1]);
  const double c = len > 0 ? h[j] / len : 1, r = len > 0 ? h[j + 1] / len : 0;
  s->rot[2 * j] = c;
  s->rot[2 * j + 1] = r;
  h[j] = len;
  s->g[j + 1] = -r * s->g[j];
  s->g[j] = c * s->g[j];
  return fabs(s->g[j + 1]);
}

/* x += basis y, H y = g for the first k columns */
static void add_correction(gmres_space *s, int k, double *x) {
  const int one = 1, n = s->n, ld = s->max_basis + 1;
  const double unit = 1;
  F77_CALL(dtrsv)("U", "N", "N", &k, s->H, &ld, s->g, &one FCONE FCONE FCONE);
  F77_CALL(dgemv)("N", &n, &k, &unit, s->basis, &n, s->g, &one, &unit, x,
                  &one FCONE);
}

int gmres_solve(gmres_space *s, linear_map map, void *context, const double *b,
                double tol, int max_products, double *x) {
  const int one = 1, n = s->n;
  const double goal = tol * F77_CALL(dnrm2)(&n, b, &one);
  memset(x, 0, (size_t)n * sizeof *x);
  memcpy(s->resid, b, (size_t)n * sizeof *b);
  for (int spent = 0; spent < max_products;) {
    const double beta = F77_CALL(dnrm2)(&n, s->resid, &one);
    if (!isfinite(beta)) return -1;
    if (beta <= goal) return spent;
    for (int i = 0; i < n; i++) s->basis[i] = s->resid[i] / beta;
    s->g[0] = beta;
    double left = beta, largest = 0;
    int k = 0;
    while (k < s->max_basis && spent < max_products && left > goal) {
      map(context, s->basis + IDX(0, k, n), s->basis + IDX(0, k + 1, n));
      arnoldi_column(s, k);
      left = rotate_column(s, k);
      k++;
      spent++;
      if (!isfinite(left)) return -1;
      const double pivot = s->H[IDX(k - 1, k - 1, s->max_basis + 1)];
      largest = fmax(largest, pivot);
      if (!(pivot > DBL_EPSILON * largest)) return -1; /* singular */
    }
    memcpy(s->last, x, (size_t)n * sizeof *x);
    add_correction(s, k, x);
    if (left <= goal) return spent;
    map(context, x, s->resid); /* true residual for the restart */
    for (int i = 0; i < n; i++) s->resid[i] = b[i] - s->resid[i];
    if (!(F77_CALL(dnrm2)(&n, s->resid, &one) <=
          beta)) { /* no gain: singular */
      memcpy(x, s->last, (size_t)n * sizeof *x);
      return -1;
    }
  }
  return -1;
}
