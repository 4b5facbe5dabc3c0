/* What: the correction of EP's log evidence to second order.
 * Method: with the tilted densities q_i of the rows and the posterior q = N(m, C)
 *   of EP, log Z - log Z_EP = log E_q prod q_i(f_i)/q(f_i). As q_i and q agree in
 *   two moments, the first terms left are those of pairs of rows. One latent
 *   function, with skewness x and excess kurtosis y of q_i and the correlations
 *   r of q:
 *     sum_{i > j} x_i x_j r_ij^3 / 3! + y_i y_j r_ij^4 / 4!           [M 4.9]
 *   Several, which q takes for independent within a row and q_i does not,
 *   with cov_i the covariance of f_ic and f_ik under q_i:
 *     sum_{i > j} sum_{c < k} B_i B_j C_c[i,j] C_k[i,j],
 *     B_i = cov_i / (A_ic A_ik)                                       [M 12.15]
 *   n^2 flops, with C at hand; for a low rank k, n^2 k.
 * References: OPW13, where all orders are. */
#include "second-order.h"
#include "host.h"
#include "numeric.h"

void second_carve(second_space *s, int n, int C, workspace *ws) {
  const size_t rows = (size_t)n, k = (size_t)C;
  if (C == 1) {
    WORKSPACE_EACH(ws, rows, &s->x, &s->y, &s->scale);
  } else {
    s->row = workspace_take(ws, k * k);
    s->scratch = workspace_take(ws, k * k * k);
    s->B = workspace_take(ws, rows * (k * (k - 1) / 2));
  }
  s->panel = workspace_take(ws, rows * LATENT_COLUMNS * k);
}

static int panel_columns(int n, int first) {
  return n - first < LATENT_COLUMNS ? n - first : LATENT_COLUMNS;
}

/* A row whose latent value is certain goes with no other. */
static double inverse_sd(double A) { return A > 0 ? 1 / sqrt(A) : 0; }

/* Pairs among the copies of a row whose latent values have the correlation r */
static double copies_sum(double times, double x, double y, double r) {
  const double third = x * x * r * r * r, fourth = y * y * r * r * r * r;
  return times * (times - 1) / 2 * (third / 6 + fourth / 24);
}

double second_order(latent *post, const lik_step *lik, const ep_site *site,
                    const site_view *view, second_space *s) {
  const int n = post->n;
  double sum = 0;
  for (int i = 0; i < n; i++) {
    if (!view[i].proper) return NAN;
    const tilted_shape shape = likelihood_shape(lik, i, &view[i].tilt);
    const latent_copy c =
        latent_copy_of(post, i, post->A[i], post->m[i], site[i]);
    s->x[i] = c.times * shape.skewness;
    s->y[i] = c.times * shape.excess;
    s->scale[i] = inverse_sd(c.A);
    if (!post->times) continue;
    const double own = post->lambda[i] / (1 + post->lambda[i] * site[i].tau);
    const double r = (post->A[i] - own) * s->scale[i] * s->scale[i];
    sum += copies_sum(c.times, shape.skewness, shape.excess, r);
  }
  for (int first = 0; first < n; first += LATENT_COLUMNS) {
    const int b = panel_columns(n, first);
    core_poll();
    post->ops->columns(post, first, b, s->panel);
    for (int l = 0; l < b; l++) {
      const int j = first + l;
      const double *column = s->panel + IDX(0, l, n - first);
      double third = 0, fourth = 0;
      for (int i = j + 1; i < n; i++) {
        const double r = column[i - first] * s->scale[i] * s->scale[j];
        const double cube = r * r * r;
        third += s->x[i] * cube;
        fourth += s->y[i] * cube * r;
      }
      sum += s->x[j] * third / 6 + s->y[j] * fourth / 24;
    }
  }
  return sum;
}

/* B of every row, by pairs of classes */
static void tilted_pairs(const classes_model *model, const ep_cavity *cav,
                         second_space *s) {
  const int n = model->n, C = model->C;
  double mean[ARGMAX_MOST], sd[ARGMAX_MOST], unit[ARGMAX_MOST];
  for (int i = 0; i < n; i++) {
    core_poll();
    classes_moments(C, cav + i, n, mean, sd);
    for (int c = 0; c < C; c++) unit[c] = sd[c] / model->post[c]->A[i];
    classes_covariance(C, model->weight + IDX(0, i, C), mean, sd, s->scratch,
                       s->row);
    for (int c = 0, at = 0; c < C; c++)
      for (int k = c + 1; k < C; k++, at++)
        s->B[IDX(i, at, n)] = s->row[IDX(k, c, C)] * unit[c] * unit[k];
  }
}

/* What the columns of two functions from row j on, below their first element,
 * add. B begins at row j. */
static double pair_sum(const double *p, const double *q, const double *B,
                       int rows) {
  double sum = 0;
  for (int i = 1; i < rows; i++) sum += B[i] * p[i] * q[i];
  return B[0] * sum;
}

double second_order_classes(const classes_model *model, const ep_cavity *cav,
                            const double *log_z, second_space *s) {
  const int n = model->n, C = model->C;
  for (int i = 0; i < n; i++)
    if (isnan(log_z[i])) return NAN;
  tilted_pairs(model, cav, s);
  double sum = 0;
  for (int first = 0; first < n; first += LATENT_COLUMNS) {
    const int b = panel_columns(n, first);
    const double *panel[ARGMAX_MOST];
    for (int c = 0; c < C; c++) {
      double *to = s->panel + IDX(0, c * LATENT_COLUMNS, n);
      core_poll();
      model->post[c]->ops->columns(model->post[c], first, b, to);
      panel[c] = to;
    }
    for (int c = 0, at = 0; c < C; c++)
      for (int k = c + 1; k < C; k++, at++)
        for (int l = 0; l < b; l++) {
          const size_t diagonal = IDX(l, l, n - first);
          sum += pair_sum(panel[c] + diagonal, panel[k] + diagonal,
                          s->B + IDX(first + l, at, n), n - first - l);
        }
  }
  return sum;
}
