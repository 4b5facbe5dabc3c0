/* What: carving the caller's block of doubles into named arrays. The core
 *       never allocates: a longjmp through it leaks nothing.
 *
 * Each module has one carve function. Run on a workspace with base NULL it
 * only counts, so the size query and the layout cannot disagree. */
#ifndef STURDY_WORKSPACE_H
#define STURDY_WORKSPACE_H

#include <stddef.h>

/* Where element (i, j) of an array of n rows is, which may be beyond an int */
#define IDX(i, j, n) ((size_t)(i) + (size_t)(j) * (size_t)(n))

typedef struct {
  double *base; /* NULL: count only */
  size_t used;  /* doubles taken so far */
} workspace;

double *workspace_take(workspace *ws, size_t n_double);

/* As many for each of the pointers whose addresses follow. */
#define WORKSPACE_EACH(ws, n_double, ...)                                      \
  workspace_take_each(ws, n_double, (double **[]){__VA_ARGS__, NULL})
void workspace_take_each(workspace *ws, size_t n_double, double ***to);

/* Room for `bytes` bytes, rounded up to doubles and aligned as they are. Types
 * that are carved this way assert it: WORKSPACE_HOLDS(ep_site). */
void *workspace_take_bytes(workspace *ws, size_t bytes);

#define WORKSPACE_HOLDS(type)                                                  \
  _Static_assert(_Alignof(type) <= _Alignof(double), "aligned as doubles are")

#endif
