/* The correction of EP's evidence to second order: the shapes of tilted
 * densities against long double quadrature, its sums over pairs against plain
 * loops, and itself against exact evidences of two and three rows. */
#include "second-order.h"
#include "check.h"
#include "ep-classes.h"
#include "fit.h"
#include "latent-lowrank.h"

/* ---- one row ---- */

/* Moments of `level` N(x; z, 1) between a and b, about `about`: 20 panels a
 * scale of 5-point Gauss rules */
static void add_moments(long double level, long double z, long double a,
                        long double b, long double scale, long double about,
                        long double top, long double M[5]) {
  static const long double node[3] = {0, 0.538469310105683091036314L,
                                      0.906179845938663992797627L};
  static const long double weight[3] = {0.568888888888888888888889L,
                                        0.478628670499366468041292L,
                                        0.236926885056189087514264L};
  const int panels = (int)ceill((b - a) / scale * 20) + 1;
  const long double half = (b - a) / (2 * panels);
  for (int p = 0; p < panels; p++)
    for (int k = -2; k <= 2; k++) {
      const long double x =
          a + half * (2 * p + 1 + (k < 0 ? -1 : 1) * node[abs(k)]);
      long double power =
          half * weight[abs(k)] * level * expl(-(x - z) * (x - z) / 2 - top);
      for (int m = 0; m < 5; m++, power *= x - about) M[m] += power;
    }
}

static tilted_shape shape_long(long double lo, long double hi, long double z) {
  /* far on the wrong side the density is that of an exponential */
  const long double top = z < 0 && lo == 0   ? -z * z / 2
                          : z > 0 && hi == 0 ? -z * z / 2
                                             : 0;
  const long double scale = top < 0 ? 1 / (1 + fabsl(z)) : 1;
  const long double far = top < 0 ? 60 * scale : 14;
  long double mean = 0, M[5];
  for (int pass = 0; pass < 3; pass++) {
    memset(M, 0, sizeof M);
    if (hi > 0) add_moments(hi, z, 0, fmaxl(far, z + far), scale, mean, top, M);
    if (lo > 0)
      add_moments(lo, z, fminl(-far, z - far), 0, scale, mean, top, M);
    if (pass < 2) mean += M[1] / M[0];
  }
  const long double v = M[2] / M[0];
  return (tilted_shape){
      .skewness = (double)(M[3] / M[0] / (v * sqrtl(v))),
      .excess = (double)(M[4] / M[0] / (v * v) - 3),
  };
}

static void shapes_of_tilted_densities_are_right(void) {
  const double z[] = {-60, -12, -7,  -3.01, -2.99, -1, -0.2,
                      0,   0.5, 1.7, 3,     6,     9};
  const double less[] = {0, 1e-12, 1e-3, 0.1, 0.4};
  for (int a = 0; a < 5; a++)
    for (int b = 0; b < (int)(sizeof z / sizeof *z); b++)
      for (int side = 0; side < 2; side++) {
        const double L[2] = {side ? 1 - less[a] : less[a],
                             side ? less[a] : 1 - less[a]};
        step_levels row;
        const lik_step lik = likelihood_step(INFINITY, 1, 1, L, &row);
        const double s = 1.7;
        const tilted t = likelihood_tilt(&lik, 0, z[b] * s, s * s);
        const tilted_shape got = likelihood_shape(&lik, 0, &t),
                           want = shape_long(L[0], L[1], z[b]);
        CHECK_NEAR(got.skewness, want.skewness, 1e-11);
        CHECK_NEAR(got.excess, want.excess, 1e-11);
      }
}

/* An exponential distribution in the end */
static void shapes_far_behind_have_a_limit(void) {
  const double L[2] = {0, 1};
  step_levels row;
  const lik_step lik = likelihood_step(INFINITY, 1, 1, L, &row);
  for (double z = -1e3; z > -1e8; z *= 10) {
    const tilted t = likelihood_tilt(&lik, 0, z, 1);
    const tilted_shape got = likelihood_shape(&lik, 0, &t);
    CHECK_NEAR(got.skewness, 2, 10 / (z * z) + 1e-12);
    CHECK_NEAR(got.excess, 6, 60 / (z * z) + 1e-12);
  }
}

static void a_row_that_says_nothing_has_no_shape(void) {
  const double L[2] = {0.3, 0.3};
  step_levels row;
  const lik_step lik = likelihood_step(INFINITY, 1, 1, L, &row);
  for (double z = -20; z < 21; z += 4) {
    const tilted t = likelihood_tilt(&lik, 0, z, 1);
    const tilted_shape got = likelihood_shape(&lik, 0, &t);
    CHECK(fabs(got.skewness) < 1e-14 && fabs(got.excess) < 1e-14);
  }
}

