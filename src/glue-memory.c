/* What: the memory that fits work in, kept for the next: taken anew for each
 *       it would cost a tenth of a small fit, in pages of the system and in
 *       garbage to collect. */
#include "glue.h"
#include <stdint.h>
#include <stdlib.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

/* Doubles that are kept at most when no model is learned; while one is, which
 * runs EP some ten to a hundred times, whatever it takes is kept */
#define KEPT_MOST 2e6

static struct {
  double *at;
  size_t size;
  int lent, all;
} kept;

/* Asks for large pages, where the system has them: in small ones first touching
 * some gigabytes takes as long as a pass of EP over the rows they are for. */
static double *in_large_pages(double *at, size_t n) {
#ifdef MADV_HUGEPAGE
  const uintptr_t page = 1 << 21, first = (uintptr_t)at;
  const uintptr_t from = (first + page - 1) / page * page;
  const uintptr_t to = (first + n * sizeof *at) / page * page;
  if (to > from) madvise((void *)from, to - from, MADV_HUGEPAGE);
#else
  (void)n;
#endif
  return at;
}

static void give_back(void *memory) {
  if (memory == kept.at) kept.lent = 0;
}

/* `n` doubles that are no one else's: a function that a call tells of its
 * progress may make another */
static double *borrow(size_t n) {
  const int large = (double)n > KEPT_MOST;
  if (kept.lent || n == 0 || (large && !kept.all))
    return in_large_pages(glue_alloc(n), n);
  if (n > kept.size) {
    free(kept.at);
    kept.at = malloc(n * sizeof *kept.at);
    kept.size = kept.at ? n : 0;
    if (!kept.at) return glue_alloc(n);
    if (large) in_large_pages(kept.at, n);
  }
  kept.lent = 1;
  return kept.at;
}

typedef struct {
  glue_work *work;
  void *data;
  double *memory;
} errand;

static SEXP runs(void *data) {
  const errand *e = data;
  e->work(e->data, e->memory);
  return R_NilValue;
}

void glue_with_memory(size_t n, glue_work *work, void *data) {
  errand e = {work, data, borrow(n)};
  R_ExecWithCleanup(runs, &e, give_back, e.memory);
}

SEXP glue_keep_memory(SEXP all_) {
  const double before = (double)kept.size;
  kept.all = WHOLE(all_);
  if (!kept.all && !kept.lent && (double)kept.size > KEPT_MOST) {
    free(kept.at);
    kept.at = NULL;
    kept.size = 0;
  }
  return Rf_ScalarReal(before);
}
