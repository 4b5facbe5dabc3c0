/* What: tilted moments where thresholds part classes in an order.
 * Method: under the cavity N(m, s^2) a row's likelihood is L_t between the
 *   thresholds b_{t-1} and b_t, so that the tilted density is the mixture of the
 *   parts of the normal between them [M 12.17]:
 *     Z = sum_t L_t P_t,   P_t = Phi((b_t - m)/s) - Phi((b_{t-1} - m)/s),
 *   with shares L_t P_t / Z; its moments about m are sums over the parts of terms
 *   which for the variance are all positive. A part that is wide and near has its
 *   moments in closed form; one that is narrow or far, where that cancels, by
 *   Gauss-Legendre from its nearer end on, as far as the density matters.
 * Accuracy: against quadrature in R (test-cuts.R) 1e-10 relative.  */
#include "cuts.h"
#include "numeric.h"

/* Closed forms from this width on and up to here, in sd from the mean: P is then
 * above .02, and the fourth moment right to 1e-13. */
#define PART_WIDE 1.0
#define PART_NEAR 2.0
/* The density is followed down to e^-40 of that at the nearer end */
#define PART_DEPTH 80.0
#define LOG_SQRT_2PI 0.918938533204672741780329736406

#define NODES 32
/* Gauss-Legendre on (-1, 1): the positive nodes and their weights. 32 points
 * integrate e^(-40 x) over (0, 1) to 1e-15. */
static const double node[NODES / 2] = {
    0.0483076656877383, 0.1444719615827965, 0.2392873622521371,
    0.3318686022821277, 0.4213512761306353, 0.5068999089322294,
    0.5877157572407623, 0.6630442669302152, 0.7321821187402897,
    0.7944837959679424, 0.8493676137325700, 0.8963211557660521,
    0.9349060759377397, 0.9647622555875064, 0.9856115115452684,
    0.9972638618494816};
static const double weight[NODES / 2] = {
    0.0965400885147279, 0.0956387200792749, 0.0938443990808046,
    0.0911738786957639, 0.0876520930044037, 0.0833119242269467,
    0.0781938957870704, 0.0723457941088486, 0.0658222227763619,
    0.0586840934785356, 0.0509980592623761, 0.0428358980222267,
    0.0342738629130214, 0.0253920653092621, 0.0162743947309057,
    0.0070186100094701};

/* The standard normal between two points: log probability, mean, and moments
 * about the mean */
typedef struct {
  double log_p, mean, m2, m3, m4;
} part;

/* x^k phi(x), 0 at infinity */
static double end_term(double x, int k) {
  return isfinite(x) ? R_pow_di(x, k) * dnorm(x, 0, 1, 0) : 0;
}

/* lo <= hi, lo + hi not below 0 */
static part part_closed(double lo, double hi) {
  const double above = pnorm(hi, 0, 1, 0, 0);
  const double out = pnorm(lo, 0, 1, 1, 0) + above;
  const double P = lo < 0 ? 1 - out : pnorm(lo, 0, 1, 0, 0) - above;
  double e[5] = {1}; /* moments about 0, by parts */
  for (int k = 1; k < 5; k++)
    e[k] = (k > 1 ? (k - 1) * e[k - 2] : 0) +
           (end_term(lo, k - 1) - end_term(hi, k - 1)) / P;
  const double d = e[1], dd = d * d;
  return (part){.log_p = lo < 0 ? log1p(-out) : log(P),
                .mean = d,
                .m2 = e[2] - dd,
                .m3 = e[3] - 3 * d * e[2] + 2 * d * dd,
                .m4 = e[4] - 4 * d * e[3] + 6 * dd * e[2] - 3 * dd * dd};
}

static part part_summed(double lo, double hi) {
  const double deep = PART_DEPTH / (lo + hypot(lo, sqrt(PART_DEPTH)));
  const double half = fmin(hi - lo, deep) / 2;
  double g[NODES], u[NODES], sum = 0, mean = 0;
  for (int k = 0; k < NODES; k++) {
    const double x = k % 2 ? node[k / 2] : -node[k / 2];
    u[k] = half * (1 + x);
    g[k] = weight[k / 2] * exp(-u[k] * (lo + u[k] / 2));
    sum += g[k];
    mean += g[k] * u[k];
  }
  mean /= sum;
  part p = {.log_p = log(half * sum) - lo * lo / 2 - LOG_SQRT_2PI,
            .mean = lo + mean};
  for (int k = 0; k < NODES; k++) {
    const double d = u[k] - mean, share = g[k] * d * d / sum;
    p.m2 += share;
    p.m3 += share * d;
    p.m4 += share * d * d;
  }
  return p;
}

