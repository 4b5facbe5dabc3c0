/* What: a test is a function; main() runs a file's tests one by one.
 *
 *   static void halves_add_up(void) { CHECK_NEAR(0.5 + 0.5, 1, 1e-15); }
 *   int main(void) {
 *     RUN("halves add up", halves_add_up);
 *     return check_done();
 *   }
 *
 * Every test prints a line; every failed check prints where and what. The last
 * line of a program is `N passed, N failed`, counting tests. */
#ifndef STURDY_CHECK_H
#define STURDY_CHECK_H

#include "dense-product.h"
#include "threads.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  int passed, failed; /* tests */
  int here;           /* failed checks of the running test */
} check_state;

static check_state check_now;

/* The core asks whether to stop (matrix.h): here never. */
static long check_polls;
void core_poll(void);
void core_poll(void) {
  if (thread_number() == 0) check_polls++;
}

/* The dense kernels of the tests: those of BLAS, or with STURDY_VARIANT=k our
 * own variant k, the widest where there is no such; on one thread. Threads of a
 * team have engines of their own. */
static dense_engine check_engine;
static const dense_engine *check_team;
const dense_engine *core_dense(void) {
  if (check_team) return check_team + thread_number();
  if (!check_engine.pack) {
    const char *asked = getenv("STURDY_VARIANT");
    check_engine.threads = 1;
    check_engine.pack = malloc(sizeof(double) * dense_pack_size(2));
    if (!check_engine.pack) abort();
    for (int k = 0; asked && k <= atoi(asked) && dense_variant_at(k); k++)
      check_engine.own = dense_variant_at(k);
  }
  return &check_engine;
}

/* After this many the rest of a test fails in silence. */
#define CHECK_SHOWN 8

static inline int check_fails(void) {
  check_now.here++;
  return check_now.here <= CHECK_SHOWN;
}

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition) && check_fails())                                         \
      printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);         \
  } while (0)

/* |got - want| <= tol max(floor, |want|); NaN fails, equal infinities pass */
static inline void check_near(const char *file, int line, const char *what,
                              double got, double want, double tol,
                              double floor) {
  const double size = fmax(floor, fabs(want));
  if (got == want || fabs(got - want) <= tol * size) return;
  if (check_fails())
    printf("%s:%d: %s is %.17g, not %.17g (off by %.2e)\n", file, line, what,
           got, want, fabs(got - want) / size);
}

/* relative, but absolute below 1 */
#define CHECK_NEAR(got, want, tol)                                             \
  check_near(__FILE__, __LINE__, #got, got, want, tol, 1)
/* relative to max(floor, |want|) */
#define CHECK_SCALED(got, want, tol, floor)                                    \
  check_near(__FILE__, __LINE__, #got, got, want, tol, floor)

/* Under a tool that makes all of this slow (STURDY_QUICK) a part of the cases
 * does, one of every kind: it looks at memory, not at numbers. */
static inline int check_quick(void) { return getenv("STURDY_QUICK") != NULL; }

static inline void check_run(const char *claim, void (*test)(void)) {
  check_now.here = 0;
  test();
  check_now.passed += check_now.here == 0;
  check_now.failed += check_now.here > 0;
  printf("%s %s", check_now.here ? "FAILED" : "ok    ", claim);
  if (check_now.here > 1) printf(" (%d checks)", check_now.here);
  printf("\n");
  fflush(stdout);
}

#define RUN(claim, test) check_run(claim, test)

/* The status of main(). */
static inline int check_done(void) {
  printf("%d passed, %d failed\n", check_now.passed, check_now.failed);
  return check_now.failed > 0;
}

#endif
