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

#define VARIANT(label, suffix, lanes, vectors, tile_cols)                      \
  {                                                                            \
    .name = label, .rows = (lanes) * (vectors), .cols = tile_cols,             \
    .slab = (lanes)*SLAB_VECTORS, .tile = tile_##suffix,                       \
    .solve = solve_##suffix, .both = both_##suffix                             \
  }

static const dense_variant variants[] = {
    VARIANT("scalar", scalar, 1, 4, 4),
#if HAVE_VECTORS
    VARIANT("128 bits", v128, 2, 2, 4),
#endif
#if HAVE_X86
    VARIANT("128 bits, FMA", v128_fma, 2, 2, 6),
#endif
#if HAVE_WIDE
    VARIANT("256 bits, AVX2", v256, 4, 2, 6),
    VARIANT("512 bits, AVX-512", v512, 8, 3, 8),
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
