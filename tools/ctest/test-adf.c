/* Filtering: the scale that is taken out, directions that no row shows, rows
 * that can't be absorbed. */
#include "adf.h"
#include "check.h"
#include "dense.h"
#include "flip-rates.h"
#include "matrix.h"
#include "numeric.h"

enum { k = 3, n = 3000 };

static const double prior[k] = {1, 4, 0.25};

typedef struct {
  double mu[k], S[k * k], work[k * k + 6 * k], log_zp[n], prob[n];
  adf_state state;
  int done;
} filter;

static void start(filter *f, double scale) {
  for (int j = 0; j < k; j++) {
    f->mu[j] = j * scale;
    for (int i = 0; i < k; i++)
      f->S[IDX(i, j, k)] = i == j ? prior[j] * scale * scale : 0;
  }
  f->state =
      (adf_state){.k = k, .s0 = prior, .mu = f->mu, .S = f->S, .work = f->work};
}

static int absorb(filter *f, double df, double epsilon, const double *Xt,
                  const double *y, int rows) {
  const double rates[2] = {epsilon, epsilon};
  step_levels *levels = calloc((size_t)rows, sizeof *levels);
  if (!levels) abort();
  const lik_step lik = label_step(df, k, rows, y, rates, levels);
  const int status =
      adf_absorb(&lik, Xt, rows, &f->state, f->log_zp, f->prob, &f->done);
  free(levels);
  return status;
}

static double along(const double *S, const double *x) {
  double sum = 0;
  for (int j = 0; j < k; j++)
    for (int i = 0; i < k; i++)
      sum += x[i] * x[j] * S[i > j ? IDX(i, j, k) : IDX(j, i, k)];
  return sum;
}

/* A look at the first row, and one at least every 4,096 rows. */
static void a_long_pass_polls(void) {
  enum { rows = 10000 };
  static double Xt[k * rows], y[rows], log_zp[rows], prob[rows];
  static filter f;
  uint64_t seed = 6;
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < k; j++) Xt[IDX(j, i, k)] = dense_norm(&seed);
    y[i] = Xt[IDX(0, i, k)] > 0 ? 1 : -1;
  }
  start(&f, 1);
  const double rates[2] = {0.05, 0.05};
  static step_levels levels[rows];
  const lik_step lik = label_step(3, k, rows, y, rates, levels);
  const long before = check_polls;
  CHECK(adf_absorb(&lik, Xt, rows, &f.state, log_zp, prob, &f.done) ==
        EP_CONVERGED);
  CHECK(f.done == rows && check_polls >= before + 3);
}

static void scale_goes_without_a_trace(void) {
  static double Xt[k * n], y[n];
  static filter plain, forced;
  uint64_t seed = 5;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < k; j++) Xt[IDX(j, i, k)] = dense_norm(&seed);
    y[i] = dense_norm(&seed) + Xt[IDX(0, i, k)] > 0 ? 1 : -1;
  }
  const double dfs[] = {1, 10, INFINITY};
  const int powers[] = {-400, -33, 7, 40, 400};
  for (int d = 0; d < 3; d++) {
    start(&plain, 1);
    CHECK(absorb(&plain, dfs[d], 0.01, Xt, y, n) == EP_CONVERGED);
    CHECK(fabs(plain.state.log_scale) > 50);
    for (int p = 0; p < 5; p++) {
      start(&forced, ldexp(1, powers[p]));
      CHECK(absorb(&forced, dfs[d], 0.01, Xt, y, n) == EP_CONVERGED);
      CHECK(!memcmp(plain.prob, forced.prob, sizeof plain.prob));
      CHECK(!memcmp(plain.log_zp, forced.log_zp, sizeof plain.log_zp));
      for (int i = 0; i < k; i++) {
        const double a = plain.S[IDX(i, i, k)] / prior[i];
        CHECK(a < 0x1p66 && a > 0x1p-90);
      }
      const double total = log(plain.S[0]) + plain.state.log_scale;
      CHECK_NEAR(log(forced.S[0]) + forced.state.log_scale -
                     2 * powers[p] * M_LN2,
                 total, 1e-12);
    }
  }
}

/* A call looks at the diagonal before its first row: with calls of one row no
 * bounds of it are relied on. Third weight: seen once in 500 rows. */
static void calls_may_be_of_any_length(void) {
  static double Xt[k * n], y[n];
  static filter whole, piece;
  uint64_t seed = 6;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < k; j++) Xt[IDX(j, i, k)] = dense_norm(&seed);
    if (i % 500 != 499) Xt[IDX(2, i, k)] = 0;
    y[i] = dense_norm(&seed) > 0 ? 1 : -1;
  }
  const double dfs[] = {1, 10, INFINITY};
  const int rows[] = {1, 7, 500};
  for (int d = 0; d < 3; d++) {
    start(&whole, 1);
    CHECK(absorb(&whole, dfs[d], 0.01, Xt, y, n) == EP_CONVERGED);
    for (int r = 0; r < 3; r++) {
      start(&piece, 1);
      for (int i = 0; i < n; i += rows[r]) {
        const int m = rows[r] < n - i ? rows[r] : n - i;
        CHECK(absorb(&piece, dfs[d], 0.01, Xt + IDX(0, i, k), y + i, m) ==
              EP_CONVERGED);
      }
      CHECK(!memcmp(whole.mu, piece.mu, sizeof whole.mu));
      CHECK(!memcmp(whole.S, piece.S, sizeof whole.S));
      CHECK(whole.state.log_scale == piece.state.log_scale);
    }
  }
}

