/* What: C += alpha A diag(w) B by packed panels.
 * Method: C in bands of BAND rows, so that interrupts are heard; for each a
 *   piece of B, DEPTH x BREADTH, copied so that a tile reads it in order, and
 *   shared; then blocks of HEIGHT rows of A, each copied and used by one
 *   thread. A tile at an edge, or across the diagonal of a lower triangle, is
 *   summed aside, zeros in the place of what is not there. Every element of C
 *   gets the sums of DEPTH terms in their order, whoever computes them.
 * References: K. Goto, R. van de Geijn, Anatomy of high-performance matrix
 *   multiplication, ACM Trans. Math. Softw. 34, 2008, is the scheme. */
#include "dense-product.h"
#include "host.h"
#include "numeric.h"
#include "threads.h"

/* A block of A, DEPTH x HEIGHT doubles, is 192 kB of a second-level cache, the
 * piece of B 1 MB. HEIGHT is a multiple of the rows of every tile. */
#define DEPTH 256
#define HEIGHT 96
#define BREADTH 504
#define BAND (42 * HEIGHT)

/* Columns beyond BREADTH that fill the last panel, at most; a tile at most */
#define COLS_MOST 8
#define TILE_MOST (24 * COLS_MOST)

#define PACK_B ((size_t)DEPTH * (BREADTH + COLS_MOST))
#define PACK_A ((size_t)DEPTH * HEIGHT)

double *dense_aligned(void *memory) {
  char *at = memory;
  return (double *)(void *)(at + DENSE_LINE - (size_t)at % DENSE_LINE);
}

size_t dense_pack_size(int threads) {
  return PACK_B + (size_t)threads * PACK_A;
}

dense_view dense_of(const double *at, int ld, int trans) {
  return trans ? (dense_view){at, ld, 1} : (dense_view){at, 1, ld};
}

dense_view dense_from(dense_view A, ptrdiff_t i, ptrdiff_t j) {
  A.at += i * A.row + j * A.col;
  return A;
}

dense_view dense_turned(dense_view A) {
  return (dense_view){A.at, A.col, A.row};
}

dense_view dense_reversed(dense_view A, ptrdiff_t n, ptrdiff_t m) {
  A = dense_from(A, n - 1, m - 1);
  return (dense_view){A.at, -A.row, -A.col};
}

dense_target dense_into(double *array, int ld, int trans) {
  return (dense_target){array, dense_of(array, ld, trans)};
}

double *dense_place(dense_target X, ptrdiff_t i, ptrdiff_t j) {
  return X.array + (dense_from(X.view, i, j).at - X.array);
}

typedef struct {
  const dense_engine *e;
  double alpha;
  const double *w;
  dense_view A, B;
  int symmetric; /* A is, and only its lower triangle is read */
  int lower;     /* C is */
  int triangle;  /* A is lower, with zeros above */
  double *C;
  ptrdiff_t ldc;
} task;

typedef struct {
  int from, to;
} range;

static int least(int a, int b) { return a < b ? a : b; }
static int size_of(range r) { return r.to - r.from; }

/* panel[k][width] <- A[rows, inner] whose columns lie in one piece; copies of a
 * length that the compiler knows are registers, others calls */
static void copy_columns(dense_view A, int rows, int k, int width, double *to) {
  const double *at = A.at;
  if (rows == 24)
    for (int l = 0; l < k; l++, at += A.col, to += width)
      memcpy(to, at, 24 * sizeof *to);
  else if (rows == 8)
    for (int l = 0; l < k; l++, at += A.col, to += width)
      memcpy(to, at, 8 * sizeof *to);
  else if (rows == 6)
    for (int l = 0; l < k; l++, at += A.col, to += width)
      memcpy(to, at, 6 * sizeof *to);
  else
    for (int l = 0; l < k; l++, at += A.col, to += width)
      for (int i = 0; i < rows; i++) to[i] = at[i];
}

/* panel[k][width] <- A[rows, inner], zeros beyond the rows */
static void pack_panel(dense_view A, int rows, int k, int width, double *to) {
  if (rows < width) memset(to, 0, sizeof *to * (size_t)k * (size_t)width);
  if (A.row == 1) {
    copy_columns(A, rows, k, width, to);
    return;
  }
  int i = 0;
  for (; i + 2 <= rows; i += 2) { /* a pair is one store */
    const double *a = A.at + i * A.row, *b = a + A.row;
    double *pair = to + i;
    for (int l = 0; l < k; l++, a += A.col, b += A.col, pair += width) {
      const double first = *a, second = *b;
      pair[0] = first;
      pair[1] = second;
    }
  }
  for (; i < rows; i++)
    for (int l = 0; l < k; l++)
      to[i + (ptrdiff_t)l * width] = A.at[i * A.row + l * A.col];
}

/* The same from the lower triangle of a symmetric matrix: its columns up to the
 * first row, both triangles where the panel meets the diagonal, its rows. */
