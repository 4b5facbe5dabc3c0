/* Trajectories of several classes: energy, the way back, and walls. */
#include "bounce-classes.h"
#include "check.h"
#include "dense.h"

#define N 9
#define C 3
#define ALL (N * C)
static const int many = 10000;

typedef struct {
  double K[N * N * C], loss[ALL], f[ALL], nu[ALL], *block;
  bounce_classes b;
} problem;

/* A kernel for each class, or one; losses of 0 for the class recorded */
static void problem_start(problem *p, uint64_t seed, int own, double loss) {
  int info, n = N;
  double B[N * N], y[N];
  for (int c = 0; c < C; c++) {
    double *K = p->K + (own ? c * N * N : 0);
    if (own || c == 0) dense_problem(seed + 100 * (uint64_t)c, N, 0.1, K, y);
    memcpy(B, K, sizeof B);
    F77_CALL(dpotrf)("L", &n, B, &n, &info FCONE);
    for (int i = 0; i < N; i++) p->f[c * N + i] = p->nu[c * N + i] = 0;
    for (int j = 0; j < N; j++) {
      const double z = dense_norm(&seed), x = dense_norm(&seed);
      for (int i = j; i < N; i++) {
        p->f[c * N + i] += B[IDX(i, j, N)] * z;
        p->nu[c * N + i] += B[IDX(i, j, N)] * x;
      }
    }
    for (int i = 0; i < N; i++)
      p->loss[c * N + i] = i % C == c ? 0 : loss * (1 + 0.3 * c + 0.1 * i);
  }
  workspace ws = {NULL, 0};
  bounce_classes_carve(&p->b, N, C, &ws);
  p->block = dense_new(ws.used);
  ws = (workspace){p->block, 0};
  bounce_classes_carve(&p->b, N, C, &ws);
  p->b.K = p->K;
  p->b.own = own;
  p->b.loss = p->loss;
}

static int largest(const double *f, int i) {
  int top = 0;
  for (int c = 1; c < C; c++)
    if (f[c * N + i] > f[top * N + i]) top = c;
  return top;
}

static double norm_in(const double *K, const double *x) {
  double A[N * N], r[N];
  int sign;
  memcpy(A, K, sizeof A);
  memcpy(r, x, sizeof r);
  dense_gauss(N, A, 1, r, &sign);
  return dense_dot(x, r, N);
}

static double energy(const problem *p, double share) {
  double sum = 0;
  for (int c = 0; c < C; c++) {
    const double *K = p->K + (p->b.own ? c * N * N : 0);
    sum += (norm_in(K, p->b.f + c * N) + norm_in(K, p->b.v + c * N)) / 2;
  }
  for (int i = 0; i < N; i++) sum += share * p->loss[(int)p->b.top[i] * N + i];
  return sum;
}

static void energy_is_kept(void) {
  const double levels[][2] = {{0.1, INFINITY}, {1, INFINITY}, {4, INFINITY}};
  double walls = 0;
  for (uint64_t seed = 1; seed < 30; seed++)
    for (int k = 0; k < 6; k++) {
      problem p;
      const double *level = levels[k / 2];
      problem_start(&p, seed, k % 2, 1);
      bounce_classes_ops.enter(&p.b, p.f, p.nu);
      const double before = energy(&p, level[0]);
      bounce_classes_ops.on(&p.b, 1.5, level, many);
      CHECK_NEAR(energy(&p, level[0]), before, 1e-10);
      walls += p.b.walls;
      free(p.block);
    }
  CHECK(walls > 200); /* or it was no test */
}

static void the_largest_is_known(void) {
  const double level[] = {1, INFINITY};
  for (uint64_t seed = 1; seed < 30; seed++) {
    problem p;
    double f[ALL];
    problem_start(&p, seed, 1, 0.7);
    bounce_classes_ops.enter(&p.b, p.f, p.nu);
    bounce_classes_ops.on(&p.b, 1.4, level, many);
    bounce_classes_ops.leave(&p.b, f);
    for (int i = 0; i < N; i++) CHECK(largest(f, i) == (int)p.b.top[i]);
    free(p.block);
  }
}

