/* GMRES on small dense systems. */
#include "gmres.h"
#include "check.h"
#include "dense.h"

typedef struct {
  int n, products;
  const double *M;
} dense_map;

static void apply(void *context, const double *x, double *out) {
  dense_map *map = context;
  map->products++;
  for (int i = 0; i < map->n; i++) {
    out[i] = 0;
    for (int j = 0; j < map->n; j++) out[i] += map->M[IDX(i, j, map->n)] * x[j];
  }
}

static gmres_space new_space(int n, double **block) {
  gmres_space s;
  workspace ws = {NULL, 0};
  gmres_carve(&s, n, &ws);
  *block = dense_new(ws.used);
  ws = (workspace){*block, 0};
  gmres_carve(&s, n, &ws);
  return s;
}

/* spread: eigenvalues around 1 + spread * disc */
static double *random_matrix(uint64_t seed, int n, double spread) {
  double *M = dense_square(n);
  for (int k = 0; k < n * n; k++) M[k] = spread * dense_norm(&seed) / sqrt(n);
  for (int i = 0; i < n; i++) M[IDX(i, i, n)] += 1;
  return M;
}

static void check_system(int n, double spread, double tol) {
  double *block, *M = random_matrix((uint64_t)n, n, spread);
  double *b = dense_new((size_t)n), *x = dense_new((size_t)n);
  double *r = dense_new((size_t)n);
  uint64_t seed = 9;
  gmres_space s = new_space(n, &block);
  dense_map map = {n, 0, M};
  for (int i = 0; i < n; i++) b[i] = dense_norm(&seed);
  const int spent = gmres_solve(&s, apply, &map, b, tol, 5000, x);
  CHECK(spent > 0);
  CHECK(map.products >= spent);
  apply(&map, x, r);
  for (int i = 0; i < n; i++) r[i] -= b[i];
  CHECK(dense_dot(r, r, n) <= 4 * tol * tol * dense_dot(b, b, n));
  free(block);
  free(M);
  free(b);
  free(x);
  free(r);
}

static void systems_of_all_sizes_are_solved(void) {
  const int sizes[] = {1, 2, 5, 40, 99, 100, 101, 150};
  for (int k = 0; k < 8; k++) {
    check_system(sizes[k], 0.3, 1e-12);
    check_system(sizes[k], 0.7, 1e-8);
  }
}

static void a_hard_system_is_restarted(void) { check_system(160, 0.95, 1e-9); }

static void zero_needs_no_product(void) {
  double *block, *M = random_matrix(3, 6, 0.5), b[6] = {0}, x[6];
  gmres_space s = new_space(6, &block);
  dense_map map = {6, 0, M};
  for (int i = 0; i < 6; i++) x[i] = 1;
  CHECK(gmres_solve(&s, apply, &map, b, 1e-10, 50, x) == 0);
  CHECK(map.products == 0);
  for (int i = 0; i < 6; i++) CHECK(x[i] == 0);
  free(block);
  free(M);
}

static void the_identity_needs_one(void) {
  double *block, *M = random_matrix(3, 6, 0), b[6] = {1, -2, 3, 0, 5, 6}, x[6];
  gmres_space s = new_space(6, &block);
  dense_map map = {6, 0, M};
  CHECK(gmres_solve(&s, apply, &map, b, 1e-10, 50, x) == 1);
  for (int i = 0; i < 6; i++) CHECK_NEAR(x[i], b[i], 1e-15);
  free(block);
  free(M);
}

static void too_few_products_are_reported(void) {
  double *block, *M = random_matrix(5, 30, 0.8), b[30], x[30];
  gmres_space s = new_space(30, &block);
  dense_map map = {30, 0, M};
  for (int i = 0; i < 30; i++) b[i] = 1 + i;
  CHECK(gmres_solve(&s, apply, &map, b, 1e-10, 3, x) == -1);
  for (int i = 0; i < 30; i++) CHECK(isfinite(x[i])); /* the best found */
  free(block);
  free(M);
}

static void broken_systems_are_reported(void) {
  double *block, M[4] = {0, 0, 0, 0}, b[2] = {1, 1}, x[2];
  gmres_space s = new_space(2, &block);
  dense_map map = {2, 0, M};
  CHECK(gmres_solve(&s, apply, &map, b, 1e-10, 50, x) == -1); /* zero map */
  CHECK(isfinite(x[0]) && isfinite(x[1]));
  M[0] = NAN;
  CHECK(gmres_solve(&s, apply, &map, b, 1e-10, 50, x) == -1);
  M[0] = 1; /* singular, b outside its range */
  CHECK(gmres_solve(&s, apply, &map, b, 1e-10, 50, x) == -1);
  M[0] = 1;
  b[0] = INFINITY;
  CHECK(gmres_solve(&s, apply, &map, b, 1e-10, 50, x) == -1);
  free(block);
}

int main(void) {
  RUN("systems of all sizes are solved", systems_of_all_sizes_are_solved);
  RUN("a hard system is restarted", a_hard_system_is_restarted);
  RUN("a zero right side needs no product", zero_needs_no_product);
  RUN("the identity needs one product", the_identity_needs_one);
  RUN("too few products are reported", too_few_products_are_reported);
  RUN("broken systems are reported", broken_systems_are_reported);
  return check_done();
}
