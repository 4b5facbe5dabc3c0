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
  for (name in names(list(...))) {
    old <- get(name, ns)
    put <- function(value) {
      unlockBinding(name, ns)
      assign(name, value, ns)
      lockBinding(name, ns)
    }
    put(list(...)[[name]])
    withr::defer(put(old), frame)
  }
}
