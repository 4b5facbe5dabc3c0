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
 * an R function of (sweep, residual). */
int glue_monitor(void *data, int sweep, double residual);

/* n doubles that R frees at the end of the .Call */
double *glue_alloc(size_t n);

/* An element of a named list; an internal error when it has none such. */
SEXP get_named(SEXP list_, const char *name);
/* get_named() of doubles, `length` of them. */
const double *get_doubles(SEXP list_, const char *name, R_xlen_t length);

/* Sets an element of a named list, with the same error. value_ may come
 * unprotected. */
void set_named(SEXP list_, const char *name, SEXP value_);
void set_int(SEXP list_, const char *name, int value);
void set_double(SEXP list_, const char *name, double value);
/* A new vector, or matrix, of doubles as that element. */
double *set_vector(SEXP list_, const char *name, R_xlen_t n);
double *set_matrix(SEXP list_, const char *name, int rows, int cols);

/* kernel_: list(group (1-based), weight, l, theta = (variance, bias, nugget)),
 * as the core wants them. */
kernel_ard glue_kernel(SEXP X_, SEXP kernel_);
void glue_inputs(kernel_inputs *in, int n, int p);

/* Inducing inputs Z_ of rows X_; *kernel must outlive them. */
inducing glue_inducing(SEXP X_, SEXP Z_, const kernel_ard *kernel);

/* The likelihood of n rows, from a list with df and L (n x 2), see
 * likelihood_step(). */
lik_step glue_likelihood(SEXP list_, double d, int n);

/* run_: see glue-fit.c */
SEXP glue_ep_fit(SEXP K_, SEXP run_);
SEXP glue_gp_fit(SEXP X_, SEXP kernel_, SEXP run_);
SEXP glue_weight_fit(SEXP Xt_, SEXP s0_, SEXP nugget_, SEXP run_);
SEXP glue_inducing_fit(SEXP X_, SEXP Z_, SEXP kernel_, SEXP keep_, SEXP run_);
SEXP glue_classes_fit(SEXP X_, SEXP Z_, SEXP kernels_, SEXP run_);
SEXP glue_classes_prob(SEXP mean_, SEXP var_);
SEXP glue_shard_features(SEXP X_, SEXP Z_, SEXP kernel_);
SEXP glue_shard_point(SEXP sites_, SEXP lambda_);
SEXP glue_shard_gram(SEXP rows_, SEXP point_);
SEXP glue_shard_pass(SEXP rows_, SEXP lik_, SEXP posterior_, SEXP step_);
SEXP glue_shard_view(SEXP rows_, SEXP lik_, SEXP posterior_, SEXP point_);
SEXP glue_shard_gradient(
    SEXP rows_, SEXP lik_, SEXP posterior_, SEXP point_, SEXP inputs_);
SEXP glue_parallel_steps(SEXP H_, SEXP g_, SEXP damping_, SEXP least_);
SEXP glue_parallel_watch(SEXP watch_,
                         SEXP round_,
                         SEXP worst_,
                         SEXP max_rounds_);
SEXP glue_evidence(SEXP terms_, SEXP log_det_, SEXP df_);
SEXP glue_gp_predict(
    SEXP X_, SEXP kernel_, SEXP tau_, SEXP b_, SEXP Xnew_, SEXP progress_);
SEXP glue_inducing_predict(
    SEXP Z_, SEXP kernel_, SEXP mean_, SEXP C_, SEXP Xnew_);
SEXP glue_weight_predict(SEXP Xt_, SEXP mean_, SEXP C_);
SEXP glue_gram(SEXP X_, SEXP Xnew_, SEXP kernel_);
SEXP glue_cholesky(SEXP A_, SEXP jitter_);
SEXP glue_solve_lower(SEXP L_, SEXP B_, SEXP transpose_);
SEXP glue_product(SEXP A_, SEXP B_, SEXP transpose_);
SEXP glue_dense_names(void);
SEXP glue_dense_use(SEXP variant_, SEXP threads_);
SEXP glue_dense_threads(void);
SEXP glue_dense_speed(SEXP n_, SEXP few_);
/* When the package is loaded */
void glue_dense_load(void);
SEXP glue_tilted(SEXP mean_, SEXP var_, SEXP lik_);
SEXP glue_adf(SEXP Xt_,
              SEXP lik_,
              SEXP s0_,
              SEXP nugget_,
              SEXP mu_,
              SEXP S_,
              SEXP log_scale_);
SEXP glue_ais(
    SEXP K_, SEXP B_, SEXP y_, SEXP barrier_, SEXP chains_, SEXP progress_);
SEXP glue_ais_move(SEXP K_,
                   SEXP B_,
                   SEXP y_,
                   SEXP barrier_,
                   SEXP F_,
                   SEXP keep_,
                   SEXP thin_,
                   SEXP progress_);

#endif
