# What sturdy says to packages that it does not need: methods for their generics stand in
# NAMESPACE and wait until their package is loaded; what has to be entered in a registry of
# theirs is entered here, when both are loaded. None of them is loaded for it.

.onLoad <- function(libname, pkgname) {
  when_loaded("parsnip", meet_parsnip)
  when_loaded("mlr3", meet_mlr3)
  when_loaded("marginaleffects", meet_marginaleffects)
}

#' Call a function once a package is loaded: now, or by a hook
#' @noRd
when_loaded <- function(package, enter) {
  if (isNamespaceLoaded(package)) enter()
  setHook(packageEvent(package, "onLoad"), function(...) enter())
}
