# Workers are other processes: they need an installed package, not a loaded one
skip_unless_workers <- function() {
  skip_on_cran()
  found <- system.file(package = "sturdy", lib.loc = .libPaths())
  skip_if_not(
    nzchar(found) && normalizePath(found) ==
      normalizePath(getNamespaceInfo("sturdy", "path")),
    "the package is not installed"
  )
}

# Polls, for at most `seconds`
wait_for <- function(condition, seconds) {
  condition <- substitute(condition)
  frame <- parent.frame()
  until <- Sys.time() + seconds
  while (!eval(condition, frame) && Sys.time() < until) Sys.sleep(0.1)
}
