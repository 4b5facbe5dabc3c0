/* Trajectories with walls: energy, volume and the way back. */
#include "bounce.h"
#include "check.h"
#include "dense.h"

#define N 14
static const int many = 10000;

typedef struct {
  double K[N * N], B[N * N], y[N], f[N], nu[N], *block;
  bounce b;
} problem;

static void problem_start(problem *p, uint64_t seed) {
  int info, n = N;
  dense_problem(seed, N, 0.1, p->K, p->y);
  memcpy(p->B, p->K, sizeof p->K);
  F77_CALL(dpotrf)("L", &n, p->B, &n, &info FCONE);
  for (int i = 0; i < N; i++) p->f[i] = p->nu[i] = 0;
  for (int j = 0; j < N; j++) {
    const double z = dense_norm(&seed), x = dense_norm(&seed);
    for (int i = j; i < N; i++) {
      p->f[i] += p->B[IDX(i, j, N)] * z;
      p->nu[i] += p->B[IDX(i, j, N)] * x;
    }
  }
  workspace ws = {NULL, 0};
  bounce_carve(&p->b, N, &ws);
  p->block = dense_new(ws.used);
  ws = (workspace){p->block, 0};
  bounce_carve(&p->b, N, &ws);
  p->b.K = p->K;
  p->b.y = p->y;
}

static double norm_in(const double *K, const double *x) {
  double A[N * N], r[N];
  int sign;
  memcpy(A, K, sizeof A);
  memcpy(r, x, sizeof r);
  dense_gauss(N, A, 1, r, &sign);
  return dense_dot(x, r, N);
}

static void velocity(const bounce *b, double *nu) {
  for (int j = 0; j < b->n; j++) nu[j] = b->side[j] * b->v[j];
}

static double energy(const problem *p, const step_barrier *barrier) {
  double f[N], nu[N];
  bounce_leave(&p->b, f);
  velocity(&p->b, nu);
  double sum = (norm_in(p->K, f) + norm_in(p->K, nu)) / 2;
  for (int i = 0; i < N; i++)
    if (p->y[i] * f[i] < 0) sum += barrier->of[p->y[i] > 0];
  return sum;
}

static void without_barriers_the_motion_is_an_ellipse(void) {
  const step_barrier none = {{0, 0}};
  for (uint64_t seed = 1; seed < 20; seed++) {
    problem p;
    double f[N], nu[N];
    problem_start(&p, seed);
    bounce_enter(&p.b, p.f, p.nu);
    bounce_on(&p.b, 1.2, &none, many);
    bounce_leave(&p.b, f);
    velocity(&p.b, nu);
    for (int i = 0; i < N; i++) {
      CHECK_NEAR(f[i], cos(1.2) * p.f[i] + sin(1.2) * p.nu[i], 1e-12);
      CHECK_NEAR(nu[i], cos(1.2) * p.nu[i] - sin(1.2) * p.f[i], 1e-12);
    }
    free(p.block);
  }
}

static void energy_is_kept(void) {
  const step_barrier barriers[] = {{{0.1, 0.1}}, {{1, 3}}, {{5, 0.5}}};
  double walls = 0;
  for (uint64_t seed = 1; seed < 40; seed++)
    for (int k = 0; k < 3; k++) {
      problem p;
      problem_start(&p, seed);
      bounce_enter(&p.b, p.f, p.nu);
      const double before = energy(&p, &barriers[k]);
      bounce_on(&p.b, 1.5, &barriers[k], many);
      CHECK_NEAR(energy(&p, &barriers[k]), before, 1e-11);
      walls += p.b.walls;
      free(p.block);
    }
  CHECK(walls > 200); /* or it was no test */
}

static void the_way_back_leads_to_the_start(void) {
  const step_barrier barrier = {{0.7, 1.5}};
  for (uint64_t seed = 1; seed < 40; seed++) {
    problem p;
    double f[N], nu[N];
    problem_start(&p, seed);
    bounce_enter(&p.b, p.f, p.nu);
    const double wrong[2] = {p.b.wrong[0], p.b.wrong[1]};
    bounce_on(&p.b, 1.3, &barrier, many);
    for (int i = 0; i < N; i++) p.b.v[i] = -p.b.v[i];
    bounce_on(&p.b, 1.3, &barrier, many);
    bounce_leave(&p.b, f);
    velocity(&p.b, nu);
    for (int i = 0; i < N; i++) {
      CHECK_NEAR(f[i], p.f[i], 1e-9); /* rounding grows at every wall */
      CHECK_NEAR(nu[i], -p.nu[i], 1e-9);
    }
    CHECK(p.b.wrong[0] == wrong[0] && p.b.wrong[1] == wrong[1]);
    free(p.block);
  }
}

