/* What: answers of rows from those of scores at even steps. */
#ifndef STURDY_LABEL_STEPS_H
#define STURDY_LABEL_STEPS_H

/* Each of m answers of n rows by the cubic through those of four steps that
 * follow each other, the first of them at[n], the row u[n] of a step beyond the
 * second. step[m x steps], a step's next to each other; row[n x m]. */
void label_between(int n, const int *at, const double *u, int m,
                   const double *step, double *row);

#endif
