/* What: tilted escort moments of the flip-step likelihood.
 * Method: the tilted escort density is the mixture [M 2.7]
 *     w0 [whole cavity escort] + w1 [its part on the side of the larger level],
 *     w0 = less^q / Z2,  w1 = (more^q - less^q) F2 / Z2,
 *     Z1 = less^q (1 - F) + more^q F,   F = F_v(z),           [M 2.3, 13.2]
 *     Z2 = less^q (1 - F2) + more^q F2, F2 = F_{v+2}(z sqrt((v+2)/v)).
 *   With a1 = f_v(z)/F2 the truncated part has mean D1 = z + a1 and variance
 *   V1 = F/F2 - a1 D1 (units of the cavity scale), so
 *     alpha = w1 a1,  mu = w0 z + w1 D1,  w = w0 + w1 V1 + w0 w1 a1^2:
 *   w is a sum of positive terms, mu changes sign once. D1 and V1 come from a
 *   continued fraction where the printed form cancels [M 2.8].
 * References: DQV11 eqs 38-47, FSS17 eq. 36. DEVIATION: mixture form instead
 *   of V = (Z1/Z2) s2 - s2 a y m_hat [M 2.5], equal but exact in the lower
 *   tail.
 * Accuracy: against 120-digit values (data-raw/tilted-moments.py), relative
 *   errors, mu relative to max(|mu|, sqrt(w)), z in [-1e6, 1e3]: log_z1 and
 *   log_zp 3e-13 (absolute 3e-16 near 0); mu 2e-12, w 1e-10. The worst are at
 *   15 < v < 50, z < -10, where the printed form loses (v + 2)^2; for v <= 10,
 *   for v >= 75 and for z > -10, mu 3e-13 and w 6e-12.                     */
#include "likelihood.h"
#include "numeric.h"

/* The continued fraction serves t = -z > CF_FROM at df >= CF_DF + CF_DF_T/t^2.
 * There its terms (60, and no more than (df - 1)/2) leave an error in w below
 * 6e-12, and below 1e-15 soon after; short of that line it is off by up to 1e-2
 * while the printed form is right to 1e-10. The line is where they cross. */
#define CF_FROM 3.0
#define CF_DF 45.0
#define CF_DF_T 900.0
#define CF_TERMS 60
/* Ratios that moments up to the fourth need: fewer than there are terms */
#define TAIL_RATIOS 4

static step_levels levels_make(double lo, double hi, double q) {
  const double less = fmin(lo, hi), more = fmax(lo, hi);
  step_levels s = {.side = hi < lo ? -1 : 1, .less = less, .more = more};
  s.less_q = q > 1 ? R_pow(less, q) : less;
  s.more_q = q > 1 ? R_pow(more, q) : more;
  s.log_more = log(more);
  s.gap = more - less;
  /* more^q - less^q = less^q expm1(q log(more/less)), stable when they are near
   */
  s.gap_q = less > 0.1 * more ? s.less_q * expm1(q * log1p(s.gap / less))
                              : s.more_q - s.less_q;
  return s;
}

lik_step likelihood_step(double df, double d, int n, const double *L,
                         step_levels *row) {
  const lik_step lik = {
      .df = df, .q = 1 + 2 / (df + d), .row = row, .n = n, .classes = 2};
  int made[2] = {-1, -1}; /* rows of nearly all tables have one of two pairs */
  for (int i = 0; i < n; i++) {
    int same = -1;
    for (int k = 0; k < 2; k++)
      if (made[k] >= 0 && L[made[k]] == L[i] &&
          L[IDX(made[k], 1, n)] == L[IDX(i, 1, n)])
        same = made[k];
    row[i] = same < 0 ? levels_make(L[i], L[IDX(i, 1, n)], lik.q) : row[same];
    if (same >= 0) continue;
    made[1] = made[0];
    made[0] = i;
  }
  return lik;
}

/* Upper-tail ratios of the t kernel. With J_k = int_t^inf (x - t)^k
 * (1 + x^2/v)^{-(v+3)/2} dx, integration by parts gives
 *   (v+1-k) J_{k+1} + (v+1-2k) t J_k = k (v + t^2) J_{k-1},
 * so [M 2.8] r_k = J_k/J_{k-1} = k (1 + t^2/v) / (a_k t + b_k r_{k+1}) with
 * a_k = 1 + (1-2k)/v, b_k = 1 + (1-k)/v; at v = Inf the fraction of Mills'
 * ratio. Terms with a_k > 0 only; the last r solves its own fixed point. r_k is
 * r[k - 1]. */
