/* What: what the error of EP adds to its log evidence, to second order. */
#ifndef STURDY_SECOND_ORDER_H
#define STURDY_SECOND_ORDER_H

#include "fixpoint-classes.h"
#include "fixpoint.h"

typedef struct {
  double *x, *y, *scale; /* [n] of one latent function */
  double *row, *scratch; /* [C x C], [C x C x C] of several */
  double *B;             /* [n x C (C - 1) / 2] */
  double *panel;         /* [n x LATENT_COLUMNS] of each function */
} second_space;

/* Of n rows and C latent functions, whose posteriors are carved for blocks of
 * any size: those of one, of two classes, for C = 1. */
void second_carve(second_space *s, int n, int C, workspace *ws);

/* log Z - log Z_EP of two classes, at the posterior, the sites and the views of a
 * fixed point at df = Inf [M 4.9]; NaN where a view is improper. */
double second_order(latent *post, const lik_step *lik, const ep_site *site,
                    const site_view *view, second_space *s);

/* The same of several classes [M 12.15], cav[n x C] and log_z[n] as
 * classes_evaluate() left them. */
double second_order_classes(const classes_model *model, const ep_cavity *cav,
                            const double *log_z, second_space *s);

#endif
