#include "workspace.h"

double *workspace_take(workspace *ws, size_t n_double) {
  double *p = ws->base ? ws->base + ws->used : NULL;
  ws->used += n_double;
  return p;
}

void workspace_take_each(workspace *ws, size_t n_double, double ***to) {
  for (; *to; to++) **to = workspace_take(ws, n_double);
}

void *workspace_take_bytes(workspace *ws, size_t bytes) {
  return workspace_take(ws, (bytes + sizeof(double) - 1) / sizeof(double));
}
