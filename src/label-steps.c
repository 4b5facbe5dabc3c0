/* What: answers of rows from those of scores at even steps.
 * Method: Lagrange's cubic through steps -1, 0, 1 and 2 at u, of weights
 *     -u (u - 1)(u - 2)/6, (u + 1)(u - 1)(u - 2)/2,
 *     -(u + 1) u (u - 2)/2, (u + 1) u (u - 1)/6,
 *   which sum to 1, so that answers that sum to 1 at steps do so between them;
 *   none is beyond those of its four steps.
 * Accuracy: 3/128 of the fourth difference of the steps; at an extreme, 1/8 of
 *   the second. */
#include "label-steps.h"
#include "numeric.h"

void label_between(int n, const int *at, const double *u, int m,
                   const double *step, double *row) {
  for (int i = 0; i < n; i++) {
    const double *f = step + IDX(0, at[i], m), x = u[i];
    const double a = (x - 1) * (x - 2), b = (x + 1) * x;
    const double w[4] = {-x * a / 6, (x + 1) * a / 2, -b * (x - 2) / 2,
                         b * (x - 1) / 6};
    for (int k = 0; k < m; k++, f++) {
      double value = 0, least = INFINITY, most = -INFINITY;
      for (int s = 0; s < 4; s++) {
        value += w[s] * f[s * m];
        least = fmin(least, f[s * m]);
        most = fmax(most, f[s * m]);
      }
      row[IDX(i, k, n)] = fmin(fmax(value, least), most);
    }
  }
}