/* At epsilon = 1/2 labels say nothing: only the cut is left */
static void wide_directions_are_cut_back(void) {
  static filter f;
  const double x[k] = {0, 1, 0}, y = 1;
  start(&f, 1);
  f.S[IDX(1, 1, k)] = prior[1] * 0x1p-44;
  f.S[IDX(2, 2, k)] = prior[2] * 0x1p-30;
  CHECK(absorb(&f, 3, 0.5, x, &y, 1) == EP_CONVERGED);
  const double width[k] = {1, 0x1p-44, 0x1p-30}, mu[k] = {0, 1, 2};
  for (int j = 0; j < k; j++) {
    const double by = 1 + 0x1p12 * width[j];
    CHECK_NEAR(f.S[IDX(j, j, k)], prior[j] * width[j] / by, 1e-13);
    CHECK_NEAR(f.mu[j], mu[j] / sqrt(by), 1e-13);
  }

  /* the same off the axes: (S^-1 + g s0^-1)^-1 by Woodbury, S = D + c v v' */
  const double v[k] = {1, -2, 0.5}, u[k] = {2, 1, 0}; /* u'v = 0 */
  start(&f, 1);
  for (int j = 0; j < k; j++)
    for (int i = j; i < k; i++)
      f.S[IDX(i, j, k)] = v[i] * v[j] + (i == j ? prior[j] * 0x1p-46 : 0);
  for (int j = 0; j < k; j++) f.mu[j] = v[j];
  const double var = along(f.S, u);
  CHECK(absorb(&f, 3, 0.5, u, &y, 1) == EP_CONVERGED);
  double size = 0; /* of v in units of the prior: its one wide direction */
  for (int j = 0; j < k; j++) size += v[j] * v[j] / prior[j];
  const double by = 1 + 0x1p12 * size;
  CHECK_NEAR(along(f.S, u), var, 0.02); /* 53 bits less 46 */
  CHECK_NEAR(along(f.S, v), 5.25 * 5.25 / by, 1e-10);
  for (int j = 0; j < k; j++) CHECK_NEAR(f.mu[j], v[j] / sqrt(by), 1e-10);
}

static void bad_rows_have_a_status(void) {
  static filter f;
  const double zero[k] = {0}, big[k] = {1e200, 0, 0}, one[k] = {1, 1, 1};
  const double y = 1;
  start(&f, 1);
  CHECK(absorb(&f, 3, 0.1, zero, &y, 1) == EP_CONVERGED && f.done == 1);
  CHECK_NEAR(f.log_zp[0], log(0.5), 1e-15);
  CHECK(absorb(&f, 3, 0.1, big, &y, 1) == EP_BAD_ARG && f.done == 0);
  f.mu[0] = NAN;
  CHECK(absorb(&f, 3, 0.1, one, &y, 1) == EP_BAD_ARG);
  start(&f, 1);
  for (int j = 0; j < k; j++) f.S[IDX(j, j, k)] *= -1;
  CHECK(absorb(&f, 3, 0.1, one, &y, 1) == EP_NOT_PD);
  start(&f, 1);
  f.S[IDX(1, 0, k)] = -3; /* the variance along `one` is -0.75 */
  CHECK(absorb(&f, 3, 0.1, one, &y, 1) == EP_NOT_PD);
  for (int j = 0; j < k; j++) f.S[IDX(j, j, k)] = 0;
  CHECK(absorb(&f, 3, 0.1, one, &y, 1) == EP_NOT_PD);
}

/* the widths of all directions stay positive where one label has all the odds
 * against it, and the next rows are absorbed */
static void far_labels_leave_a_posterior(void) {
  static filter f;
  double Xt[k * 40], y[40];
  const double dfs[] = {0.5, 1, 3, 10, 100, INFINITY};
  const double epsilons[] = {0, 1e-12, 0.01, 0.1}, far[] = {10, 40, 1e6, 1e15};
  uint64_t seed = 9;
  for (int i = 0; i < k * 40; i++) Xt[i] = dense_norm(&seed);
  Xt[0] = 1;
  Xt[1] = Xt[2] = 0;
  for (int i = 0; i < 40; i++) y[i] = i % 2 ? 1 : -1;
  for (int d = 0; d < 6; d++)
    for (int e = 0; e < 4; e++)
      for (int z = 0; z < 4; z++) {
        double log_det = 0;
        start(&f, 1);
        f.mu[0] = far[z];
        CHECK(absorb(&f, dfs[d], epsilons[e], Xt, y, 40) == EP_CONVERGED);
        for (int i = 0; i < 40; i++) CHECK(isfinite(f.log_zp[i]));
        CHECK(isfinite(f.state.log_scale) && isfinite(f.mu[0]));
        CHECK(cholesky(f.S, k, &log_det) == EP_CONVERGED);
      }
}

int main(void) {
  RUN("the scale is taken out to the last bit", scale_goes_without_a_trace);
  RUN("a long pass polls", a_long_pass_polls);
  RUN("calls may be of any length", calls_may_be_of_any_length);
  RUN("wide directions are cut back", wide_directions_are_cut_back);
  RUN("bad rows have a status", bad_rows_have_a_status);
  RUN("far labels leave a posterior", far_labels_leave_a_posterior);
  return check_done();
}
