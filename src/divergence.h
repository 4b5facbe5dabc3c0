/* What: Renyi, Tsallis and q-entropy, and the q-divergence, of Bernoulli and
 *       Student-t distributions. Orders and q are continuous at 1, where all
 *       three entropies are Shannon's and the divergence is Kullback-Leibler.
 *
 * Relations, with s = int p^q:
 *   tsallis   = ln_q(exp(renyi))
 *   q-entropy = -ln_q(exp(-renyi)) = tsallis / s                           */
#ifndef STURDY_DIVERGENCE_H
#define STURDY_DIVERGENCE_H

#include <stddef.h>

/* prob in [0, 1]; order >= 0 and finite; else NaN. 0^0 counts as 0: order 0
 * measures the support. */
double bernoulli_renyi(double prob, double order);
double bernoulli_tsallis(double prob, double order);
double bernoulli_q_entropy(double prob, double q);

/* E_escort(prob)[ln_q p - ln_q r], r with the probability `other`; q > 0. +Inf
 * where q >= 1 and `other` rules out what prob does not. */
double bernoulli_q_divergence(double prob, double other, double q);

/* Entropies of St(df, ., S) in d dimensions from log_det = log|S|. */
typedef struct {
  double renyi, tsallis, q_entropy;
} student_entropies;

/* At an order >= 0, finite; else NaN. +Inf where int p^order diverges, for
 * order <= d/(df + d). */
student_entropies student_entropy(int d, double df, double log_det,
                                  double order);

/* At the own index q = 1 + 2/(df + d), in closed form. */
student_entropies student_entropy_own(int d, double df, double log_det);

/* q-divergence from St(df, mu1, S1) to St(df, mu2, S2) at their own index.
 * mu1, mu2 [d]; S1, S2 [d x d], lower triangle read; work as in
 * student_work_size(). The same statuses, too. */
int student_q_divergence(int d, double df, const double *mu1, const double *S1,
                         const double *mu2, const double *S2,
                         double *divergence, double *work);

#endif
