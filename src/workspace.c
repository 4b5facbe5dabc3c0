#include "workspace.h"

double *workspace_take(workspace *ws, size_t n_double) {
  double *p = ws->base ? ws->base + ws->used : NULL;
  ws->used += n_double;
  return p;
}

int *workspace_take_int(workspace *ws, size_t n_int) {
  const size_t per = sizeof(double) / sizeof(int);
  return (int *)(void *)workspace_take(ws, (n_int + per - 1) / per);
}
