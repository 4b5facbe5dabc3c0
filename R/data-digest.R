# What tells values apart by a few letters, in files that outlive a session.

#' 128 bits that tell values apart, the same in every session, on every machine and with every
#' version of other packages; that of rlang changes from version to version
#'
#' Of bytes as they are, or as serialize() has them, without its header, which names the version
#' of R.
#' @return 32 hexadecimal digits
#' @noRd
digest <- function(x) {
  if (!is.raw(x) || !is.null(attributes(x))) x <- serialize(x, NULL, version = 2)[-(1:14)]
  native_digest(x)
}