static part part_of(double lo, double hi) {
  if (!(hi > lo)) return (part){.log_p = -INFINITY};
  if (lo + hi < 0) { /* the nearer end first */
    part p = part_of(-hi, -lo);
    p.mean = -p.mean;
    p.m3 = -p.m3;
    return p;
  }
  return hi - lo >= PART_WIDE && lo < PART_NEAR ? part_closed(lo, hi)
                                                : part_summed(lo, hi);
}

/* Threshold `at` in units of the cavity, from its mean; -1 and classes - 1 are
 * the ends. A latent value that is certain is on one side. */
static double cut_from(const lik_step *lik, int at, double mean, double s) {
  if (at < 0) return -INFINITY;
  if (at == lik->classes - 1) return INFINITY;
  const double far = lik->cut[at] - mean;
  return s > 0 ? far / s : far > 0 ? INFINITY : -INFINITY;
}

static part class_part(const lik_step *lik, int t, double mean, double s) {
  return part_of(cut_from(lik, t - 1, mean, s), cut_from(lik, t, mean, s));
}

lik_step cuts_make(int n, int classes, const double *L, const double *cut) {
  return (lik_step){
      .df = INFINITY, .q = 1, .n = n, .classes = classes, .L = L, .cut = cut};
}

tilted cuts_tilt(const lik_step *lik, int i, double mean, double var) {
  const int C = lik->classes;
  const double s = sqrt(var);
  part p[CUTS_MOST];
  double share[CUTS_MOST], top = -INFINITY, sum = 0;
  for (int t = 0; t < C; t++) {
    const double L = lik->L[IDX(i, t, lik->n)];
    share[t] = -INFINITY;
    if (!(L > 0)) continue;
    p[t] = class_part(lik, t, mean, s);
    share[t] = log(L) + p[t].log_p;
    top = fmax(top, share[t]);
  }
  tilted to = {.side = 1, .z = var > 0 ? mean / s : 0, .scale = s};
  for (int t = 0; t < C; t++) {
    share[t] = exp(share[t] - top);
    sum += share[t];
    if (share[t] > 0) to.alpha += share[t] * p[t].mean;
  }
  to.log_z1 = to.log_zp = top + log(sum);
  to.alpha /= sum;
  to.mu = to.z + to.alpha;
  double fourth = 0;
  for (int t = 0; t < C; t++) {
    if (!(share[t] > 0)) continue;
    const double w = share[t] / sum, d = p[t].mean - to.alpha, dd = d * d;
    to.w += w * (p[t].m2 + dd);
    to.third += w * (p[t].m3 + d * (3 * p[t].m2 + dd));
    fourth += w * (p[t].m4 + d * (4 * p[t].m3 + d * (6 * p[t].m2 + dd)));
  }
  to.fourth = fourth - 3 * to.w * to.w;
  return to;
}

/* In the mean of the cavity the cumulants of the tilted density are each the
 * derivative of the one before, in its variance half the covariance of the square
 * with what they are of [M 12.18]; at fixed z the mean goes with s. */
tilted_grad cuts_grad(const tilted *t) {
  const double z = t->z, a = t->alpha, w = t->w;
  const double third = t->third, fourth = t->fourth;
  const double mean_v = (third + 2 * a * w + z * w) / 2;
  return (tilted_grad){
      .log_z1_z = a,
      .log_zp_z = a,
      .alpha_z = w - 1,
      .w_z = third,
      .log_z_v = (w + a * a - 1 + z * a) / 2,
      .alpha_v = mean_v - t->mu / 2,
      .w_v = (fourth + 2 * w * w + 2 * a * third + z * third) / 2 - w};
}

tilted_shape cuts_shape(const tilted *t) {
  const double w = t->w;
  return (tilted_shape){.skewness = t->third / (w * sqrt(w)),
                        .excess = t->fourth / (w * w)};
}

void cuts_truth(const lik_step *lik, const tilted *t, double *log_p) {
  for (int c = 0; c < lik->classes; c++)
    log_p[c] = class_part(lik, c, t->scale * t->z, t->scale).log_p;
}

void cuts_partials(const lik_step *lik, int i, const tilted *t, double times,
                   double *by_L, double *by_cut) {
  const int C = lik->classes;
  const double s = t->scale;
  cuts_truth(lik, t, by_L);
  for (int c = 0; c < C; c++) by_L[c] = exp(by_L[c] - t->log_zp);
  for (int c = 0; c < C - 1 && s > 0; c++) {
    const double gap =
        lik->L[IDX(i, c, lik->n)] - lik->L[IDX(i, c + 1, lik->n)];
    const double x = cut_from(lik, c, s * t->z, s);
    by_cut[c] += times * gap * exp(dnorm(x, 0, 1, 1) - t->log_zp) / s;
  }
}