static void tail_ratios(double t, double df, double r[TAIL_RATIOS]) {
  const double iv = 1 / df;
  const double c = 1 + t * t * iv;
  int k = CF_TERMS;
  if (k > (df - 1) / 2) k = (int)((df - 1) / 2);
  const double a = (1 + (1 - 2 * k) * iv) * t, b = 1 + (1 - k) * iv;
  /* hypot: a^2 would overflow for t beyond 1e154 */
  double next = 2 * k * c / (a + hypot(a, 2 * sqrt(b * k * c)));
  for (k = k - 1; k >= 1; k--) {
    next = k * c / ((1 + (1 - 2 * k) * iv) * t + (1 + (1 - k) * iv) * next);
    if (k <= TAIL_RATIOS) r[k - 1] = next;
  }
}

/* Logs of f_v(z), F_v(z) and F_{v+2}(z sqrt((v+2)/v)): at v = Inf the last two
 * are one, as Z1 and Z2 are, and are not computed twice. */
static void log_t_values(double z, double df, double *log_f, double *log_F,
                         double *log_F2) {
  *log_f = dt(z, df, 1);
  *log_F = pt(z, df, 1, 1);
  *log_F2 = isinf(df) ? *log_F : pt(z * sqrt(1 + 2 / df), df + 2, 1, 1);
}

/* Of a normal cavity not far below, where the lesser level is above 0: without
 * logs, in half the time */
static tilted tilt_near(const step_levels *s, tilted t) {
  const double F = pnorm(t.z, 0, 1, 1, 0), a1 = dnorm(t.z, 0, 1, 0) / F;
  const double z1 = s->less * (1 - F) + s->more * F, D1 = t.z + a1;
  const double w0 = s->less / z1, w1 = s->gap * F / z1;
  t.log_z1 = t.log_zp = log(z1);
  t.alpha = w1 * a1;
  t.mu = w0 * t.z + w1 * D1;
  t.w = w0 + w1 * (1 - a1 * D1) + w0 * w1 * a1 * a1;
  return t;
}

tilted likelihood_tilt(const lik_step *lik, int i, double mean, double var) {
  if (lik->cut) return cuts_tilt(lik, i, mean, var);
  const step_levels *s = &lik->row[i];
  tilted t = {.side = s->side, .z = var > 0 ? s->side * mean / sqrt(var) : 0};
  if (isinf(lik->df) && s->less > 0 && t.z >= -CF_FROM) return tilt_near(s, t);
  double log_f, log_F, log_F2, a1, D1, V1;
  log_t_values(t.z, lik->df, &log_f, &log_F, &log_F2);

  if (t.z < -CF_FROM && lik->df >= CF_DF + CF_DF_T / (t.z * t.z)) {
    double r[TAIL_RATIOS];
    tail_ratios(-t.z, lik->df, r);
    D1 = r[0];
    a1 = D1 - t.z;
    V1 = D1 * (r[1] - D1);
  } else {
    a1 = exp(log_f - log_F2);
    D1 = t.z + a1;
    V1 = exp(log_F - log_F2) - a1 * D1;
  }
  if (s->less > 0) {
    const double F = exp(log_F), F2 = isinf(lik->df) ? F : exp(log_F2);
    const double z2 = s->less_q * (1 - F2) + s->more_q * F2;
    const double w0 = s->less_q / z2, w1 = s->gap_q * F2 / z2;
    t.log_z1 = log(s->less_q * (1 - F) + s->more_q * F);
    t.log_zp = isinf(lik->df) ? t.log_z1 : log(s->less * (1 - F) + s->more * F);
    t.alpha = w1 * a1;
    t.mu = w0 * t.z + w1 * D1;
    t.w = w0 + w1 * V1 + w0 * w1 * a1 * a1;
  } else {
    t.log_z1 = lik->q * s->log_more + log_F;
    t.log_zp = s->log_more + log_F;
    t.alpha = a1;
    t.mu = D1;
    t.w = V1;
  }
  return t;
}

/* The same far below: with the truncated part's moments E x^k = r_1 .. r_k about
 * 0, and central ones of the mixture about mu. */
