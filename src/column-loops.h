/* What: spread() and decay() of one variant, the two loops of a column of a Gram
 *       matrix, hazard(), that of a quadrature's nodes, and pass_on(), that of
 *       sites in turn (dense-tile.h).
 *       dense-tile.c includes it for each, with LANES doubles a vector, NAME and
 *       TARGET.
 * Method of hazard(): hazard.c.
 * Method of exp(): -x = k log 2 + r, |r| <= log(2)/2, log 2 in two parts, of
 *   which k times the first is exact; exp(r) by its series to r^13, whose next
 *   term is 4e-18; 2^k in two factors, so that neither overflows nor is
 *   subnormal.
 * Accuracy: 1.1 ulp against long double over all of the range, subnormals
 *   included; 0 below -745.14, Inf above 709.79, NaN of NaN (test-kernel.c).
 * The same bits on every variant: no TARGET here has fused products, which a
 *   compiler would use in some and not in others (if the build itself has them,
 *   all use the same), and what is left of an array goes through a vector. */
#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
#define VEC PASTE(column_vector_, NAME)
#define LOOSE PASTE(column_loose_, NAME)
#define BITS PASTE(column_bits_, NAME)
#define SPREAD PASTE(spread_, NAME)
#define EXP PASTE(exp_, NAME)
#define DECAY PASTE(decay_, NAME)
#define HAZARD PASTE(hazard_, NAME)
#define PASS_ON PASTE(pass_on_, NAME)
#define HAZARD_AT PASTE(hazard_at_, NAME)

#if LANES > 1
typedef double VEC __attribute__((vector_size(8 * LANES)));
typedef double LOOSE
    __attribute__((vector_size(8 * LANES), aligned(8), may_alias));
typedef int64_t BITS __attribute__((vector_size(8 * LANES)));
#define FILL(value) ((VEC){0} + (value))
/* one where the test holds, elsewhere the other */
#define CHOOSE(test, one, other)                                               \
  ((VEC)(((BITS)(test) & (BITS)(one)) | (~(BITS)(test) & (BITS)(other))))
#define POWER(biased) ((VEC)((BITS)(biased) << 52))
#else
typedef double VEC;
typedef double LOOSE;
typedef int BITS;
#define FILL(value) (value)
#define CHOOSE(test, one, other) ((test) ? (one) : (other))
#define POWER(biased) power_of(biased)
#endif

TARGET static int SPREAD(int n, const double *sq, double own, double share,
                         double *G) {
  BITS far = (BITS)(FILL(0) <= FILL(0));
  int i = 0, all_far = 1;
  for (; i + LANES <= n; i += LANES) {
    LOOSE *at = (LOOSE *)(G + i);
    const VEC length = *(const LOOSE *)(sq + i) + own, r2 = length - 2 * *at;
    far &= (BITS)(r2 >= share * length);
    *at = r2;
  }
#if LANES > 1
  for (int l = 0; l < LANES; l++) all_far &= far[l] != 0;
#else
  all_far = far;
#endif
  for (; i < n; i++) {
    const double length = sq[i] + own;
    G[i] = length - 2 * G[i];
    all_far &= G[i] >= share * length;
  }
  return !all_far;
}

TARGET static void PASS_ON(int n, int first, double gamma, const double *c,
                           double *C) {
  for (int j = first; j < n; j++) {
    const double f = gamma * c[j];
    double *to = C + (size_t)j * (size_t)n;
    int k = j;
    for (; k + LANES <= n; k += LANES)
      *(LOOSE *)(to + k) -= f * *(const LOOSE *)(c + k);
    for (; k < n; k++) to[k] -= f * c[k];
  }
}

#if FLT_EVAL_METHOD == 0
TARGET static inline VEC EXP(VEC x) {
  x = CHOOSE(x < EXP_LEAST, FILL(EXP_LEAST), x);
  x = CHOOSE(x > EXP_MOST, FILL(EXP_MOST), x);
  const VEC k = (x * EXP_PER_LOG2 + EXP_WHOLE) - EXP_WHOLE;
  const VEC r = (x - k * EXP_LOG2) - k * EXP_LOG2_REST, s = r * r;
  VEC even = FILL(exp_series[12]), odd = FILL(exp_series[13]);
  UNROLL for (int j = 10; j >= 2; j -= 2) {
    even = even * s + exp_series[j];
    odd = odd * s + exp_series[j + 1];
  }
  const VEC value = 1 + (r + s * (even + r * odd));
  const VEC half = (k * 0.5 + EXP_WHOLE) - EXP_WHOLE;
  return value * POWER(half + EXP_BIASED) * POWER((k - half) + EXP_BIASED);
}

