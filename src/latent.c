/* What: rows that stand for several alike, whatever carries the latent space.
 * Method: w copies of a row have f = g + e_j, e_j independent of variance
 *   lambda, and sites alike, (tau, nu) each. Their mean has the prior variance
 *   of g and lambda/w, and the site (w tau, w nu); what they differ by from it
 *   is independent of all else, of posterior variance (1 - 1/w) lambda/(1 +
 *   lambda tau) [M 3.18]. So n rows do, and w need not be whole. */
#include "latent.h"
#include "numeric.h"

void latent_repeat(latent *post, const double *times) {
  if (!times) return;
  double sum = 0;
  for (int i = 0; i < post->n; i++) sum += times[i];
  if (post->d == post->n) post->d = sum; /* in kernel space, not of weights */
  post->times = times;
}

double latent_log_det(const latent *post, const ep_site *site) {
  double sum = post->log_det;
  if (!post->times) return sum;
  for (int i = 0; i < post->n; i++)
    sum += (post->times[i] - 1) * log1p(post->lambda[i] * site[i].tau);
  return sum;
}

double latent_by_lambda(const latent *post, const latent_dots *dots, int i,
                        ep_site mean, double by_K) {
  if (!post->times) return by_K;
  const latent_copy c = latent_copy_of(post, i, post->A[i], post->m[i], mean);
  const double own =
      dots->A[i] * c.A_lambda +
      dots->D * (c.times - 1) * mean.tau / (1 + post->lambda[i] * mean.tau);
  return (by_K + own) / c.times;
}