static tilted_shape shape_in_tail(const step_levels *s, const tilted *t) {
  double r[TAIL_RATIOS];
  tail_ratios(-t->z, INFINITY, r);
  const double D = r[0], V = D * (r[1] - D), a = D - t->z;
  const double m3 = D * (r[1] * r[2] - 3 * D * r[1] + 2 * D * D);
  const double k4 =
      D * (r[1] * r[2] * r[3] - 4 * D * r[1] * r[2] - 3 * D * r[1] * r[1] +
           12 * D * D * r[1] - 6 * D * D * D);
  const double w1 = s->less > 0 ? t->alpha / a : 1, w0 = 1 - w1;
  const double up = w0 * a, down = w1 * a; /* from mu, to either part */
  const double third =
      w1 * (m3 + up * (3 * V + up * up)) - w0 * down * (3 + down * down);
  const double fourth =
      w1 * (k4 + 3 * V * V + up * (4 * m3 + up * (6 * V + up * up))) +
      w0 * (3 + down * down * (6 + down * down));
  return (tilted_shape){.skewness = t->side * third / (t->w * sqrt(t->w)),
                        .excess = fourth / (t->w * t->w) - 3};
}

/* The third and fourth derivatives of log(less + gap Phi) [M 4.8] */
tilted_shape likelihood_shape(const lik_step *lik, int i, const tilted *t) {
  if (lik->cut) return cuts_shape(t);
  if (t->z < -CF_FROM) return shape_in_tail(&lik->row[i], t);
  const double a = t->alpha, mu = t->mu, w = t->w;
  const double third = a * (mu * mu + a * mu - 1);
  const double fourth = a * (3 * mu + a - mu * (mu * mu + 4 * a * mu + a * a));
  return (tilted_shape){.skewness = t->side * third / (w * sqrt(w)),
                        .excess = fourth / (w * w)};
}

/* q x^{q-1}: derivative of x^q, with 0^0 = 1 at q = 1 */
static double power_slope(double x, double q) {
  return q > 1 ? q * R_pow(x, q - 1) : 1;
}

tilted_grad likelihood_tilt_grad(const lik_step *lik, int i, const tilted *t) {
  if (lik->cut) return cuts_grad(t);
  const step_levels *s = &lik->row[i];
  const double v = lik->df, z = t->z;
  tilted_grad g = {.log_z_v = 0};
  double log_f, log_F, log_F2;
  log_t_values(z, v, &log_f, &log_F, &log_F2);
  /* g_{v+2} = gamma f_v, gamma = (v+1)/(v+z^2): density of F2 over f_v(z) */
  const double gamma = (1 + 1 / v) / (1 + z * (z / v));
  const double F2 = exp(log_F2);
  const double log_z2 = s->less > 0 ? log(s->less_q * (1 - F2) + s->more_q * F2)
                                    : lik->q * s->log_more + log_F2;
  const double rho = t->w + t->alpha * t->mu; /* Z1/Z2 [M 2.6] */

  /* [M 2.9] */
  g.log_z1_z = s->gap_q * exp(log_f - t->log_z1);
  g.log_zp_z = s->gap * exp(log_f - t->log_zp);
  g.alpha_z = -gamma * t->alpha * t->mu;
  g.w_z = gamma * t->alpha * (t->mu * t->mu - t->w);

  /* [M 2.10], for the lesser level and the larger */
  const double level[2] = {s->less, s->more}, sign[2] = {-1, 1};
  double none, log_Q, log_Q2; /* logs of 1 - F, 1 - F2 */
  log_t_values(-z, v, &none, &log_Q, &log_Q2);
  const double log_P[2] = {log_Q, log_F}, log_P2[2] = {log_Q2, log_F2};
  const double f_z2 = exp(log_f - log_z2);
  for (int k = 0; k < 2; k++) {
    const int e = s->side > 0 ? k : 1 - k; /* lo is the lesser, or the larger */
    const double slope = power_slope(level[k], lik->q);
    const double z2_e = slope > 0 ? slope * exp(log_P2[k] - log_z2) : 0;
    g.log_z1_e[e] = slope > 0 ? slope * exp(log_P[k] - t->log_z1) : 0;
    g.log_zp_e[e] = exp(log_P[k] - t->log_zp);
    g.alpha_e[e] = sign[k] * slope * f_z2 - t->alpha * z2_e;
    g.w_e[e] = rho * (g.log_z1_e[e] - z2_e) - g.alpha_e[e] * (t->mu + t->alpha);
  }
  return g;
}

void likelihood_truth(const lik_step *lik, const tilted *t, double *log_p) {
  if (lik->cut) {
    cuts_truth(lik, t, log_p);
    return;
  }
  for (int k = 0; k < 2; k++)
    log_p[k] = pt((k ? 1 : -1) * t->side * t->z, lik->df, 1, 1);
}
