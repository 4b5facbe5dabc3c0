/* What: a digest that tells bytes apart. */
#ifndef STURDY_DIGEST_H
#define STURDY_DIGEST_H

#include <stddef.h>
#include <stdint.h>

/* FNV-1a of bytes[n], going on from `state`: that of the bytes before, or a
 * basis. A byte that differs always makes another digest of 64 bits; it is no
 * protection from a forger. */
uint64_t digest_bytes(size_t n, const unsigned char *bytes, uint64_t state);

/* The usual basis, and another one for a second lane */
#define DIGEST_BASIS UINT64_C(0xcbf29ce484222325)
#define DIGEST_SECOND UINT64_C(0x9e3779b97f4a7c15)

#endif