TARGET static void DECAY(int n, double scale, double shift, double *x) {
  int i = 0;
  for (; i + LANES <= n; i += LANES) {
    LOOSE *at = (LOOSE *)(x + i);
    *at = EXP(-*at) * scale + shift;
  }
  if (i >= n) return;
  double rest[LANES] = {0};
  memcpy(rest, x + i, sizeof *x * (size_t)(n - i));
  LOOSE *at = (LOOSE *)rest;
  *at = EXP(-*at) * scale + shift;
  memcpy(x + i, rest, sizeof *x * (size_t)(n - i));
}

/* LANES of them */
TARGET static inline void HAZARD_AT(const double *at, double *mass, double *h,
                                    double *d, double *v) {
  const VEC z = *(const LOOSE *)at, t = CHOOSE(z < 0, -z, z);
  const VEC x = (t - 5) / (t + 5), s = x * x;
  VEC even = FILL(mills[MILLS - 1]), odd = FILL(mills[MILLS]);
  UNROLL for (int k = MILLS - 3; k >= 0; k -= 2) {
    even = even * s + mills[k];
    odd = odd * s + mills[k + 1];
  }
  const VEC R = (even + x * odd) / (1 + t),
            phi = NORMAL_TOP * EXP(z * z * -0.5);
  const VEC m = CHOOSE(z < 0, R * NORMAL_TOP, 1 - R * phi);
  const VEC g = CHOOSE(z < 0, FILL(NORMAL_TOP), phi) / m, from = z + g;
  *(LOOSE *)mass = m;
  *(LOOSE *)h = g;
  *(LOOSE *)d = from;
  *(LOOSE *)v = 1 - g * from;
}

TARGET static void HAZARD(int n, const double *z, double *mass, double *h,
                          double *d, double *v) {
  int i = 0;
  for (; i + LANES <= n; i += LANES)
    HAZARD_AT(z + i, mass + i, h + i, d + i, v + i);
  if (i >= n) return;
  const size_t left = sizeof *z * (size_t)(n - i);
  double rest[5][LANES] = {{0}};
  memcpy(rest[0], z + i, left);
  HAZARD_AT(rest[0], rest[1], rest[2], rest[3], rest[4]);
  memcpy(mass + i, rest[1], left);
  memcpy(h + i, rest[2], left);
  memcpy(d + i, rest[3], left);
  memcpy(v + i, rest[4], left);
}
#else /* doubles that are wider on the way are not rounded to whole numbers */
TARGET static void DECAY(int n, double scale, double shift, double *x) {
  for (int i = 0; i < n; i++) x[i] = exp(-x[i]) * scale + shift;
}

TARGET static void HAZARD(int n, const double *z, double *mass, double *h,
                          double *d, double *v) {
  for (int i = 0; i < n; i++) {
    const double t = fabs(z[i]), x = (t - 5) / (t + 5);
    double p = mills[MILLS];
    for (int k = MILLS - 1; k >= 0; k--) p = p * x + mills[k];
    const double R = p / (1 + t), phi = NORMAL_TOP * exp(-z[i] * z[i] / 2);
    mass[i] = z[i] < 0 ? R * NORMAL_TOP : 1 - R * phi;
    h[i] = (z[i] < 0 ? NORMAL_TOP : phi) / mass[i];
    d[i] = z[i] + h[i];
    v[i] = 1 - h[i] * d[i];
  }
}
#endif

#undef SPREAD
#undef EXP
#undef DECAY
#undef HAZARD
#undef HAZARD_AT
#undef PASS_ON
#undef FILL
#undef CHOOSE
#undef POWER
#undef BITS
#undef VEC
#undef LOOSE
#undef PASTE
#undef PASTE_
#undef LANES
#undef NAME
#undef TARGET