/* ---- two classes ---- */

static double corrected(latent *post, const lik_step *lik, const ep_state *st) {
  second_space s;
  workspace ws = {NULL, 0};
  second_carve(&s, post->n, 1, &ws);
  double *block = dense_new(ws.used);
  ws = (workspace){block, 0};
  second_carve(&s, post->n, 1, &ws);
  const double value = second_order(post, lik, st->site, st->view, &s);
  free(block);
  return value;
}

static void sums_over_pairs_are_plain_loops(void) {
  const int sizes[] = {1, 2, 31, 32, 33, 70};
  for (int k = 0; k < 6; k++) {
    const int n = sizes[k];
    fit *f = fit_new(n, INFINITY, 0.07);
    dense_problem(90 + (uint64_t)k, n, 0.2, f->K, f->y);
    CHECK(fit_cold(f) == EP_CONVERGED);
    double *tau = dense_new((size_t)n), *C = dense_square(n), want = 0;
    for (int i = 0; i < n; i++) tau[i] = f->st.site[i].tau;
    dense_posterior(f->K, tau, n, C);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        const tilted_shape a = likelihood_shape(&f->lik, i,
                                                &f->st.view[i].tilt),
                           b = likelihood_shape(&f->lik, j,
                                                &f->st.view[j].tilt);
        const double r =
            C[IDX(i, j, n)] / sqrt(C[IDX(i, i, n)] * C[IDX(j, j, n)]);
        if (i != j)
          want += a.skewness * b.skewness * r * r * r / 12 +
                  a.excess * b.excess * r * r * r * r / 48;
      }
    const double got = corrected(&f->post, &f->lik, &f->st);
    CHECK_NEAR(got, want, 1e-9);
    CHECK(n > 1 ? got != 0 : got == 0);
    f->st.view[n - 1].proper = 0;
    CHECK(isnan(corrected(&f->post, &f->lik, &f->st)));
    free(tau);
    free(C);
    fit_free(f);
  }
}

/* log of the mean of prod L over signs of a normal with mean 0 in two or three
 * dimensions, whose orthants are known */
static double exact_evidence(int n, const double *K, const double *L) {
  double sum = 0;
  for (int signs = 0; signs < 1 << n; signs++) {
    double p = 1, angle = 0;
    for (int i = 0; i < n; i++) {
      p *= L[IDX(i, signs >> i & 1, n)];
      for (int j = 0; j < i; j++) {
        const double r =
            K[IDX(i, j, n)] / sqrt(K[IDX(i, i, n)] * K[IDX(j, j, n)]);
        const int same = (signs >> i & 1) == (signs >> j & 1);
        angle += asin(same ? r : -r);
      }
    }
    sum +=
        p * (n == 2 ? 0.25 + angle / (2 * M_PI) : 0.125 + angle / (4 * M_PI));
  }
  return log(sum);
}

static void the_exact_evidence_is_nearer(void) {
  uint64_t seed = 91;
  int nearer = 0, tried = 0;
  double before = 0, after = 0;
  for (int trial = 0; trial < 600; trial++) {
    const int n = 2 + trial % 2;
    fit *f = fit_new(n, INFINITY, 0.02 + 0.3 * dense_unif(&seed));
    dense_problem((uint64_t)(1000 + trial), n, 0.02 + 0.3 * dense_unif(&seed),
                  f->K, f->y);
    for (int i = 0; i < n; i++) f->y[i] = dense_unif(&seed) < 0.5 ? -1 : 1;
    CHECK(fit_cold(f) == EP_CONVERGED);
    double L[6];
    for (int i = 0; i < n; i++) {
      L[i] = f->y[i] > 0 ? f->epsilon[0] : 1 - f->epsilon[0];
      L[n + i] = 1 - L[i];
    }
    const double ep = fit_value(f, CRITERION_EVIDENCE);
    const double gap = exact_evidence(n, f->K, L) - ep,
                 left = gap - corrected(&f->post, &f->lik, &f->st);
    if (fabs(gap) > 1e-6) {
      tried++;
      nearer += fabs(left) < fabs(gap);
      before += gap * gap;
      after += left * left;
    }
    fit_free(f);
  }
  CHECK(tried > 400);
  CHECK(nearer > 0.9 * tried);
  CHECK(after < before / 4);
  printf("  nearer in %d of %d, error %.2g of EP's\n", nearer, tried,
         sqrt(after / before));
}