static void pack_symmetric(dense_view A, range rows, range inner, int width,
                           double *to) {
  const int i0 = rows.from, n = size_of(rows);
  int l = inner.from;
  const int below = least(inner.to, i0);
  if (l < below) {
    pack_panel(dense_from(A, i0, l), n, below - l, width, to);
    to += (ptrdiff_t)(below - l) * width;
    l = below;
  }
  for (; l < inner.to && l < rows.to; l++, to += width) {
    memset(to, 0, sizeof *to * (size_t)width);
    for (int i = i0; i < rows.to; i++)
      to[i - i0] = A.at[(i >= l ? i : l) * A.row + (i >= l ? l : i) * A.col];
  }
  if (l < inner.to)
    pack_panel(dense_turned(dense_from(A, l, i0)), n, inner.to - l, width, to);
}

static void pack_a(const task *t, range rows, range inner, double *to) {
  const int width = t->e->own->rows, k = size_of(inner);
  for (int i = rows.from; i < rows.to; i += width, to += (ptrdiff_t)k * width) {
    const range here = {i, least(rows.to, i + width)};
    if (t->symmetric)
      pack_symmetric(t->A, here, inner, width, to);
    else
      pack_panel(dense_from(t->A, i, inner.from), size_of(here), k, width, to);
  }
}

/* One panel of B, with alpha and w in it as in the reference BLAS */
static void pack_b(const task *t, int j, int cols, range inner, double *to) {
  const int width = t->e->own->cols, k = size_of(inner);
  pack_panel(dense_turned(dense_from(t->B, inner.from, j)), cols, k, width, to);
  if (t->alpha == 1 && !t->w) return;
  for (int l = 0; l < k; l++) {
    const double scale = t->alpha * (t->w ? t->w[inner.from + l] : 1);
    double *at = to + (ptrdiff_t)l * width;
    for (int c = 0; c < width; c += 2) { /* widths are even */
      at[c] *= scale;
      at[c + 1] *= scale;
    }
  }
}

/* C[rows, cols] of the tile at (i, j), some of which may not be wanted */
static void tile_aside(const task *t, int i, int j, int rows, int cols, int k,
                       const double *a, const double *b) {
  const dense_variant *own = t->e->own;
  double sum[TILE_MOST];
  memset(sum, 0, sizeof sum);
  own->tile(k, a, b, sum, (size_t)own->rows);
  for (int c = 0; c < cols; c++) {
    const int first = t->lower && j + c > i ? j + c - i : 0;
    double *C = t->C + (j + c) * t->ldc + i;
    for (int r = first; r < rows; r++) C[r] += sum[r + c * own->rows];
  }
}

/* All tiles of one packed block of A with the piece of B */
static void multiply_block(const task *t, range rows, range cols, range inner,
                           const double *a, const double *b) {
  const dense_variant *own = t->e->own;
  const int k = size_of(inner);
  for (int j = cols.from; j < cols.to;
       j += own->cols, b += (ptrdiff_t)k * own->cols) {
    const int wide = least(own->cols, cols.to - j);
    const double *panel = a;
    for (int i = rows.from; i < rows.to;
         i += own->rows, panel += (ptrdiff_t)k * own->rows) {
      const int high = least(own->rows, rows.to - i);
      const int last = t->triangle ? i + high - inner.from : k;
      const int deep = least(k, last);
      if ((t->lower && i + high <= j) || deep <= 0) continue;
      if (high == own->rows && wide == own->cols &&
          !(t->lower && i < j + wide - 1))
        own->tile(deep, panel, b, t->C + j * t->ldc + i, (size_t)t->ldc);
      else
        tile_aside(t, i, j, high, wide, deep, panel, b);
    }
  }
}

/* How a piece is shared by threads: blocks of `height` rows of C */
typedef struct {
  const task *t;
  range rows, cols, inner;
  int height, panels, blocks;
} piece;

static void pack_part(const piece *s, int p) {
  const int wide = s->t->e->own->cols, j = s->cols.from + p * wide;
  pack_b(s->t, j, least(wide, s->cols.to - j), s->inner,
         s->t->e->pack + (ptrdiff_t)p * wide * size_of(s->inner));
}

static void multiply_part(const piece *s, int p, int thread) {
  const dense_engine *e = s->t->e;
  const int i = s->rows.from + p * s->height;
  const range block = {i, least(s->rows.to, i + s->height)};
  if (s->t->lower && block.to <= s->cols.from) return;
  double *a = e->pack + PACK_B + (size_t)thread * PACK_A;
  pack_a(s->t, block, s->inner, a);
  multiply_block(s->t, block, s->cols, s->inner, a, e->pack);
}

/* C[rows, cols] += A[rows, inner] B[inner, cols]. Blocks are lower than HEIGHT
 * where that keeps all threads at work. One thread is not made a team of, which
 * takes as long as a small product. */
