/* What: tile(), solve(), both() and dot() of one variant. dense-tile.c includes it for
 *       each, with LANES doubles a vector, tiles of VECTORS x COLS of them,
 *       NAME and TARGET, the attribute that lets the compiler use wider
 *       registers.
 * Method: all of a tile's sums stay in registers while a column of A and a row
 *   of B pass by; COLS * VECTORS of them, so that none waits for the last
 *   addition to end. */
#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
#define VEC PASTE(vector_, NAME)
#define LOOSE PASTE(loose_, NAME)
#define TILE PASTE(tile_, NAME)
#define SOLVE PASTE(solve_, NAME)
#define BOTH PASTE(both_, NAME)
#define DOT PASTE(dot_, NAME)
#define ROWS (LANES * VECTORS)
#define SLAB (LANES * SLAB_VECTORS)

#if LANES > 1
typedef double VEC __attribute__((vector_size(8 * LANES)));
/* anywhere in an array of doubles */
typedef double LOOSE
    __attribute__((vector_size(8 * LANES), aligned(8), may_alias));
#else
typedef double VEC;
typedef double LOOSE;
#endif

/* a loop of known length, to be written out so that its array is registers */
#define EACH(v, count) UNROLL for (int v = 0; v < (count); v++)

TARGET static void TILE(int k, const double *a, const double *b, double *C,
                        size_t ldc) {
  VEC sum[COLS][VECTORS];
  EACH(j, COLS) {
    PREFETCH(C + (size_t)j * ldc);
    PREFETCH(C + (size_t)j * ldc + ROWS - 1);
    EACH(v, VECTORS) { sum[j][v] = (VEC){0}; }
  }
  for (int l = 0; l < k; l++, a += ROWS, b += COLS) {
    VEC column[VECTORS];
    EACH(v, VECTORS) { column[v] = *(const LOOSE *)(a + v * LANES); }
    EACH(j, COLS) {
      EACH(v, VECTORS) { sum[j][v] += column[v] * b[j]; }
    }
  }
  EACH(j, COLS) {
    EACH(v, VECTORS) {
      LOOSE *at = (LOOSE *)(C + (size_t)j * ldc + v * LANES);
      *at += sum[j][v];
    }
  }
}

TARGET static void SOLVE(int n, const double *T, double *X) {
  for (int i = 0; i < n; i++) {
    const double *t = T + (size_t)i * (size_t)n;
    double *x = X + (size_t)i * SLAB;
    VEC left[SLAB_VECTORS];
    EACH(v, SLAB_VECTORS) { left[v] = *(const LOOSE *)(x + v * LANES); }
    for (int l = 0; l < i; l++) {
      const double *y = X + (size_t)l * SLAB;
      EACH(v, SLAB_VECTORS) {
        left[v] -= *(const LOOSE *)(y + v * LANES) * t[l];
      }
    }
    EACH(v, SLAB_VECTORS) { *(LOOSE *)(x + v * LANES) = left[v] / t[i]; }
  }
}

TARGET static void BOTH(int n, const double *A, size_t lda, const double *p,
                        const double *x, double *y, double *s) {
  VEC sum[BOTH_COLS];
  int i = 0;
  EACH(c, BOTH_COLS) { sum[c] = (VEC){0}; }
  for (; i + LANES <= n; i += LANES) {
    const VEC at = *(const LOOSE *)(x + i);
    VEC to = *(const LOOSE *)(y + i);
    EACH(c, BOTH_COLS) {
      const VEC a = *(const LOOSE *)(A + (size_t)c * lda + i);
      to += a * p[c];
      sum[c] += a * at;
    }
    *(LOOSE *)(y + i) = to;
  }
  for (int c = 0; c < BOTH_COLS; c++) {
    double lanes[LANES];
    *(LOOSE *)lanes = sum[c];
    for (int l = 0; l < LANES; l++) s[c] += lanes[l];
  }
  for (; i < n; i++)
    for (int c = 0; c < BOTH_COLS; c++) {
      y[i] += A[(size_t)c * lda + (size_t)i] * p[c];
      s[c] += A[(size_t)c * lda + (size_t)i] * x[i];
    }
}

TARGET static double DOT(int n, const double *x, const double *y) {
  VEC sum[SLAB_VECTORS];
  double lanes[LANES], all = 0;
  int i = 0;
  EACH(v, SLAB_VECTORS) { sum[v] = (VEC){0}; }
  for (; i + SLAB <= n; i += SLAB) {
    EACH(v, SLAB_VECTORS) {
      sum[v] += *(const LOOSE *)(x + i + v * LANES) *
                *(const LOOSE *)(y + i + v * LANES);
    }
  }
  for (; i + LANES <= n; i += LANES)
    sum[0] += *(const LOOSE *)(x + i) * *(const LOOSE *)(y + i);
  *(LOOSE *)lanes = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  for (int l = 0; l < LANES; l++) all += lanes[l];
  for (; i < n; i++) all += x[i] * y[i];
  return all;
}

#undef EACH
#undef BOTH
#undef DOT
#undef TILE
#undef SOLVE
#undef PASTE_
#undef PASTE
#undef VEC
#undef LOOSE
#undef ROWS
#undef SLAB
#undef LANES
#undef VECTORS
#undef COLS
#undef NAME
#undef TARGET
