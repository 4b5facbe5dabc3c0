/* What: the Poisson-binomial distribution.
 * Method: trials one after the other, each of which moves a share of the
 *   distribution up by one; all terms are positive, so no digits are lost. */
#include "count.h"

void count_density(int n, const double *p, double *density) {
  int trials = 0; /* that can succeed */
  density[0] = 1;
  for (int i = 0; i < n; i++) {
    if (p[i] <= 0) continue;
    trials++;
    density[trials] = p[i] * density[trials - 1];
    for (int k = trials - 1; k > 0; k--)
      density[k] = (1 - p[i]) * density[k] + p[i] * density[k - 1];
    density[0] *= 1 - p[i];
  }
  for (int k = trials + 1; k <= n; k++) density[k] = 0;
}
