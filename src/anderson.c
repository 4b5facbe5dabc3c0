/* What: Anderson acceleration, type II, by normal equations.
 * Method: gamma = argmin |f - dF gamma|, step = f - (dX + dF) gamma [M 9.8].
 *   The sums over n of the at most ANDERSON_MEMORY^2 products are all that the
 *   rows share.
 * References: WN11. */
#include "anderson.h"
#include "matrix.h"
#include "numeric.h"
#include "status.h"

#define MEMORY ANDERSON_MEMORY

/* Added to the diagonal of the normal equations, relative: what their rounding
 * is anyway */
#define RIDGE 1e-13

void anderson_carve(anderson *a, int n, workspace *ws) {
  const size_t N = (size_t)n;
  a->n = n;
  WORKSPACE_EACH(ws, N, &a->x, &a->f);
  WORKSPACE_EACH(ws, MEMORY * N, &a->dx, &a->df);
  a->H = workspace_take(ws, MEMORY * MEMORY);
  a->g = workspace_take(ws, MEMORY);
  a->count = a->next = a->started = 0;
}

void anderson_restart(anderson *a) { a->count = a->next = a->started = 0; }

void anderson_add(int c, double w2, const double *d, double f, double *H,
                  double *g) {
  for (int j = 0; j < c; j++) {
    const double wd = w2 * d[j];
    g[j] += wd * f;
    for (int l = j; l < c; l++) H[IDX(l, j, c)] += wd * d[l];
  }
}

static void remember(anderson *a, const double *x, const double *f) {
  const size_t n = (size_t)a->n;
  if (a->started) {
    const int j = a->next;
    for (size_t i = 0; i < n; i++) {
      a->dx[i * MEMORY + (size_t)j] = x[i] - a->x[i];
      a->df[i * MEMORY + (size_t)j] = f[i] - a->f[i];
    }
    a->next = (j + 1) % MEMORY;
    if (a->count < MEMORY) a->count++;
  }
  memcpy(a->x, x, n * sizeof *x);
  memcpy(a->f, f, n * sizeof *f);
  a->started = 1;
}

void anderson_take(anderson *a, const double *weight, const double *x,
                   const double *f) {
  remember(a, x, f);
  memset(a->H, 0, MEMORY * MEMORY * sizeof *a->H);
  memset(a->g, 0, MEMORY * sizeof *a->g);
  if (a->count == 0) return;
  for (size_t i = 0; i < (size_t)a->n; i++)
    anderson_add(a->count, weight[i] * weight[i], a->df + i * MEMORY, f[i],
                 a->H, a->g);
}

/* In units in which H has a unit diagonal. A difference of nothing has a row
 * and a column of zeros there: its gamma is 0. */
int anderson_solve(double *H, double *g, int c) {
  double unit[MEMORY], ignore = 0;
  int some = 0;
  for (int j = 0; j < c; j++) {
    const double size = H[IDX(j, j, c)];
    unit[j] = size == 0 ? 0 : 1 / sqrt(size);
    if (!isfinite(unit[j])) return 0;
    some = some || size > 0;
  }
  if (!some) return 0;
  for (int j = 0; j < c; j++) {
    for (int l = j; l < c; l++) H[IDX(l, j, c)] *= unit[l] * unit[j];
    H[IDX(j, j, c)] = 1 + RIDGE;
    g[j] *= unit[j];
  }
  if (cholesky(H, c, &ignore) != EP_CONVERGED) return 0;
  solve_lower("N", H, c, g, 1);
  solve_lower("T", H, c, g, 1);
  for (int j = 0; j < c; j++) g[j] *= unit[j];
  return 1;
}

void anderson_step(const anderson *a, const double *gamma, double *step) {
  memcpy(step, a->f, (size_t)a->n * sizeof *step);
  if (a->count == 0) return;
  for (size_t i = 0; i < (size_t)a->n; i++) {
    const double *dx = a->dx + i * MEMORY, *df = a->df + i * MEMORY;
    for (int j = 0; j < a->count; j++) step[i] -= gamma[j] * (dx[j] + df[j]);
  }
}
