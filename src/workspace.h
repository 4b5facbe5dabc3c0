/* What: carving the caller's block of doubles into named arrays. The core
 *       never allocates: a longjmp through it leaks nothing.
 *
 * Each module has one carve function. Run on a workspace with base NULL it
 * only counts, so the size query and the layout cannot disagree. */
#ifndef STURDY_WORKSPACE_H
#define STURDY_WORKSPACE_H

#include <stddef.h>

typedef struct {
  double *base; /* NULL: count only */
  size_t used;  /* doubles taken so far */
} workspace;

double *workspace_take(workspace *ws, size_t n_double);
int *workspace_take_int(workspace *ws, size_t n_int);

#endif
