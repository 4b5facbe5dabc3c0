/* What: FNV-1a in 64 bits.
 *
 * Method: state = (state xor byte) * prime modulo 2^64, byte by byte (Fowler,
 *         Noll and Vo; RFC 9923). */
#include "digest.h"

#define PRIME UINT64_C(0x100000001b3)

uint64_t digest_bytes(size_t n, const unsigned char *bytes, uint64_t state) {
  for (size_t i = 0; i < n; i++) state = (state ^ bytes[i]) * PRIME;
  return state;
}
