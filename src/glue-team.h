/* What: threads that each run fits of their own. */
#ifndef STURDY_GLUE_TEAM_H
#define STURDY_GLUE_TEAM_H

#include "dense-ops.h"

/* Threads for so many fits at once: as many as the own kernels would take in
 * each; one where R's BLAS is used, which may have threads itself. */
int team_size(int fits);

/* From here to team_end() each thread of a region has an engine of its own, and
 * the interrupts that the first one hears stop all: nothing may jump out of such
 * a region. Of one thread: nothing is changed. */
void team_begin(int threads);
void team_end(void);

int team_is_at_work(void);
int team_is_stopped(void);

/* The engine of this thread, or NULL where there is no team. */
const dense_engine *team_engine(void);

/* Panels begin with a line of the cache: memory for them has so many bytes, and
 * doubles, more. */
enum { DENSE_LINE = 64 };
double *dense_aligned(void *memory);

double seconds_now(void);

#endif
