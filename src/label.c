/* What: the label stage at a point.
 * Method: with scores p_i of row i                         [M 16.1, 16.2, 16.3]
 *     B = p M,  B+ = (B + sqrt(B^2 + 4 d^2)) / 2,  l = log B+ - log sum B+
 *     q = softmax(w + v + b l),  q~ = q U,  Z = sum_t L_t q~_t
 *   with v of the row's group,
 *   and backwards, with g = q / Z,
 *     dU = g L',  dL = g U,  r = g (U L),  dw = dv = r - q,  db = (r - q) l,
 *     dl = (r - q) b,  dB = (dl - B+ sum(dl) / sum B+) / sqrt(B^2 + 4 d^2),
 *     dM = p dB'.
 *   Without M, l = log p. Where Z would lose its digits it is summed in logs.
 * Accuracy: of exp() and log(), also where q or Z are below the least double;
 *   slopes of U and L above exp(600) stay there. */
#include "label.h"
#include "numeric.h"

#define SOFT 0.005 /* d: of scores that noise makes negative here and there */
#define LEAST_Z 1e-250 /* below, sums are in logs */
#define MOST_LOG 600.0 /* of what is divided by Z: sums over rows stay finite */
#define LEAST_LOG                                                              \
  -1e300 /* of Z of reports that can't be, where numbers must be finite */

/* Of one row, [C] each; log_q = log q + top + log(sum), until row_in_logs() */
typedef struct {
  double *B, *plus, *l, *q, *log_q, *mixed, *R, *r, *d;
  double top, sum;
} row_work;

size_t label_work_size(int C) { return 9 * (size_t)C; }

static row_work carve(int C, double *work) {
  const size_t k = (size_t)C;
  return (row_work){.B = work,
                    .plus = work + k,
                    .l = work + 2 * k,
                    .q = work + 3 * k,
                    .log_q = work + 4 * k,
                    .mixed = work + 5 * k,
                    .R = work + 6 * k,
                    .r = work + 7 * k,
                    .d = work + 8 * k};
}

static double sum_of(int C, const double *x) {
  double sum = 0;
  for (int c = 0; c < C; c++) sum += x[c];
  return sum;
}

/* y = x A */
static void mix(int C, int plain, const double *A, const double *x, double *y) {
  if (plain) {
    const double sum = sum_of(C, x);
    for (int c = 0; c < C; c++) y[c] = A[0] * x[c] + A[1] * sum;
    return;
  }
  for (int t = 0; t < C; t++) {
    double sum = 0;
    for (int s = 0; s < C; s++) sum += x[s] * A[IDX(s, t, C)];
    y[t] = sum;
  }
}

/* y = A x */
static void mix_back(int C, int plain, const double *A, const double *x,
                     double *y) {
  if (plain) {
    mix(C, plain, A, x, y);
    return;
  }
  for (int s = 0; s < C; s++) y[s] = 0;
  for (int t = 0; t < C; t++)
    for (int s = 0; s < C; s++) y[s] += A[IDX(s, t, C)] * x[t];
}

/* dA += often x g' */
static void mix_slope(int C, int plain, const double *x, const double *g,
                      double often, double *dA) {
  if (plain) {
    double both = 0;
    for (int c = 0; c < C; c++) both += x[c] * g[c];
    dA[0] += often * both;
    dA[1] += often * sum_of(C, x) * sum_of(C, g);
    return;
  }
  for (int t = 0; t < C; t++)
    for (int s = 0; s < C; s++) dA[IDX(s, t, C)] += often * x[s] * g[t];
}

/* Where the log weights of the row's group stand in v, or -1 */
static ptrdiff_t group_at(const label_data *data, const label_point *at,
                          int i) {
  return at->v && data->group && data->group[i] > 0
             ? (ptrdiff_t)IDX(0, data->group[i] - 1, data->C)
             : -1;
}