static void multiply_piece(const task *t, range rows, range cols, range inner) {
  const dense_variant *own = t->e->own;
  const double work = (double)size_of(rows) * size_of(cols) * size_of(inner);
  const int threads = work < THREAD_LEAST ? 1 : t->e->threads;
  const int share = (size_of(rows) + 2 * threads - 1) / (2 * threads);
  const int height =
      threads == 1
          ? HEIGHT
          : least(HEIGHT, (share + own->rows - 1) / own->rows * own->rows);
  const piece s = {.t = t,
                   .rows = rows,
                   .cols = cols,
                   .inner = inner,
                   .height = height,
                   .panels = (size_of(cols) + own->cols - 1) / own->cols,
                   .blocks = (size_of(rows) + height - 1) / height};
  if (threads == 1) {
    for (int p = 0; p < s.panels; p++) pack_part(&s, p);
    for (int p = s.blocks - 1; p >= 0; p--) multiply_part(&s, p, 0);
    return;
  }
  OMP(omp parallel num_threads(threads)) {
    OMP(omp for)
    for (int p = 0; p < s.panels; p++) pack_part(&s, p);
    OMP(omp for schedule(dynamic))
    for (int p = s.blocks - 1; p >= 0; p--)
      multiply_part(&s, p, thread_number());
  }
}

static void multiply(const task *t, int m, int n, int k) {
  if (n == 0 || t->alpha == 0) return;
  for (int i = 0; i < m; i += BAND) {
    const range rows = {i, least(m, i + BAND)};
    const int last = t->lower ? rows.to : n;
    for (int j = 0; j < last; j += BREADTH)
      for (int l = 0; l < k; l += DEPTH) {
        core_poll();
        multiply_piece(t, rows, (range){j, least(last, j + BREADTH)},
                       (range){l, least(k, l + DEPTH)});
      }
  }
}

void dense_product(const dense_engine *e, int m, int n, int k, double alpha,
                   const double *w, dense_view A, dense_view B,
                   dense_target C) {
  const ptrdiff_t row = C.view.row;
  if (row != 1 && row != -1) {
    C.view = dense_turned(C.view);
    dense_product(e, n, m, k, alpha, w, dense_turned(B), dense_turned(A), C);
    return;
  }
  if (m == 0 || n == 0) return;
  if (row == -1) /* the last row first, in A and in C */
    A = (dense_view){A.at + (m - 1) * A.row, -A.row, A.col};
  const task t = {.e = e,
                  .alpha = alpha,
                  .w = w,
                  .A = A,
                  .B = B,
                  .C = dense_place(C, row == -1 ? m - 1 : 0, 0),
                  .ldc = C.view.col};
  multiply(&t, m, n, k);
}

void dense_symmetric(const dense_engine *e, int n, int m, const double *A,
                     int lda, dense_view B, double *C, int ldc) {
  const task t = {.e = e,
                  .alpha = 1,
                  .A = dense_of(A, lda, 0),
                  .B = B,
                  .symmetric = 1,
                  .C = C,
                  .ldc = ldc};
  multiply(&t, n, m, n);
}

/* each column once, as a column and as a row */
void dense_symmetric_times(const dense_engine *e, int n, const double *A,
                           const double *x, double *out) {
  memset(out, 0, sizeof *out * (size_t)n);
  for (int j = 0; j < n; j += BOTH_COLS) {
    const int cols = least(BOTH_COLS, n - j), below = j + cols;
    for (int c = j; c < below; c++) { /* their diagonal block */
      out[c] += A[IDX(c, c, n)] * x[c];
      for (int i = c + 1; i < below; i++) {
        out[i] += A[IDX(i, c, n)] * x[c];
        out[c] += A[IDX(i, c, n)] * x[i];
      }
    }
    if (below < n)
      e->own->both(n - below, A + IDX(below, j, n), (size_t)n, x + j, x + below,
                   out + below, out + j);
  }
}

void dense_update(const dense_engine *e, int n, int k, double alpha,
                  const double *w, dense_view A, double *C, int ldc,
                  double *scratch) {
  (void)scratch;
  const task t = {.e = e,
                  .alpha = alpha,
                  .w = w,
                  .A = A,
                  .B = dense_turned(A),
                  .lower = 1,
                  .C = C,
                  .ldc = ldc};
  multiply(&t, n, n, k);
}

void dense_lower(const dense_engine *e, int n, int m, const double *T,
                 const double *B, double *C) {
  const task t = {.e = e,
                  .alpha = 1,
                  .A = dense_of(T, n, 0),
                  .B = dense_of(B, n, 0),
                  .triangle = 1,
                  .C = C,
                  .ldc = n};
  memset(C, 0, sizeof *C * (size_t)n * (size_t)m);
  multiply(&t, n, m, n);
}

double dense_inner(const dense_engine *e, int n, const double *x,
                   const double *y) {
  return e->own->dot(n, x, y);
}

/* what both() sums of rows is not wanted */
void dense_times(const dense_engine *e, int m, int n, const double *A,
                 const double *x, double *out) {
  double aside[BOTH_COLS];
  int j = 0;
  for (; j + BOTH_COLS <= n; j += BOTH_COLS) {
    const double *a = A + IDX(0, j, m);
    memset(aside, 0, sizeof aside);
    e->own->both(m, a, (size_t)m, x + j, a, out, aside);
  }
  for (; j < n; j++)
    for (int i = 0; i < m; i++) out[i] += A[IDX(i, j, m)] * x[j];
}
