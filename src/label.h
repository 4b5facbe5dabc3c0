/* What: the label stage: from scores of a row to its true class, and what is
 *       reported of the row under it, at points of what the stage does not know.
 *       With l the logs of the scores, of which M has taken what noise they
 *       learned,
 *         q = softmax(w + v + b l) U,   Z = sum_t L_t q_t     [M 16.1, 16.2, 16.3]
 *       are the true class without and the likelihood of the reports. */
#ifndef STURDY_LABEL_H
#define STURDY_LABEL_H

#include <stddef.h>

/* Rows with scores. `kind` says what is reported of a row: rows of one kind have
 * the likelihood of the same reports. */
typedef struct {
  int n, C, R;         /* rows, classes, kinds of reports */
  const double *P;     /* [C x n] scores, a row's next to each other */
  const double *S;     /* [C x n] their logs */
  const int *kind;     /* [n] 0..R-1 */
  const double *times; /* [n] how many rows alike each stands for, or NULL */
  int plain;           /* of the points' `M` and `U`, see label_point */
  const int *group;    /* [n] 0..G of `v`, 0 for none, or NULL */
} label_data;

/* A point. Matrices have the true class in their rows. Of plain ones, which
 * stand for alpha I + beta 11', there are the two numbers alone. */
typedef struct {
  const double *M; /* [C x C] takes out the noise that scores have learned, or
                    * NULL: nothing */
  const double *w; /* [C] log weights */
  const double *b; /* [C] slopes */
  const double *U; /* [C x C] overlap beyond the scores, of no entry below 0 */
  const double *L; /* [R x C] likelihood of the reports given the true class */
  const double *v; /* [C x G] log weights of a group beside `w`, or NULL */
} label_point;

/* Derivatives of the log likelihood, in the shapes of a point; M and v may be
 * NULL where the point's are */
typedef struct {
  double *M, *w, *b, *U, *L, *v;
} label_slope;

/* What the points say of rows, each by its weight; weights sum to 1 */
typedef struct {
  double *truth;       /* [C x n] posterior of the true class */
  double *seen;        /* [C x n] the same without the row's reports: these are
                        * left out of the weights, too */
  double *unusual;     /* [n] probability that the label is right and the scores
                        * are of another class */
  double *log_inverse; /* [n] log of the mean of 1/Z; -Inf at first, others 0 */
  double *wrong;       /* [1] expected wrong labels at the last point */
  double *variance;    /* [1] of their number */
} label_said;

/* Doubles of scratch that these functions need */
size_t label_work_size(int C);

/* Log likelihood at a point, and its slope, added to what is there, unless
 * NULL. -Inf where a row can't be or a number is NaN, and what is added to the
 * slope is then of no use. work[label_work_size(C)]. */
double label_value(const label_data *data, const label_point *at,
                   const label_slope *slope, double *work);

/* Adds what a point of this weight says. y[n] labels, 0..C-1. */
void label_add(const label_data *data, const label_point *at, const int *y,
               double weight, const label_said *said, double *work);

/* Probabilities of the true classes without reports, q[C x n], and log Z of the
 * reports of each row, log_z[n], or NULL. */
void label_seen(const label_data *data, const label_point *at, double *q,
                double *log_z, double *work);

#endif