/* Scores to the distribution of the true class: l, q, log_q, mixed */
static void row_forward(const label_data *data, const label_point *at, int i,
                        row_work *row) {
  const int C = data->C;
  const double *p = data->P + IDX(0, i, C), *s = data->S + IDX(0, i, C);
  const double *l = s;
  if (at->M) {
    double sum = 0;
    mix(C, data->plain, at->M, p, row->B);
    for (int c = 0; c < C; c++) {
      const double root = sqrt(row->B[c] * row->B[c] + 4 * SOFT * SOFT);
      row->plus[c] = row->B[c] > 0 ? (row->B[c] + root) / 2
                                   : 2 * SOFT * SOFT / (root - row->B[c]);
      sum += row->plus[c];
    }
    for (int c = 0; c < C; c++) row->l[c] = log(row->plus[c] / sum);
    l = row->l;
  } else {
    for (int c = 0; c < C; c++) row->l[c] = s[c];
  }
  const ptrdiff_t group = group_at(data, at, i);
  double top = -INFINITY, sum = 0;
  for (int c = 0; c < C; c++) {
    row->log_q[c] = at->w[c] + at->b[c] * l[c];
    if (group >= 0) row->log_q[c] += at->v[group + c];
    top = fmax(top, row->log_q[c]);
  }
  for (int c = 0; c < C; c++) {
    row->q[c] = exp(row->log_q[c] - top);
    sum += row->q[c];
  }
  for (int c = 0; c < C; c++) row->q[c] /= sum;
  row->top = top;
  row->sum = sum;
  mix(C, data->plain, at->U, row->q, row->mixed);
}

static double entry(const label_data *data, const double *A, int s, int t) {
  return data->plain ? A[1] + (s == t ? A[0] : 0) : A[IDX(s, t, data->C)];
}

/* Log of Z in logs; r[C] gets the posterior of the class that the scores are of,
 * and log_q becomes that of q */
static double row_in_logs(const label_data *data, const label_point *at, int i,
                          const row_work *row) {
  const int C = data->C;
  const double *L = at->L + data->kind[i], all = row->top + log(row->sum);
  double top = -INFINITY, sum = 0;
  for (int c = 0; c < C; c++) row->log_q[c] -= all;
  for (int s = 0; s < C; s++) {
    double by_class = 0;
    for (int t = 0; t < C; t++)
      by_class += entry(data, at->U, s, t) * L[IDX(0, t, data->R)];
    row->r[s] = by_class > 0 ? row->log_q[s] + log(by_class) : -INFINITY;
    top = fmax(top, row->r[s]);
  }
  if (top == -INFINITY) return top;
  for (int s = 0; s < C; s++) sum += row->r[s] = exp(row->r[s] - top);
  for (int s = 0; s < C; s++) row->r[s] /= sum;
  return top + log(sum);
}

static double row_z(const label_data *data, const label_point *at, int i,
                    const double *mixed) {
  const double *L = at->L + data->kind[i];
  double z = 0;
  for (int t = 0; t < data->C; t++) z += L[IDX(0, t, data->R)] * mixed[t];
  return z;
}

/* From r - q in d: the slopes in weights, slopes and scores */
static void row_backward(const label_data *data, const label_point *at, int i,
                         double often, const row_work *row,
                         const label_slope *slope) {
  const int C = data->C;
  const ptrdiff_t group = group_at(data, at, i);
  double all = 0, sum = 0;
  for (int c = 0; c < C; c++) {
    slope->w[c] += often * row->d[c];
    if (group >= 0) slope->v[group + c] += often * row->d[c];
    slope->b[c] += often * row->d[c] * row->l[c];
  }
  if (!at->M) return;
  for (int c = 0; c < C; c++) {
    row->d[c] *= at->b[c];
    all += row->d[c];
    sum += row->plus[c];
  }
  for (int c = 0; c < C; c++) {
    const double root = sqrt(row->B[c] * row->B[c] + 4 * SOFT * SOFT);
    row->d[c] = (row->d[c] - row->plus[c] / sum * all) / root;
  }
  mix_slope(C, data->plain, data->P + IDX(0, i, C), row->d, often, slope->M);
}

/* Slopes in overlap and reports; r gets the posterior of the class that the
 * scores are of, unless it is there */
static void row_slopes(const label_data *data, const label_point *at, int i,
                       double often, double z, double log_z,
                       const row_work *row, const label_slope *slope) {
  const int C = data->C, in_logs = !(z > LEAST_Z);
  const size_t first = IDX(data->kind[i], 0, data->R), step = (size_t)data->R;
  double *g = row->d;
  for (int c = 0; c < C; c++) {
    row->R[c] = at->L[first + (size_t)c * step];
    g[c] = in_logs ? exp(fmin(row->log_q[c] - log_z, MOST_LOG)) : row->q[c] / z;
  }
  mix_slope(C, data->plain, g, row->R, often, slope->U);
  if (!in_logs) {
    mix_back(C, data->plain, at->U, row->R, row->r);
    for (int c = 0; c < C; c++) row->r[c] *= g[c];
  }
  mix(C, data->plain, at->U, g, row->R);
  for (int c = 0; c < C; c++)
    slope->L[first + (size_t)c * step] += often * row->R[c];
}

