/* What: recalibrated scores and the likelihood of reports.
 * Method: with s_ic the log score of class c in row i             [M 15.1, 15.2]
 *     q_ic = exp(b s_ic + a_c) / sum_k exp(b s_ik + a_k),
 *     Z_i = sum_c L_ic q_ic,   r_ic = L_ic q_ic / Z_i,
 *     d log Z_i / d a_c = r_ic - q_ic,   d log Z_i / d L_ic = q_ic / Z_i,
 *     d log Z_i / d b = sum_c (r_ic - q_ic) s_ic,
 *   a row that stands for several as often as it does; some rows at a time,
 *   column by column. Where Z_i would lose its digits, or all of them, it is
 *   summed in logs.
 * Accuracy: of exp() and log(). */
#include "scores.h"
#include "numeric.h"

#define ROWS 64        /* at a time */
#define LEAST_Z 1e-250 /* below, sums are in logs */

size_t scores_work_size(int C) { return (size_t)ROWS * ((size_t)C + 2); }

/* Log of the sum of L q of a row, whose elements are `step` apart */
static double log_sum(int C, const double *L, const double *log_q,
                      size_t step) {
  double top = -INFINITY, sum = 0;
  for (int c = 0; c < C; c++)
    if (L[(size_t)c * step] > 0) top = fmax(top, log_q[(size_t)c * step]);
  if (top == -INFINITY) return top;
  for (int c = 0; c < C; c++)
    if (L[(size_t)c * step] > 0)
      sum += L[(size_t)c * step] * exp(log_q[(size_t)c * step] - top);
  return top + log(sum);
}

/* log_q and q of m rows; sum[m] is scratch, q[ROWS x C] */
static void softmax(int n, int m, int C, const double *S, const double *a,
                    double b, double *log_q, double *q, double *top,
                    double *sum) {
  for (int i = 0; i < m; i++) top[i] = -INFINITY, sum[i] = 0;
  for (int c = 0; c < C; c++)
    for (int i = 0; i < m; i++) {
      const double v = b * S[IDX(i, c, n)] + a[c];
      log_q[IDX(i, c, n)] = v;
      top[i] = fmax(top[i], v);
    }
  for (int c = 0; c < C; c++)
    for (int i = 0; i < m; i++) {
      const double e = exp(log_q[IDX(i, c, n)] - top[i]);
      q[IDX(i, c, ROWS)] = e;
      sum[i] += e;
    }
  for (int i = 0; i < m; i++) top[i] += log(sum[i]);
  for (int c = 0; c < C; c++)
    for (int i = 0; i < m; i++) {
      log_q[IDX(i, c, n)] -= top[i];
      q[IDX(i, c, ROWS)] /= sum[i];
    }
}

/* What m rows add to the gradient, and their slopes; z[m] is Z or, below
 * LEAST_Z, of no use */
static void slopes(int n, int m, int C, const double *S, const double *L,
                   const double *times, const double *log_q,
                   const double *log_z, const double *q, const double *z,
                   double *slope, double *gradient) {
  for (int c = 0; c < C; c++) {
    double in_a = 0, in_b = 0;
    for (int i = 0; i < m; i++) {
      const size_t at = IDX(i, c, n);
      const double here = q[IDX(i, c, ROWS)];
      const double ratio =
          z[i] > LEAST_Z ? here / z[i] : exp(log_q[at] - log_z[i]);
      const double often = times ? times[i] : 1;
      const double more = often * ((L[at] > 0 ? L[at] * ratio : 0) - here);
      slope[at] = often * ratio;
      in_a += more;
      in_b += more * S[at];
    }
    gradient[c] += in_a;
    gradient[C] += in_b;
  }
}

double scores_recalibrate(int n, int C, const double *S, const double *a,
                          double b, const double *L, const double *times,
                          const scores_result *out, double *work) {
  double *q = work, *z = work + (size_t)ROWS * (size_t)C, *sum = z + ROWS;
  double total = 0;
  if (out->gradient)
    for (int k = 0; k <= C; k++) out->gradient[k] = 0;
  for (int first = 0; first < n; first += ROWS) {
    const int m = n - first < ROWS ? n - first : ROWS;
    const double *mine = S + first, *its = L + first;
    const double *often = times ? times + first : NULL;
    double *log_q = out->log_q + first, *log_z = out->log_z + first;
    softmax(n, m, C, mine, a, b, log_q, q, z, sum);
    for (int i = 0; i < m; i++) z[i] = 0;
    for (int c = 0; c < C; c++)
      for (int i = 0; i < m; i++)
        z[i] += its[IDX(i, c, n)] * q[IDX(i, c, ROWS)];
    for (int i = 0; i < m; i++) {
      log_z[i] = z[i] > LEAST_Z ? log(z[i])
                                : log_sum(C, its + i, log_q + i, (size_t)n);
      total += (often ? often[i] : 1) * log_z[i];
    }
    if (out->gradient)
      slopes(n, m, C, mine, its, often, log_q, log_z, q, z, out->slope + first,
             out->gradient);
  }
  return total;
}
