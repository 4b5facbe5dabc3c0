/* What: registration of the entry points. */
#include "glue.h"
#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>

/* by way of void (*)(void), the one type that compilers let be cast to any */
#define REGISTERED(name, n) {#name, (DL_FUNC)(void (*)(void))glue_##name, n},

static const R_CallMethodDef entries[] = {ENTRIES(REGISTERED){NULL, NULL, 0}};

void R_init_sturdy(DllInfo *dll);
attribute_visible void R_init_sturdy(DllInfo *dll) {
  R_registerRoutines(dll, NULL, entries, NULL, NULL);
  R_useDynamicSymbols(dll, FALSE);
  R_forceSymbols(dll, TRUE);
  glue_dense_load();
}