double label_value(const label_data *data, const label_point *at,
                   const label_slope *slope, double *work) {
  const int C = data->C;
  row_work row = carve(C, work);
  double total = 0;
  for (int i = 0; i < data->n; i++) {
    const double often = data->times ? data->times[i] : 1;
    row_forward(data, at, i, &row);
    const double z = row_z(data, at, i, row.mixed);
    const double log_z = z > LEAST_Z ? log(z) : row_in_logs(data, at, i, &row);
    if (log_z == -INFINITY) return log_z;
    total += often * log_z;
    if (!slope) continue;
    row_slopes(data, at, i, often, z, log_z, &row, slope);
    for (int c = 0; c < C; c++) row.d[c] = row.r[c] - row.q[c];
    row_backward(data, at, i, often, &row, slope);
  }
  return total;
}

/* Posterior of the true class of a row, [C] in row->R, alike where what is
 * reported can't be; returns the log of Z */
static double row_truth(const label_data *data, const label_point *at, int i,
                        const row_work *row) {
  const int C = data->C;
  const double *L = at->L + data->kind[i];
  const double z = row_z(data, at, i, row->mixed);
  if (z > LEAST_Z) {
    for (int t = 0; t < C; t++)
      row->R[t] = L[IDX(0, t, data->R)] * row->mixed[t] / z;
    return log(z);
  }
  const double log_z = row_in_logs(data, at, i, row);
  for (int t = 0; t < C; t++) {
    const double l = log(L[IDX(0, t, data->R)]);
    row->R[t] = 0;
    for (int s = 0; log_z > -INFINITY && s < C; s++) {
      const double u = entry(data, at->U, s, t);
      if (u > 0) row->R[t] += exp(row->log_q[s] + log(u) + l - log_z);
    }
  }
  const double all = sum_of(C, row->R);
  for (int t = 0; t < C; t++) row->R[t] = all > 0 ? row->R[t] / all : 1.0 / C;
  return log_z;
}

/* sum = log(exp(sum) + exp(x)); returns the share of exp(x) in it */
static double add_log(double *sum, double x) {
  if (x == -INFINITY) return 0;
  const double before = *sum, less = exp(-fabs(before - x));
  *sum = fmax(before, x) + log1p(less);
  return (x > before ? 1 : less) / (1 + less);
}

void label_add(const label_data *data, const label_point *at, const int *y,
               double weight, const label_said *said, double *work) {
  const int C = data->C;
  row_work row = carve(C, work);
  const double log_weight = log(weight);
  double wrong = 0, variance = 0;
  for (int i = 0; i < data->n; i++) {
    const double often = data->times ? data->times[i] : 1;
    row_forward(data, at, i, &row);
    const double log_z = row_truth(data, at, i, &row);
    const double right = row.R[y[i]];
    wrong += often * (1 - right);
    variance += often * right * (1 - right);
    /* the point's share of all so far, the row's reports left out of it, too */
    const double share =
        add_log(said->log_inverse + i, log_weight - fmax(log_z, LEAST_LOG));
    for (int c = 0; c < C; c++) {
      double *seen = said->seen + IDX(c, i, C);
      *seen += share * (row.mixed[c] - *seen);
    }
    for (int c = 0; c < C; c++) said->truth[IDX(c, i, C)] += weight * row.R[c];
    if (row.mixed[y[i]] > 0) {
      const double own = row.q[y[i]] * entry(data, at->U, y[i], y[i]);
      said->unusual[i] += weight * right * fmax(1 - own / row.mixed[y[i]], 0);
    }
  }
  *said->wrong = wrong;
  *said->variance = variance;
}

void label_seen(const label_data *data, const label_point *at, double *q,
                double *log_z, double *work) {
  const int C = data->C;
  row_work row = carve(C, work);
  for (int i = 0; i < data->n; i++) {
    row_forward(data, at, i, &row);
    for (int c = 0; c < C; c++) q[IDX(c, i, C)] = row.mixed[c];
    if (log_z) log_z[i] = row_truth(data, at, i, &row);
  }
}