static void infinite_barriers_hold(void) {
  const step_barrier wall = {{INFINITY, INFINITY}};
  for (uint64_t seed = 1; seed < 40; seed++) {
    problem p;
    double f[N];
    problem_start(&p, seed);
    for (int i = 0; i < N; i++) p.y[i] = p.f[i] > 0 ? 1 : -1;
    bounce_enter(&p.b, p.f, p.nu);
    for (int k = 0; k < 20; k++) bounce_on(&p.b, 1, &wall, many);
    bounce_leave(&p.b, f);
    for (int i = 0; i < N; i++) CHECK(p.y[i] * f[i] >= 0);
    CHECK(p.b.wrong[0] == 0 && p.b.wrong[1] == 0);
    free(p.block);
  }
}

static void wrong_labels_are_counted(void) {
  const step_barrier barrier = {{0.3, 0.6}};
  for (uint64_t seed = 1; seed < 40; seed++) {
    problem p;
    double f[N], wrong[2] = {0, 0};
    problem_start(&p, seed);
    bounce_enter(&p.b, p.f, p.nu);
    bounce_on(&p.b, 1.4, &barrier, many);
    bounce_leave(&p.b, f);
    for (int i = 0; i < N; i++) wrong[p.y[i] > 0] += p.y[i] * f[i] < 0;
    CHECK(p.b.wrong[0] == wrong[0] && p.b.wrong[1] == wrong[1]);
    free(p.block);
  }
}

static void too_many_walls_turn_back(void) {
  const step_barrier barrier = {{2, 2}};
  problem p;
  double f[N], nu[N];
  problem_start(&p, 3);
  bounce_enter(&p.b, p.f, p.nu);
  const double wrong[2] = {p.b.wrong[0], p.b.wrong[1]};
  bounce_on(&p.b, 1.5, &barrier, 1);
  bounce_leave(&p.b, f);
  velocity(&p.b, nu);
  CHECK(p.b.stuck == 1);
  CHECK(p.b.wrong[0] == wrong[0] && p.b.wrong[1] == wrong[1]);
  for (int i = 0; i < N; i++) {
    CHECK_NEAR(f[i], p.f[i], 0);
    CHECK_NEAR(nu[i], -p.nu[i], 0);
  }
  free(p.block);
}

/* Two rows with the same latent value and contrary labels: walls that coincide.
 */
static void coinciding_walls_are_passed_in_turn(void) {
  const step_barrier barrier = {{0.4, 0.4}};
  for (uint64_t seed = 1; seed < 20; seed++) {
    problem p;
    problem_start(&p, seed);
    for (int i = 0; i < N; i++) {
      p.y[i] = i % 2 ? 1 : -1;
      p.f[i] = p.f[0];
      p.nu[i] = p.nu[0];
    }
    for (int k = 0; k < N * N; k++) p.K[k] = p.K[0];
    bounce_enter(&p.b, p.f, p.nu);
    bounce_on(&p.b, 1.5, &barrier, many);
    double f[N];
    bounce_leave(&p.b, f);
    CHECK(p.b.stuck == 0);
    for (int i = 1; i < N; i++) CHECK_NEAR(f[i], f[0], 1e-12);
    free(p.block);
  }
}

int main(void) {
  RUN("without barriers the motion is an ellipse",
      without_barriers_the_motion_is_an_ellipse);
  RUN("energy is kept", energy_is_kept);
  RUN("the way back leads to the start", the_way_back_leads_to_the_start);
  RUN("infinite barriers hold", infinite_barriers_hold);
  RUN("wrong labels are counted", wrong_labels_are_counted);
  RUN("too many walls turn back", too_many_walls_turn_back);
  RUN("coinciding walls are passed in turn",
      coinciding_walls_are_passed_in_turn);
  return check_done();
}
