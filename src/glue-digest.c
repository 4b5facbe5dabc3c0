/* What: glue of the digest. */
#include "glue.h"
#include "digest.h"
#include <inttypes.h>
#include <stdio.h>

/* 32 hexadecimal digits of the raw vector bytes_ */
SEXP glue_digest(SEXP bytes_) {
  if (TYPEOF(bytes_) != RAWSXP) Rf_error("internal error: no raw vector");
  const unsigned char *bytes = RAW_RO(bytes_);
  const size_t n = (size_t)Rf_xlength(bytes_);
  char text[33];
  snprintf(text, sizeof text, "%016" PRIx64 "%016" PRIx64,
           digest_bytes(n, bytes, DIGEST_BASIS),
           digest_bytes(n, bytes, DIGEST_SECOND));
  return Rf_mkString(text);
}
