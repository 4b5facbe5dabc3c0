/* What: the innermost loops of the dense kernels, of Gram matrices, of sites in
 *       turn and of the quadrature of several classes, compiled once for each width of vector
 *       registers that a processor may have. */
#ifndef STURDY_DENSE_TILE_H
#define STURDY_DENSE_TILE_H

#include <stddef.h>

#define BOTH_COLS 4

typedef struct {
  const char *name;
  int rows, cols; /* of a tile */
  int slab;       /* columns solved at once */

  /* C[rows x cols] += sum_l a_l b_l' from panels packed by step: a[k][rows],
   * b[k][cols]. Every element is summed in the order of l. */
  void (*tile)(int k, const double *a, const double *b, double *C, size_t ldc);

  /* Four columns of a symmetric matrix, below their diagonal block, and the
   * rows that they are, too: y[n] += A p[4], s[4] += A' x[n], A[n x 4]. */
  void (*both)(int n, const double *A, size_t lda, const double *p,
               const double *x, double *y, double *s);

  /* x' y */
  double (*dot)(int n, const double *x, const double *y);

  /* X[n][slab] <- T^{-1} X, T[n][n] lower, both by rows. */
  void (*solve)(int n, const double *T, double *X);

  /* The same bits whatever the variant:
   * G[n] <- sq[n] + own - 2 G, and whether one of them is not at least that
   * share of sq + own; */
  int (*spread)(int n, const double *sq, double own, double share, double *G);
  /* x[n] <- scale exp(-x) + shift. */
  void (*decay)(int n, double scale, double shift, double *x);
  /* phi/Phi and what goes with it at z[n], see hazard.h, but for its tail */
  void (*hazard)(int n, const double *z, double *mass, double *h, double *d,
                 double *v);
  /* C[n x n] -= gamma c c', c[n], in the lower triangle from column `first` on */
  void (*pass_on)(int n, int first, double gamma, const double *c, double *C);
} dense_variant;

/* The variants from the narrowest to the widest, NULL beyond the last one that
 * this processor and this compiler can run. */
const dense_variant *dense_variant_at(int k);
const dense_variant *dense_variant_widest(void);

#endif