/* ---- columns of low rank ---- */

enum { MANY = 300 };

/* Those of inducing inputs whose features are kept and of such that are made
 * anew, in several panels, against products with unit vectors */
static void columns_are_products_with_unit_vectors(void) {
  double X[MANY * 2], Z[2 * 9], tau[MANY], nu[MANY], l[1] = {0.4};
  const double weight[2] = {1, 1};
  const int group[2] = {0, 0};
  uint64_t seed = 92;
  for (int i = 0; i < 2 * MANY; i++) X[i] = dense_norm(&seed);
  for (int i = 0; i < 18; i++) Z[i] = dense_norm(&seed);
  for (int i = 0; i < MANY; i++) {
    tau[i] = 1.2 * dense_unif(&seed) - 0.1;
    nu[i] = dense_norm(&seed);
  }
  const kernel_ard kernel = {.p = 2,
                             .groups = 1,
                             .group = group,
                             .weight = weight,
                             .l = l,
                             .variance = 1,
                             .bias = 0.2,
                             .nugget = 0.1};
  for (int kept = 0; kept < 2; kept++) {
    inducing points = {.kernel = &kernel, .n = MANY, .m = 9, .X = X, .Z = Z};
    latent_lowrank lr;
    latent post = latent_lowrank_inducing(&lr, &points, kept);
    workspace ws = {NULL, 0};
    post.ops->carve(&post, 8, &ws);
    double *block = dense_new(ws.used);
    ws = (workspace){block, 0};
    post.ops->carve(&post, 8, &ws);
    post.ops->bind(&post);
    CHECK(post.ops->refresh(&post, tau, nu) == EP_CONVERGED);
    for (int first = 0; first < MANY; first += 134) {
      double to[MANY * LATENT_COLUMNS], unit[MANY] = {0}, want[MANY];
      const int b = first == 268 ? LATENT_COLUMNS : 5;
      post.ops->columns(&post, first, b, to);
      for (int c = 0; c < b; c++) {
        unit[first + c] = 1;
        post.ops->times(&post, unit, want);
        unit[first + c] = 0;
        for (int i = first + c + 1; i < MANY; i++)
          CHECK_NEAR(to[IDX(i - first, c, MANY - first)], want[i], 1e-12);
      }
    }
    free(block);
  }
}

/* ---- several classes ---- */

typedef struct {
  int C, j, k;
  double weight[5], mean[5], sd[5];
} row_probe;

/* sd^2 times the slope of log Z in the mean, of class j as that of k moves */
static double shift_at(void *data, double step) {
  row_probe p = *(row_probe *)data;
  p.mean[p.k] += step;
  return classes_tilt(p.C, p.weight, p.mean, p.sd, 0).shift[p.j];
}

static void covariances_are_slopes_of_shifts(void) {
  uint64_t seed = 93;
  for (int trial = 0; trial < 60; trial++) {
    row_probe p = {.C = 2 + trial % 4};
    for (int c = 0; c < p.C; c++) {
      p.weight[c] = trial % 3 ? dense_unif(&seed) : c == 1 ? 0.9 : 0.05;
      p.mean[c] = 2 * dense_norm(&seed);
      p.sd[c] = exp(0.7 * dense_norm(&seed));
    }
    if (trial % 5 == 0) p.weight[0] = 0;
    double scratch[125], cross[25];
    classes_covariance(p.C, p.weight, p.mean, p.sd, scratch, cross);
    for (p.j = 0; p.j < p.C; p.j++)
      for (p.k = 0; p.k < p.C; p.k++) {
        if (p.j == p.k) continue;
        const double want =
            p.sd[p.k] / p.sd[p.j] * dense_slope(shift_at, &p, 0.02 * p.sd[p.k]);
        CHECK_NEAR(cross[IDX(p.j, p.k, p.C)], want, 3e-8);
      }
  }
}

/* Rows of a K, all classes' */
typedef struct {
  latent post[3], *at[3];
  latent_kernel lk[3];
  classes_model model;
  classes_state st;
  classes_work work;
  second_space second;
  ep_options opt;
  double *K, *side, *weight, *block;
} classes_fit;

static void classes_fit_carve(classes_fit *f, workspace *ws) {
  const int n = f->model.n;
  for (int c = 0; c < 3; c++) f->post[c].ops->carve(&f->post[c], 16, ws);
  classes_carve(&f->st, &f->work, n, 3, &f->opt, ws);
  second_carve(&f->second, n, 3, ws);
}

