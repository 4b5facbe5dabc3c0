/* What: EP with C latent functions as a fixed point: one site a row and class,
 *       coupled in the likelihood only [M 12.8]. df = Inf throughout.
 *
 * Arrays of sites are [n x C], those of one class together: those of class c
 * from IDX(0, c, n) on are the sites of post[c]. */
#ifndef STURDY_FIXPOINT_CLASSES_H
#define STURDY_FIXPOINT_CLASSES_H

#include "latent.h"
#include "likelihood-classes.h"

typedef struct {
  int n, C;             /* C <= ARGMAX_MOST */
  latent *const *post;  /* [C], each of n sites */
  const double *weight; /* [C x n] of row i and true class c: L_i(c) [M 13.1] */
  int lean;             /* as of argmax_given() */
} classes_model;

/* What EP makes of one row */
typedef struct {
  ep_cavity cav[ARGMAX_MOST];
  ep_site next[ARGMAX_MOST];
  double log_z;
} classes_row;

/* Row i at marginals A[C], m[C] and sites site[C]. EP_IMPROPER: the row is to
 * be left alone, in all classes. */
int classes_project(const classes_model *model, int i, const double *A,
                    const double *m, const ep_site *site, classes_row *row);

/* The same at cavities with these means and variances, which are in row->cav */
int classes_answer(const classes_model *model, int i, classes_row *row);

/* Its cavities only. */
int classes_divide(const classes_model *model, int i, const double *A,
                   const double *m, const ep_site *site, ep_cavity *cav);

/* A[C], m[C] and site[C] of row i, from the posteriors and sites[n x C]. */
void classes_gather(const classes_model *model, int i, const ep_site *sites,
                    double *A, double *m, ep_site *site);

/* mean[C] and sd[C] of a row, whose cavities are `step` apart from cav on */
void classes_moments(int C, const ep_cavity *cav, int step, double *mean,
                     double *sd);

/* The residual of a row, whose sites G would make `next`. */
double classes_residual(int C, const double *A, const ep_site *site,
                        const ep_site *next);

/* Every row at the current posteriors: cav[n x C], log_z[n], NaN where a row
 * is improper, and residual[n], Inf there. Returns the largest residual. */
double classes_evaluate(const classes_model *model, const ep_site *sites,
                        ep_cavity *cav, double *log_z, double *residual);

#endif