static void the_way_back_leads_to_the_start(void) {
  const double level[] = {1, INFINITY};
  for (uint64_t seed = 1; seed < 30; seed++) {
    problem p;
    problem_start(&p, seed, 0, 1.2);
    bounce_classes_ops.enter(&p.b, p.f, p.nu);
    bounce_classes_ops.on(&p.b, 1.3, level, many);
    for (int j = 0; j < ALL; j++) p.b.v[j] = -p.b.v[j];
    bounce_classes_ops.on(&p.b, 1.3, level, many);
    for (int j = 0; j < ALL; j++) {
      CHECK_NEAR(p.b.f[j], p.f[j], 1e-8); /* rounding grows at every wall */
      CHECK_NEAR(p.b.v[j], -p.nu[j], 1e-8);
    }
    free(p.block);
  }
}

static void impossible_classes_are_not_entered(void) {
  const double level[] = {1, INFINITY};
  for (uint64_t seed = 1; seed < 30; seed++) {
    problem p;
    problem_start(&p, seed, 1, 1);
    for (int i = 0; i < N; i++)
      for (int c = 0; c < C; c++)
        p.loss[c * N + i] = c == largest(p.f, i) ? 0 : INFINITY;
    bounce_classes_ops.enter(&p.b, p.f, p.nu);
    for (int k = 0; k < 20; k++) bounce_classes_ops.on(&p.b, 1, level, many);
    for (int i = 0; i < N; i++) CHECK(p.loss[(int)p.b.top[i] * N + i] == 0);
    const double none[] = {0, 0}, to[] = {1, INFINITY};
    CHECK(bounce_classes_ops.rise(&p.b, none, to) == 0);
    free(p.block);
  }
}

static void a_level_is_a_share_of_the_losses_up_to_its_cap(void) {
  problem p;
  problem_start(&p, 2, 0, 2);
  p.loss[largest(p.f, 0) * N] = INFINITY;
  bounce_classes_ops.enter(&p.b, p.f, p.nu);
  const double none[] = {0, 0}, half[] = {0.5, 1.1}, whole[] = {1, INFINITY};
  double sum = 0;
  for (int i = 0; i < N; i++)
    sum += fmin(0.5 * p.loss[largest(p.f, i) * N + i], 1.1);
  CHECK_NEAR(bounce_classes_ops.rise(&p.b, none, half), -sum, 1e-12);
  CHECK(bounce_classes_ops.rise(&p.b, half, whole) == -INFINITY);
  free(p.block);
}

static void too_many_walls_turn_back(void) {
  const double level[] = {2, INFINITY};
  problem p;
  problem_start(&p, 3, 1, 1);
  bounce_classes_ops.enter(&p.b, p.f, p.nu);
  bounce_classes_ops.on(&p.b, 1.5, level, 1);
  CHECK(p.b.stuck == 1);
  for (int j = 0; j < ALL; j++) {
    CHECK_NEAR(p.b.f[j], p.f[j], 0);
    CHECK_NEAR(p.b.v[j], -p.nu[j], 0);
  }
  for (int i = 0; i < N; i++) CHECK((int)p.b.top[i] == largest(p.f, i));
  free(p.block);
}

int main(void) {
  RUN("energy is kept", energy_is_kept);
  RUN("the largest is known", the_largest_is_known);
  RUN("the way back leads to the start", the_way_back_leads_to_the_start);
  RUN("impossible classes are not entered", impossible_classes_are_not_entered);
  RUN("a level is a share of the losses up to its cap",
      a_level_is_a_share_of_the_losses_up_to_its_cap);
  RUN("too many walls turn back", too_many_walls_turn_back);
  return check_done();
}
