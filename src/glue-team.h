/* What: threads that each run fits of their own. */
#ifndef STURDY_GLUE_TEAM_H
#define STURDY_GLUE_TEAM_H

#include "dense-ops.h"

/* Threads for so many fits at once: as many as the own kernels of an engine
 * would take in each; one where R's BLAS is used, which may have threads
 * itself. */
int team_size(const dense_engine *e, int fits);

/* Calls work(data, number) on so many threads, number 0 being this one, and
 * waits for all. Meanwhile each has an engine like e of its own, and the interrupts
 * that the first one hears stop all: nothing may jump out of `work`. With one
 * thread it is just called. */
typedef void team_work(void *data, int number);
void team_run(const dense_engine *e, int threads, team_work *work, void *data);

int team_is_at_work(void);
int team_is_stopped(void);

/* The engine of this thread, or NULL where there is no team. */
const dense_engine *team_engine(void);

double seconds_now(void);

#endif
