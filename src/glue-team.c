/* What: threads that each run fits of their own: their engines, and how they
 *       hear of an interrupt. They are made for a call and end with it: those
 *       of OpenMP wait by spinning, which takes as long as a small fit from
 *       whoever has the processor. */
#include "glue-team.h"
#include "dense-product.h"
#include "glue.h"
#include <pthread.h>
#include <stdatomic.h>

/* Seconds between two looks for an interrupt, each of some microseconds */
#define LOOK_AFTER 0.02

static _Thread_local int my_number; /* in the team; 0 is R's thread */

static struct {
  dense_engine *engine; /* [threads], or NULL */
  double looked;
  atomic_int stopped;
} team;

int team_size(const dense_engine *e, int fits) {
  if (!e->own || fits < 2) return 1;
  return e->threads < fits ? e->threads : fits;
}

static void gather(const dense_engine *e, int threads) {
  const size_t panels = dense_pack_size(1) + DENSE_LINE;
  dense_engine *engine =
      (dense_engine *)R_alloc((size_t)threads, sizeof *engine);
  for (int k = 0; k < threads; k++)
    engine[k] = (dense_engine){
        .own = e->own, .threads = 1, .pack = dense_aligned(glue_alloc(panels))};
  atomic_store(&team.stopped, 0);
  team.looked = seconds_now();
  team.engine = engine;
}

typedef struct {
  team_work *work;
  void *data;
  int number;
  pthread_t thread;
} member;

static void *runs(void *data) {
  const member *m = data;
  my_number = m->number;
  m->work(m->data, m->number);
  return NULL;
}

/* Where there is no other thread to be had the first one does it all. */
void team_run(const dense_engine *e, int threads, team_work *work, void *data) {
  if (threads <= 1) {
    work(data, 0);
    return;
  }
  member *m = (member *)R_alloc((size_t)threads, sizeof *m);
  int others = 0;
  gather(e, threads);
  for (int k = 1; k < threads; k++) {
    m[others] = (member){.work = work, .data = data, .number = k};
    others += !pthread_create(&m[others].thread, NULL, runs, &m[others]);
  }
  work(data, 0);
  for (int k = 0; k < others; k++) pthread_join(m[k].thread, NULL);
  team.engine = NULL;
}

int team_is_at_work(void) { return team.engine != NULL; }

int team_is_stopped(void) { return atomic_load(&team.stopped); }

const dense_engine *team_engine(void) {
  return team.engine ? team.engine + my_number : NULL;
}

static void look(void *data) {
  (void)data;
  R_CheckUserInterrupt();
}

/* In a team only its first thread, which is R's, may look, and nothing may
 * jump. */
void core_poll(void) {
  if (!team.engine) {
    R_CheckUserInterrupt();
    return;
  }
  if (my_number != 0) return;
  const double now = seconds_now();
  if (now - team.looked < LOOK_AFTER) return;
  team.looked = now;
  if (!R_ToplevelExec(look, NULL)) atomic_store(&team.stopped, 1);
}
