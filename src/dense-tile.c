/* What: the variants of the innermost loops, and which of them can run here.
 * Method: GCC's and Clang's vector types, so one source serves every width; a
 *   function attribute lets the compiler use registers and instructions beyond
 *   those of the build, and the processor is asked before such a function is
 *   called. Other compilers get scalars. The tile of each is as large as its
 *   registers can hold: 16 of them before AVX-512, 32 with it.
 * Windows: GCC leaves its stack aligned to 16 bytes there, so that a wider
 *   register which it has to spill is written to an address that faults;
 *   nothing above 128 bits is compiled. */
#include "dense-tile.h"
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* Older ones lack a vector times a number, the unrolling that keeps arrays in
 * registers, or ask the processor but not its system */
#if defined(__clang__)
#define HAVE_VECTORS (__clang_major__ >= 10)
#elif defined(__GNUC__) && __GNUC__ >= 8
#define HAVE_VECTORS 1
#else
#define HAVE_VECTORS 0
#endif

#if HAVE_VECTORS && (defined(__x86_64__) || defined(__i386__))
#define HAVE_X86 1
#else
#define HAVE_X86 0
#endif

#if HAVE_X86 && defined(__x86_64__) && !defined(_WIN32)
#define HAVE_WIDE 1
#else
#define HAVE_WIDE 0
#endif

#if defined(__clang__)
#define UNROLL _Pragma("unroll")
#elif HAVE_VECTORS
#define UNROLL _Pragma("GCC unroll 16")
#else
#define UNROLL
#endif

#if HAVE_VECTORS
#define PREFETCH(address) __builtin_prefetch(address)
#else
#define PREFETCH(address) (void)(address)
#endif

/* additions that do not wait for each other: one takes 4 cycles */
#define SLAB_VECTORS 4

#define LANES 1
#define VECTORS 4
#define COLS 4
#define NAME scalar
#define TARGET
#include "tile-loops.h"

#if HAVE_VECTORS
#define LANES 2
#define VECTORS 2
#define COLS 4
#define NAME v128
#define TARGET
#include "tile-loops.h"
#endif

#if HAVE_X86
#define LANES 2
#define VECTORS 2
#define COLS 6
#define NAME v128_fma
/* fma brings AVX with it, whose registers are not to be used here */
#if defined(__clang__)
#define TARGET __attribute__((target("fma")))
#else
#define TARGET __attribute__((target("fma,prefer-vector-width=128")))
#endif
#include "tile-loops.h"
#endif

#if HAVE_WIDE
#define LANES 4
#define VECTORS 2
#define COLS 6
#define NAME v256
#define TARGET __attribute__((target("avx2,fma")))
#include "tile-loops.h"

#define LANES 8
#define VECTORS 3
#define COLS 8
#define NAME v512
#define TARGET __attribute__((target("avx512f")))
#include "tile-loops.h"
#endif

/* exp() is 0 below the one and overflows beyond the other */
#define EXP_LEAST -746.0
#define EXP_MOST 710.0
#define EXP_PER_LOG2 0x1.71547652b82fep+0 /* 1 / log 2 */
/* log 2 to 42 bits, and what is left of it */
#define EXP_LOG2 0x1.62e42fefa38p-1
#define EXP_LOG2_REST 0x1.ef35793c7673p-45
/* added to a number of less than 51 bits it leaves a whole one, in the last bits
 * of the sum; the other is that and the bias of an exponent */
#define EXP_WHOLE 0x1.8p52
#define EXP_BIASED (EXP_WHOLE + 1023)
/* 1/j! */
static const double exp_series[] = {1,
                                    1,
                                    1.0 / 2,
                                    1.0 / 6,
                                    1.0 / 24,
                                    1.0 / 120,
                                    1.0 / 720,
                                    1.0 / 5040,
                                    1.0 / 40320,
                                    1.0 / 362880,
                                    1.0 / 3628800,
                                    1.0 / 39916800,
                                    1.0 / 479001600,
                                    1.0 / 6227020800};

/* Mills' ratio, see hazard.c: data-raw/mills-ratio.py */
#define MILLS 23
static const double mills[MILLS + 1] = {
    1.156848628291894582,        -0.22948753825211315942,
    0.077781598868737687601,     0.025072179301638799991,
    -0.066177600779096305617,    0.061505045840186498751,
    -0.038026592185841386387,    0.016348231281029381022,
    -0.0042012903291873068302,   0.000019530638370790786741,
    0.00045704392357953655532,   -0.00013437427855711350834,
    -0.000024805838451923189768, 0.000022709612709237681783,
    -1.7633239265736746318e-7,   -3.2772876332088650998e-6,
    3.2054316652589572244e-7,    4.9199623314783404915e-7,
    -6.5889744911089537454e-8,   -7.7585202367863426852e-8,
    9.0924761340191464925e-9,    1.1032071151574336462e-8,
    -7.0738985755615886449e-10,  -9.5648329347125511362e-10};
#define NORMAL_TOP 0.398942280401432677939946 /* phi(0) */

/* 2^k of k + EXP_BIASED */
static double power_of(double shifted) {
  uint64_t bits;
  memcpy(&bits, &shifted, sizeof bits);
  bits <<= 52;
  memcpy(&shifted, &bits, sizeof bits);
  return shifted;
}

#define LANES 1
#define NAME scalar
#define TARGET
#include "column-loops.h"

#if HAVE_VECTORS
#define LANES 2
#define NAME v128
#define TARGET
#include "column-loops.h"
#endif

#if HAVE_WIDE
#define LANES 4
#define NAME v256
#define TARGET __attribute__((target("avx2")))
#include "column-loops.h"
#endif

#define VARIANT(label, suffix, lanes, vectors, tile_cols, column)              \
  {                                                                            \
    .name = label, .rows = (lanes) * (vectors), .cols = tile_cols,             \
    .slab = (lanes)*SLAB_VECTORS, .tile = tile_##suffix,                       \
    .solve = solve_##suffix, .both = both_##suffix, .dot = dot_##suffix,       \
    .spread = spread_##column, .decay = decay_##column,                        \
    .hazard = hazard_##column, .pass_on = pass_on_##column                     \
  }

static const dense_variant variants[] = {
    VARIANT("scalar", scalar, 1, 4, 4, scalar),
#if HAVE_VECTORS
    VARIANT("128 bits", v128, 2, 2, 4, v128),
#endif
#if HAVE_X86
    VARIANT("128 bits, FMA", v128_fma, 2, 2, 6, v128),
#endif
#if HAVE_WIDE
    VARIANT("256 bits, AVX2", v256, 4, 2, 6, v256),
    VARIANT("512 bits, AVX-512", v512, 8, 3, 8, v256),
#endif
};

/* The processor and its system can run the first `count` variants */
static int variants_here(void) {
  int count = 1 + HAVE_VECTORS;
#if HAVE_X86
  __builtin_cpu_init();
  count += __builtin_cpu_supports("fma") != 0;
#endif
#if HAVE_WIDE
  if (count == 3) count += __builtin_cpu_supports("avx2") != 0;
  if (count == 4) count += __builtin_cpu_supports("avx512f") != 0;
#endif
  return count;
}

const dense_variant *dense_variant_at(int k) {
  return k >= 0 && k < variants_here() ? variants + k : NULL;
}

const dense_variant *dense_variant_widest(void) {
  return variants + variants_here() - 1;
}
