/* What: loops on several threads, by OpenMP where the compiler has it. Bodies
 *       of such loops write to places of their own and never poll. */
#ifndef STURDY_THREADS_H
#define STURDY_THREADS_H

#ifdef _OPENMP
#include <omp.h>
#define OMP(directive) _Pragma(#directive)
#else
#define OMP(directive)
#endif

/* Of the threads of a parallel region, from 0 */
static inline int thread_number(void) {
#ifdef _OPENMP
  return omp_get_thread_num();
#else
  return 0;
#endif
}

#endif
