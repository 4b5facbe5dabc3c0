/* What: the multivariate Student-t as a q-exponential,
 *         St(x; df, mu, S) = exp_q(<(x, x x'), theta> - g(theta)),
 *       q = 1 + 2/(df + d), and its escort. df in (0, Inf]; at Inf it is the
 *       Gaussian with its usual natural parameters, reached continuously.
 *
 * Matrices are symmetric [d x d]; of inputs the lower triangle is read, of
 * outputs both are written. Outputs must not overlap inputs. Status: 0,
 * EP_NOT_PD, or EP_BAD_ARG (d < 1, df not above 0, result not finite).     */
#ifndef STURDY_STUDENT_H
#define STURDY_STUDENT_H

#include <stddef.h>

/* 1 - q = -2/(df + d), with digits that q itself cannot hold */
double student_1mq(int d, double df);

/* log c = log Gamma((df+d)/2) - log Gamma(df/2) - (d/2) log(pi df) [M 1.3] */
double student_log_const(int d, double df);

/* doubles of workspace for each of the functions below */
size_t student_work_size(int d);

/* log_det = log|S| */
int student_log_det(int d, const double *S, double *log_det, double *work);

/* theta1[d], theta2[d x d], log_partition = g(theta) [M 1.4]. */
int student_to_natural(int d, double df, const double *mu, const double *S,
                       double *theta1, double *theta2, double *log_partition,
                       double *work);

/* The way back [M 1.5]: mu[d], S[d x d], log_partition. EP_NOT_PD unless
 * -theta2 is positive definite. */
int student_from_natural(int d, double df, const double *theta1,
                         const double *theta2, double *mu, double *S,
                         double *log_partition, double *work);

/* Escort St(df + 2, mu, df/(df+2) S): mean mu, covariance S [M 1.8]. */
void student_escort(int d, double df, const double *S, double *df_escort,
                    double *S_escort);

#endif
