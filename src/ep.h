/* What: expectation propagation, for every latent space and df. */
#ifndef STURDY_EP_H
#define STURDY_EP_H

#include "ep-state.h"

/* Runs EP from st->site to convergence. post is left refreshed at st->site
 * unless the status says otherwise. Returns an ep_status. */
int ep_run(latent *post, const lik_step *lik, const ep_options *opt,
           ep_state *st, ep_work *work, ep_monitor monitor, void *monitor_data);

#endif