static classes_fit *classes_fit_new(int n, uint64_t seed) {
  classes_fit *f = calloc(1, sizeof *f);
  if (!f) abort();
  f->K = dense_square(n);
  f->side = dense_new((size_t)n);
  f->weight = dense_new(3 * (size_t)n);
  dense_problem(seed, n, 0.3, f->K, f->side);
  for (int i = 0; i < n; i++)
    for (int c = 0; c < 3; c++)
      f->weight[IDX(c, i, 3)] =
          c == (f->side[i] > 0 ? 0 : 1 + i % 2) ? 0.9 : 0.05;
  for (int c = 0; c < 3; c++) {
    f->post[c] = latent_kernel_given(&f->lk[c], n, f->K);
    f->at[c] = &f->post[c];
  }
  f->model =
      (classes_model){.n = n, .C = 3, .post = f->at, .weight = f->weight};
  f->opt =
      (ep_options){.tol = 1e-11, .max_sweeps = 300, .damping = 1, .block = 16};
  workspace ws = {NULL, 0};
  classes_fit_carve(f, &ws);
  f->block = dense_new(ws.used);
  ws = (workspace){f->block, 0};
  classes_fit_carve(f, &ws);
  for (int c = 0; c < 3; c++) f->post[c].ops->bind(&f->post[c]);
  CHECK(classes_run(&f->model, &f->opt, &f->st, &f->work, NULL, NULL) ==
        EP_CONVERGED);
  return f;
}

static void classes_fit_free(classes_fit *f) {
  free(f->K);
  free(f->side);
  free(f->weight);
  free(f->block);
  free(f);
}

static double classes_corrected(classes_fit *f) {
  return second_order_classes(&f->model, f->st.cav, f->st.log_z, &f->second);
}

static void sums_over_pairs_of_classes_are_plain_loops(void) {
  const int sizes[] = {1, 2, 33, 65};
  for (int s = 0; s < 4; s++) {
    const int n = sizes[s];
    classes_fit *f = classes_fit_new(n, 94 + (uint64_t)s);
    double *C[3], *tau = dense_new((size_t)n), want = 0;
    for (int c = 0; c < 3; c++) {
      C[c] = dense_square(n);
      for (int i = 0; i < n; i++) tau[i] = f->st.site[IDX(i, c, n)].tau;
      dense_posterior(f->K, tau, n, C[c]);
    }
    double *B = dense_new(9 * (size_t)n);
    for (int i = 0; i < n; i++) {
      double mean[3], sd[3], scratch[27], cross[9];
      for (int c = 0; c < 3; c++) {
        mean[c] = f->st.cav[IDX(i, c, n)].mean;
        sd[c] = sqrt(f->st.cav[IDX(i, c, n)].var);
      }
      classes_covariance(3, f->weight + IDX(0, i, 3), mean, sd, scratch, cross);
      for (int c = 0; c < 3; c++)
        for (int k = 0; k < 3; k++)
          B[IDX(c + 3 * k, i, 9)] = cross[IDX(c, k, 3)] * sd[c] * sd[k] /
                                    (C[c][IDX(i, i, n)] * C[k][IDX(i, i, n)]);
    }
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        for (int c = 0; c < 3; c++)
          for (int k = c + 1; k < 3; k++)
            if (i != j)
              want += B[IDX(c + 3 * k, i, 9)] * B[IDX(c + 3 * k, j, 9)] *
                      C[c][IDX(i, j, n)] * C[k][IDX(i, j, n)] / 2;
    CHECK_NEAR(classes_corrected(f), want, 1e-9);
    CHECK(n > 1 ? want > 0 : want == 0);
    f->st.log_z[n / 2] = NAN;
    CHECK(isnan(classes_corrected(f)));
    for (int c = 0; c < 3; c++) free(C[c]);
    free(B);
    free(tau);
    classes_fit_free(f);
  }
}

int main(void) {
  RUN("shapes of tilted densities are right",
      shapes_of_tilted_densities_are_right);
  RUN("shapes far behind have a limit", shapes_far_behind_have_a_limit);
  RUN("a row that says nothing has no shape",
      a_row_that_says_nothing_has_no_shape);
  RUN("sums over pairs are plain loops", sums_over_pairs_are_plain_loops);
  RUN("the exact evidence of two and three rows is nearer",
      the_exact_evidence_is_nearer);
  RUN("columns of low rank are products with unit vectors",
      columns_are_products_with_unit_vectors);
  RUN("covariances of classes are slopes of shifts",
      covariances_are_slopes_of_shifts);
  RUN("sums over pairs of classes are plain loops",
      sums_over_pairs_of_classes_are_plain_loops);
  return check_done();
}
