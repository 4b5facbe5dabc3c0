/* What: glue of the dense engine: what there is, what is used, how fast it is.
 *       The engine, which the options of a session choose, outlives a .Call(),
 *       as the memory of fits does (glue-memory.c) and nothing else.
 * Forks: the threads of OpenMP are not inherited, and waiting for them would
 *   never end: a process that did not load the package works on one. */
#include "glue.h"
#include "glue-team.h"
#include "dense-product.h"
#include "matrix.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#ifndef _WIN32
#include <unistd.h>
static long process_number(void) { return (long)getpid(); }
#else
static long process_number(void) { return 0; }
#endif

/* An engine for R's BLAS and for each variant, so that one in use keeps its own
 * when an interrupt handler changes the options. The panels are one, kept for
 * the session and only ever made larger. */
#define ENGINES 8
static struct {
  dense_engine engines[ENGINES];
  int now;     /* the engine in use */
  int threads; /* that the panels are enough for */
  void *memory;
  long owner; /* the process that loaded the package */
} chosen;

static int is_fork(void) { return chosen.owner != process_number(); }

void glue_dense_load(void) {
  chosen.owner = process_number();
  for (int k = 0; k < ENGINES; k++)
    chosen.engines[k] =
        (dense_engine){.own = dense_variant_at(k - 1), .threads = 1};
}

const dense_engine *core_dense(void) {
  if (team_is_at_work()) return team_engine();
  dense_engine *e = chosen.engines + chosen.now;
  if (e->threads > 1 && is_fork()) e->threads = 1;
  return e;
}

/* Names of the variants that can run here, the narrowest first */
SEXP glue_dense_names(void) {
  int count = 0;
  while (dense_variant_at(count)) count++;
  SEXP out_ = PROTECT(Rf_allocVector(STRSXP, count));
  for (int k = 0; k < count; k++)
    SET_STRING_ELT(out_, k, Rf_mkChar(dense_variant_at(k)->name));
  UNPROTECT(1);
  return out_;
}

/* Panels for so many threads; 0 when there is no memory for them */
static int make_panels(int threads) {
  if (threads <= chosen.threads) return 1;
  void *memory = malloc(dense_pack_size(threads) * sizeof(double) + DENSE_LINE);
  if (!memory) return 0;
  free(chosen.memory);
  chosen.memory = memory;
  chosen.threads = threads;
  for (int k = 0; k < ENGINES; k++)
    chosen.engines[k].pack = dense_aligned(memory);
  return 1;
}

/* Uses variant_ (1, 2, ...; 0 for R's BLAS) on threads_ from now on. FALSE, and
 * nothing is changed, when there is no memory for its panels. */
SEXP glue_dense_use(SEXP variant_, SEXP threads_) {
  const int k = WHOLE(variant_), threads = WHOLE(threads_);
  expect(threads >= 1, "threads_");
  expect(k == 0 || (k > 0 && k < ENGINES && chosen.engines[k].own), "variant_");
  if (k > 0 && !make_panels(threads)) return Rf_ScalarLogical(FALSE);
  chosen.engines[k].threads = threads;
  chosen.now = k;
  return Rf_ScalarLogical(TRUE);
}

/* Threads by default: one in a fork, at most two, and no more than
 * OMP_NUM_THREADS, OMP_THREAD_LIMIT and the processors of this process allow;
 * one without OpenMP */
SEXP glue_dense_threads(void) {
  int threads = 1;
#ifdef _OPENMP
  const int most[] = {2, omp_get_max_threads(), omp_get_thread_limit(),
                      omp_get_num_procs()};
  threads = most[0];
  for (int k = 1; k < 4; k++)
    if (most[k] < threads) threads = most[k];
#endif
  return Rf_ScalarInteger(threads > 1 && !is_fork() ? threads : 1);
}

double seconds_now(void) {
  struct timespec t;
#ifdef CLOCK_MONOTONIC
  clock_gettime(CLOCK_MONOTONIC, &t);
#else
  timespec_get(&t, TIME_UTC);
#endif
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The operations that EP spends its time in, at size n: with 64 columns all but
 * the factor */
enum { UPDATE, FACTOR, SOLVE, PRODUCT, OPERATIONS };

static double flops_of(int operation, double n) {
  const double flops[] = {64 * n * n, n * n * n / 3, 64 * n * n, 128 * n * n};
  return flops[operation];
}

/* S[n x n] is positive definite; W[n x max(n, 64)] and P[n x 64] are
 * overwritten */
static void run_operation(int operation, int n, const double *S, double *W,
                          double *P) {
  double log_det = 0;
  switch (operation) {
  case UPDATE:
    rank_update("N", n, 64, 1e-9, P, W);
    break;
  case FACTOR:
    memcpy(W, S, sizeof *S * (size_t)n * (size_t)n);
    cholesky(W, n, &log_det);
    break;
  case SOLVE:
    solve_lower("N", W, n, P, 64);
    break;
  default:
    product("N", "N", n, 64, n, 1, S, n, P, n, 0, W, n);
  }
}

/* Speeds of the engine in use, flops a second, the best of three runs or of as
 * many as end in half a second: of the first few_ of update, factor, solve,
 * product */
SEXP glue_dense_speed(SEXP n_, SEXP few_) {
  const int n = WHOLE(n_), few = WHOLE(few_);
  expect(few <= OPERATIONS, "few_");
  const size_t N = (size_t)n * (size_t)n, panel = 64 * (size_t)n;
  double *S = glue_alloc(N), *W = glue_alloc(N > panel ? N : panel);
  double *P = glue_alloc(panel);
  for (size_t k = 0; k < N; k++) W[k] = S[k] = 1.0 / (double)n;
  for (int i = 0; i < n; i++) S[IDX(i, i, n)] += 1;
  for (size_t k = 0; k < panel; k++) P[k] = (double)(k % 7) - 3;
  SEXP out_ = PROTECT(Rf_allocVector(REALSXP, few));
  for (int operation = 0; operation < few; operation++) {
    double best = R_PosInf, spent = 0;
    for (int k = 0; k < 3 && spent < 0.5; k++) {
      const double began = seconds_now();
      run_operation(operation, n, S, W, P);
      const double took = seconds_now() - began;
      if (took > 0) best = fmin(best, took);
      spent += took;
    }
    /* a coarse clock may see no time pass */
    if (!R_FINITE(best)) best = 1e-6;
    REAL(out_)[operation] = flops_of(operation, n) / best;
  }
  UNPROTECT(1);
  return out_;
}
