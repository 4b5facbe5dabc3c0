/* What: parallel EP of a latent: all sites at once. */
#ifndef STURDY_EP_PARALLEL_H
#define STURDY_EP_PARALLEL_H

#include "ep-state.h"

/* Parallel EP from st->site: EP_CONVERGED as from ep_run(), or EP_INTERRUPTED,
 * EP_MAX_SWEEPS, EP_STALLED, EP_NO_STEP, or a negative status where not
 * even the prior has a posterior. Then st->site are the best sites met, to go
 * on from; post is not refreshed at them. */
int ep_parallel(latent *post, const lik_step *lik, const ep_options *opt,
                ep_state *st, ep_work *work, ep_monitor monitor,
                void *monitor_data);

#endif
