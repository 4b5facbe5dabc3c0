/* Annealed importance sampling against closed forms, with a fixed seed. */
#include "ais.h"
#include "bounce.h"
#include "check.h"
#include "dense.h"

#define MAX_LEVELS 200

static double draw_normal(void *data) { return dense_norm(data); }

typedef struct {
  ais_space s;
  bounce path;
  double *block, *B, *K, *y, *trace;
  uint64_t seed;
  random_source rng;
} run;

/* K = (1 - rho) I + rho 1 1', all labels +1 */
static void run_new(run *r, int n, double rho, int chains) {
  int info;
  r->seed = 1;
  r->rng = (random_source){draw_normal, &r->seed};
  r->K = dense_square(n);
  r->B = dense_square(n);
  r->y = dense_new((size_t)n);
  r->trace = dense_new((size_t)(MAX_LEVELS * chains));
  for (int j = 0; j < n; j++) {
    r->y[j] = 1;
    for (int i = 0; i < n; i++) r->K[IDX(i, j, n)] = i == j ? 1 : rho;
    for (int i = j; i < n; i++) r->B[IDX(i, j, n)] = r->K[IDX(i, j, n)];
  }
  F77_CALL(dpotrf)("L", &n, r->B, &n, &info FCONE);
  workspace ws = {NULL, 0};
  ais_carve(&r->s, n, n, 1, chains, &ws);
  bounce_carve(&r->path, n, &ws);
  r->block = dense_new(ws.used);
  ws = (workspace){r->block, 0};
  ais_carve(&r->s, n, n, 1, chains, &ws);
  bounce_carve(&r->path, n, &ws);
  r->s.B = r->B;
  r->path.K = r->K;
  r->path.y = r->y;
  r->s.ops = &bounce_ops;
  r->s.walls = &r->path;
}

static void run_free(run *r) {
  free(r->block);
  free(r->B);
  free(r->K);
  free(r->y);
  free(r->trace);
}

static const ais_monitor no_monitor = {NULL, NULL};

/* Barriers up to `top`, then one level at `last` for both labels */
static int anneal(run *r, double top, double last, int levels) {
  double barrier[2 * MAX_LEVELS];
  for (int t = 0; t < levels; t++) {
    const double share = (double)(t + 1) / (levels - 1);
    const double at = t == levels - 1 ? last : top * share * share;
    barrier[2 * t] = barrier[2 * t + 1] = at;
  }
  ais_start(&r->s, &r->rng);
  return ais_anneal(&r->s, barrier, levels, &r->rng, &no_monitor, r->trace);
}

/* log of the mean weight, and its standard error */
static double log_mean(const run *r, double *se) {
  const int M = r->s.chains;
  double top = -INFINITY, sum = 0, squares = 0;
  for (int c = 0; c < M; c++) top = fmax(top, r->s.log_w[c]);
  for (int c = 0; c < M; c++) {
    const double w = exp(r->s.log_w[c] - top);
    sum += w;
    squares += w * w;
  }
  *se = sqrt((squares / sum / sum - 1.0 / M));
  return top + log(sum / M);
}

static void orthants_are_closed_forms(void) {
  const int sizes[] = {1, 2, 3, 10, 30};
  for (int k = 0; k < (check_quick() ? 4 : 5); k++) {
    run r;
    double se;
    run_new(&r, sizes[k], 0.5, 400);
    CHECK(anneal(&r, 15, INFINITY, 60) == EP_CONVERGED);
    const double got = log_mean(&r, &se);
    CHECK(se < 0.06);
    CHECK(fabs(got + log(sizes[k] + 1)) < 3 * se);
    run_free(&r);
  }
}

static void independent_labels_have_the_binomial_sum(void) {
  run r;
  double se;
  run_new(&r, 12, 0, 400);
  CHECK(anneal(&r, 2, 2, 60) == EP_CONVERGED);
  const double got = log_mean(&r, &se);
  CHECK(fabs(got - 12 * log((1 + exp(-2)) / 2)) < 3 * se);
  run_free(&r);
}

static void moves_keep_the_distribution(void) {
  const double barrier[2] = {1, 1};
  const int n = 8, chains = check_quick() ? 400 : 4000;
  run r;
  run_new(&r, n, 0, chains);
  ais_start(&r.s, &r.rng);
  CHECK(ais_move(&r.s, barrier, 30, &r.rng, &no_monitor) == EP_CONVERGED);
  double wrong = 0, square = 0;
  for (int k = 0; k < n * chains; k++) {
    wrong += r.s.F[k] < 0;
    square += r.s.F[k] * r.s.F[k];
  }
  const double total = (double)n * chains, p = exp(-1) / (1 + exp(-1));
  CHECK(fabs(wrong / total - p) < 3 * sqrt(p * (1 - p) / total));
  CHECK(fabs(square / total - 1) < 3 * sqrt(2 / total));
  run_free(&r);
}

static void an_impossible_chain_keeps_weight_zero(void) {
  run r;
  const double barrier[] = {INFINITY, INFINITY, INFINITY, INFINITY};
  run_new(&r, 6, 0, 50);
  ais_start(&r.s, &r.rng);
  ais_anneal(&r.s, barrier, 2, &r.rng, &no_monitor, r.trace);
  int dead = 0;
  for (int c = 0; c < 50; c++) {
    CHECK(r.s.log_w[c] == 0 || r.s.log_w[c] == -INFINITY);
    CHECK(r.trace[IDX(0, c, 2)] == r.s.log_w[c]);
    dead += r.s.log_w[c] < 0;
  }
  CHECK(dead > 40); /* a chain is possible with probability 2^-6 */
  run_free(&r);
}

static int stop_at_three(void *data, int done) {
  *(int *)data = done;
  return done == 3;
}

static void the_monitor_stops_it(void) {
  run r;
  int last = -1;
  const double barrier[20] = {0};
  const ais_monitor monitor = {stop_at_three, &last};
  run_new(&r, 3, 0, 2);
  ais_start(&r.s, &r.rng);
  CHECK(ais_anneal(&r.s, barrier, 10, &r.rng, &monitor, r.trace) ==
        EP_INTERRUPTED);
  CHECK(last == 3);
  const double none[2] = {0, 0};
  CHECK(ais_move(&r.s, none, 10, &r.rng, &monitor) == EP_INTERRUPTED);
  run_free(&r);
}

int main(void) {
  RUN("orthants are closed forms", orthants_are_closed_forms);
  RUN("independent labels have the binomial sum",
      independent_labels_have_the_binomial_sum);
  RUN("moves keep the distribution", moves_keep_the_distribution);
  RUN("an impossible chain keeps weight zero",
      an_impossible_chain_keeps_weight_zero);
  RUN("the monitor stops it", the_monitor_stops_it);
  return check_done();
}
