/* What: entry points called from R. All SEXP code is in glue*.c and init.c. */
#ifndef STURDY_GLUE_H
#define STURDY_GLUE_H

#ifndef R_NO_REMAP
#define R_NO_REMAP
#endif
#ifndef STRICT_R_HEADERS
#define STRICT_R_HEADERS
#endif
#include <R.h>
#include <Rinternals.h>

#include "inducing.h"
#include "likelihood.h"

/* Checks for an interrupt, then calls progress_, NULL or an R function of what
 * is done. */
void glue_tick(SEXP progress_, int done);

/* The monitor of an EP run: checks for an interrupt, then calls data, NULL or
 * an R function of (sweep, residual), but in a team (glue-team.h). */
int glue_monitor(void *data, int sweep, double residual);

/* n doubles that R frees at the end of the .Call */
double *glue_alloc(size_t n);

/* Calls work(data, memory) with n doubles that are its own until it ends, also
 * by a jump: those of the call before where they are enough. */
typedef void glue_work(void *data, double *memory);
void glue_with_memory(size_t n, glue_work *work, void *data);

/* Counts what `carving` takes of `ws`, allocates it and lays it out. */
#define CARVE(carving)                                                         \
  do {                                                                         \
    workspace ws = {NULL, 0};                                                  \
    carving;                                                                   \
    ws = (workspace){glue_alloc(ws.used), 0};                                  \
    carving;                                                                   \
  } while (0)

/* Arguments. What has another type or size is an internal error that names it,
 * for users were checked in R. Sizes: -1 for any. */
#define DOUBLES(x_, length) doubles_of(x_, length, #x_)
#define MATRIX(x_, rows, cols) matrix_of(x_, rows, cols, #x_)
#define NUMBER(x_) (*doubles_of(x_, 1, #x_))
#define WHOLE(x_) whole_of(x_, #x_) /* an integer or a logical */
const double *doubles_of(SEXP x_, R_xlen_t length, const char *name);
const double *matrix_of(SEXP x_, int rows, int cols, const char *name);
int whole_of(SEXP x_, const char *name);
/* FALSE is an internal error, too. */
void expect(int fine, const char *what);

/* An element of a named list; an internal error when it has none such. */
SEXP get_named(SEXP list_, const char *name);
/* [n], or NULL where the list has NULL */
const double *glue_rows(SEXP list_, const char *name, int n);
const double *get_doubles(SEXP list_, const char *name, R_xlen_t length);
int get_whole(SEXP list_, const char *name);

/* A list of these names, one blank between them; its elements are NULL. */
SEXP new_list(const char *names);

/* Sets an element of a named list, with the same error. value_ may come
 * unprotected. */
void set_named(SEXP list_, const char *name, SEXP value_);
void set_int(SEXP list_, const char *name, int value);
void set_flag(SEXP list_, const char *name, int value);
void set_double(SEXP list_, const char *name, double value);
/* A new vector, or matrix, of doubles as that element. */
double *set_vector(SEXP list_, const char *name, R_xlen_t n);
double *set_matrix(SEXP list_, const char *name, int rows, int cols);

/* kernel_: list(group (1-based), weight, l, theta = (variance, bias, nugget,
 * linear)), as the core wants them. */
kernel_ard glue_kernel(SEXP X_, SEXP kernel_);
void glue_inputs(kernel_inputs *in, int n, int p);

/* Inducing inputs Z_ of rows X_; *kernel must outlive them. */
inducing glue_inducing(SEXP X_, SEXP Z_, const kernel_ard *kernel);

/* The likelihood of n rows, from a list with df, cut and L: with `cut` NULL n x 2,
 * see likelihood_step(), else cuts_make(). */
lik_step glue_likelihood(SEXP list_, double d, int n);

/* When the package is loaded */
void glue_dense_load(void);

/* The entry points glue_<name>() and how many arguments they take; what these
 * are, and what is returned, stands where they are defined. */
/* clang-format off */
#define ENTRIES(ENTRY) \
  ENTRY(ep_fit, 2) ENTRY(gp_fits, 5) ENTRY(weight_fit, 5) \
  ENTRY(classes_fit, 4) ENTRY(classes_prob, 2) ENTRY(label_values, 3) \
  ENTRY(label_said, 4) ENTRY(label_seen, 2) ENTRY(label_between, 3) ENTRY(label_overlap, 4) \
  ENTRY(label_overlap_back, 5) ENTRY(noise_inverse, 2) ENTRY(noise_inverse_back, 3) \
  ENTRY(gp_predict, 6) ENTRY(weight_predict, 3) ENTRY(inducing_predict, 5) \
  ENTRY(count_density, 1) \
  ENTRY(gram, 3) ENTRY(tilted, 3) ENTRY(adf, 7) \
  ENTRY(ais, 6) ENTRY(ais_move, 8) \
  ENTRY(cholesky, 2) ENTRY(solve_lower, 3) ENTRY(product, 3) \
  ENTRY(dense_names, 0) ENTRY(dense_use, 2) ENTRY(dense_threads, 0) \
  ENTRY(dense_speed, 2) ENTRY(digest, 1) ENTRY(keep_memory, 1) \
  ENTRY(features, 3) ENTRY(shard_point, 2) ENTRY(shard_gram, 2) \
  ENTRY(shard_pass, 4) ENTRY(shard_view, 4) ENTRY(shard_gradient, 5) \
  ENTRY(parallel_steps, 4) ENTRY(parallel_watch, 4) ENTRY(evidence, 3) \
  ENTRY(elementwise, 2) ENTRY(mvt_natural, 3) ENTRY(mvt_from_natural, 3) \
  ENTRY(mvt_escort, 2) ENTRY(mvt_entropy, 3) ENTRY(mvt_q_divergence, 5)
/* clang-format on */

typedef SEXP entry_0(void), entry_1(SEXP), entry_2(SEXP, SEXP),
    entry_3(SEXP, SEXP, SEXP), entry_4(SEXP, SEXP, SEXP, SEXP),
    entry_5(SEXP, SEXP, SEXP, SEXP, SEXP),
    entry_6(SEXP, SEXP, SEXP, SEXP, SEXP, SEXP),
    entry_7(SEXP, SEXP, SEXP, SEXP, SEXP, SEXP, SEXP),
    entry_8(SEXP, SEXP, SEXP, SEXP, SEXP, SEXP, SEXP, SEXP);
#define DECLARE_ENTRY(name, n) entry_##n glue_##name;
ENTRIES(DECLARE_ENTRY)

#endif
