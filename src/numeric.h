/* What: the core's only door to Rmath, BLAS and LAPACK, and the notation that
 *       every core file shares.
 *
 * Notation (that of vignettes/articles/mathematics.Rmd, one word per thing)
 *   K   prior covariance [n x n]         tau, nu   site natural parameters [n]
 *   T   diag(tau)                        C         (K^-1 + T)^-1, scaled
 *   A   diag(C) [n]                      m         C nu [n]
 *   D   log|I + K T|                     h         nu' m
 *   df  degrees of freedom v, R_PosInf for the Gaussian
 *   q   1 + 2/(v + d), 1 at df = Inf     u         1 - tau A
 * Symmetric matrices live in the lower triangle, column-major:
 * A[i + (size_t) j * n], i >= j. i, j run over observations, k over features.
 *
 * References
 *   M      vignettes/articles/mathematics.Rmd by equation: [M 2.3] is its (2.3)
 *   FSS17  Futami, Sato, Sugiyama, Expectation propagation for t-exponential
 *          family using q-algebra, NIPS 2017
 *   DQV11  Ding, Qi, Vishwanathan, t-divergence based approximate inference,
 *          NIPS 2011
 *   KG08   Kim, Ghahramani, Outlier robust Gaussian process classification,
 *          SSPR 2008
 *   RW06   Rasmussen, Williams, Gaussian processes for machine learning,
 *          MIT Press 2006
 *   M01    Minka, A family of algorithms for approximate Bayesian inference,
 *          PhD thesis, MIT 2001
 *   WN11   Walker, Ni, Anderson acceleration for fixed-point iterations,
 *          SIAM J. Numer. Anal. 49, 2011
 *   OPW13  Opper, Paquet, Winther, Perturbative corrections for approximate
 *          inference in Gaussian latent variable models, J. Mach. Learn. Res.
 *          14, 2013
 *   SS86   Saad, Schultz, GMRES, SIAM J. Sci. Stat. Comput. 7, 1986 */
#ifndef STURDY_NUMERIC_H
#define STURDY_NUMERIC_H

#if defined(R_INTERNALS_H_)
#error "the core must not see Rinternals.h"
#endif

#ifndef USE_FC_LEN_T
#define USE_FC_LEN_T
#endif
#include <Rconfig.h>
#include <Rmath.h>
#include <R_ext/BLAS.h>
#include <R_ext/Lapack.h>
/* Rmath renames its F density and its beta function: both names are ours */
#undef df
#undef beta
#include "workspace.h"
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#ifndef FCONE
#define FCONE
#endif

#endif
