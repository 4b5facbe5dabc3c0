/* What: threads that each run fits of their own: their engines, and how they
 *       hear of an interrupt. */
#include "glue-team.h"
#include "dense-product.h"
#include "glue.h"
#include "threads.h"
#include <stdatomic.h>

/* Seconds between two looks for an interrupt, each of some microseconds */
#define LOOK_AFTER 0.02

static struct {
  dense_engine *engine; /* [threads], or NULL */
  double looked;
  atomic_int stopped;
} team;

int team_size(int fits) {
  const dense_engine *e = core_dense();
  if (!e->own || fits < 2) return 1;
  return e->threads < fits ? e->threads : fits;
}

void team_begin(int threads) {
  if (threads <= 1) return;
  const size_t panels = dense_pack_size(1) + DENSE_LINE;
  const dense_engine now = *core_dense();
  dense_engine *engine =
      (dense_engine *)R_alloc((size_t)threads, sizeof *engine);
  for (int k = 0; k < threads; k++)
    engine[k] = (dense_engine){.own = now.own,
                               .threads = 1,
                               .pack = dense_aligned(glue_alloc(panels))};
  atomic_store(&team.stopped, 0);
  team.looked = seconds_now();
  team.engine = engine;
}

void team_end(void) { team.engine = NULL; }

int team_is_at_work(void) { return team.engine != NULL; }

int team_is_stopped(void) { return atomic_load(&team.stopped); }

const dense_engine *team_engine(void) {
  return team.engine ? team.engine + thread_number() : NULL;
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
  if (thread_number() != 0) return;
  const double now = seconds_now();
  if (now - team.looked < LOOK_AFTER) return;
  team.looked = now;
  if (!R_ToplevelExec(look, NULL)) atomic_store(&team.stopped, 1);
}
