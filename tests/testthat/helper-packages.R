# Evaluates code as if some packages were not installed.
without_packages <- function(packages, code) {
  rlang_namespace <- asNamespace("rlang")
  real <- rlang_namespace$is_installed
  mock <- function(value) {
    unlock <- get("unlockBinding", baseenv())
    unlock("is_installed", rlang_namespace)
    assign("is_installed", value, rlang_namespace)
    lockBinding("is_installed", rlang_namespace)
  }
  mock(function(pkg, ...) all(!pkg %in% packages) && real(pkg, ...))
  on.exit(mock(real))
  force(code)
}

# Other functions in the namespace, until the caller ends
local_mocked <- function(..., frame = parent.frame()) {
  ns <- asNamespace("sturdy")
  unlock <- get("unlockBinding", baseenv())
  put <- function(values) {
    for (name in names(values)) {
      unlock(name, ns)
      assign(name, values[[name]], ns)
      lockBinding(name, ns)
    }
  }
  old <- mget(names(list(...)), envir = ns)
  withr::defer(put(old), frame)
  put(list(...))
}
