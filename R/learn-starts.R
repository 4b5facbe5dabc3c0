# Where searches start: in logs at offsets from the given values, in normal coordinates as the
# heuristics have it, or from the modes of a simpler noise model.

learn_tied <- c("lengthscale", "prior_scale") # one factor for all in the race

#' Starting points: the given one, then others at fixed offsets
#'
#' Offsets of (log lengthscale, log nugget, epsilon) chosen to lie in different
#' basins: wiggly with few flips, smooth with many, and between. A prior scale
#' moves as 1/lengthscale^2. Both epsilon = 0 and 1/2 are traps (the gradient on
#' the logit scale dies), so all start inside.
#' @noRd
learn_starts <- function(problem, restarts) {
  offset <- rbind(
    c(0, 0, 0.05), c(-1, -1.5, 0.02), c(1, 0.5, 0.15), c(-0.5, 1.5, 0.1),
    c(0.5, -1.5, 0.2), c(-1.5, 0, 0.05), c(1.5, -1, 0.02)
  )
  pick <- rep_len(seq_len(nrow(offset)), restarts + 1L)
  round <- (seq_along(pick) - 1L) %/% nrow(offset)
  lapply(seq_along(pick), function(k) {
    d <- offset[pick[k], ] * (1 + 0.5 * round[k])
    par <- problem$start
    at <- problem$field
    par[at == "lengthscale"] <- par[at == "lengthscale"] + d[1]
    par[at == "prior_scale"] <- par[at == "prior_scale"] - 2 * d[1]
    list(par = learn_move_noise(problem, par, d[2], min(d[3], 0.3)))
  })
}

#' The first start with a larger nugget and, when it is learned, a larger epsilon: t-EP needs
#' more of it to have a fixed point
#' @noRd
learn_noisier <- function(problem) {
  par <- learn_starts(problem, 0)[[1]]$par
  lapply(c(4, 16, 64), function(times) {
    list(par = learn_move_noise(problem, par, log(times), min(0.02 * times, 0.4)))
  })
}

#' Other overlap and wrong labels: the log nugget by a step, the flip rates to a value
#' @noRd
learn_move_noise <- function(problem, par, step, rate) {
  at <- problem$field
  par[at == "nugget"] <- par[at == "nugget"] + step
  par[at == "epsilon"] <- stats::qlogis(2 * rate)
  learn_within(problem, par)
}

# In normal coordinates --------------------------------------------------------

# Shifts of the log lengthscale and, in sds, of the nugget, and rates of wrong labels. Without
# them: as the heuristics have it, smooth with much noise, wiggly with little.
average_alone <- list(
  none = list(c(0, -0.55), c(0.3, 1.15), c(-1, -1.35)),
  rates = list(c(0, -0.55, 0.05), c(-1, -1.35, 0.05), c(0.7, 0.5, 0.15))
)
# From how many modes of the first of these noise models that was sought the search goes on,
# with which rates, and where it starts besides
average_ways <- list(
  one = list(from = "none", modes = 2L, rates = 0.03, besides = list(c(0.7, -0.9, 0.15))),
  two = list(from = "one", modes = 1L, rates = list(c(0.05, 0.05), c(0.2, 0.01), c(0.01, 0.2))),
  first = list(from = c("two", "one"), modes = 1L, rates = 0.1),
  second = list(from = c("two", "one"), modes = 1L, rates = 0.1)
)

#' Where the search under a noise model starts: from the modes of the simpler one, or of the
#' kernel that classes share
#' @param shared the noise model there: list(problem, modes), or `NULL`.
#' @noRd
average_from <- function(problem, name, noise, found, shared = NULL) {
  if (!is.null(shared) && length(problem$latent$hyper$nugget) > 1) {
    return(lapply(shared$modes, pooled_start, problem = problem, from = shared$problem))
  }
  kinds <- noise_kinds[[name]]
  root <- rate_root(noise$groups, noise$pooling)
  slopes <- numeric(length(kinds) * sum(ncol(noise$design$Z)))
  normals <- function(e) {
    z <- mapply(function(e, kind) rate_normal(e, noise$rate[[kind]]), e, kinds)
    z <- solve(root, matrix(z, nrow(root), length(kinds), byrow = TRUE))
    c(inside(as.vector(z)), slopes)
  }
  alone <- function(starts) {
    lapply(starts, function(at) average_start(at, problem, if (length(kinds)) normals(at[3])))
  }
  way <- average_ways[[name]]
  before <- found[intersect(way$from, names(found))]
  before <- if (length(before)) before[[1]]
  if (is.null(before)) {
    return(alone(average_alone[[if (length(kinds)) "rates" else "none"]]))
  }
  onward <- lapply(utils::head(before$modes, way$modes), function(mode) {
    lapply(way$rates, function(e) average_onward(problem, mode, before$problem, normals(e)))
  })
  c(unlist(onward, recursive = FALSE), alone(way$besides))
}

average_start <- function(shift, problem, rates = NULL) {
  at <- problem$field
  z <- numeric(length(at))
  name <- intersect(learn_tied, at)
  if (length(name)) {
    # the coordinates of a common factor exp(shift): root z = shift
    toward <- if (name == "lengthscale") shift[1] else -2 * shift[1]
    from <- log(unlist(problem$latent$hyper[[name]])) - problem$latent$prior[[name]]$meanlog
    z[at == name] <- nearest_normals(prior_root(problem$latent, name), from + toward)
  }
  if ("nugget" %in% at) z[at == "nugget"] <- nugget_start(shift[2], problem$latent$prior$nugget)
  z[at == "epsilon"] <- rates
  list(par = inside(z))
}

#' The coordinates z nearest to root z = score: kernels by class have not as many as values
#' @noRd
nearest_normals <- function(root, score) {
  if (nrow(root) == ncol(root)) {
    return(solve(root, score))
  }
  solve(crossprod(root) + diag(1e-9, ncol(root)), crossprod(root, score))
}

#' The coordinate of a nugget so many sds from the centre of its prior, that of the wide part where
#' it has two
#' @noRd
nugget_start <- function(sds, prior) {
  curve <- nugget_curve(prior)
  if (is.null(curve)) sds else curve$normal(prior$meanlog + sds * prior$sdlog)
}

#' From the modes of one noise model to starts of another: its kernel, and these rates; and the
#' curvature that the function has there, for that of overlap is another beside other rates
#' @noRd
average_onward <- function(problem, mode, from, rates) {
  kernel <- problem$field != "epsilon"
  z <- numeric(length(kernel))
  z[kernel] <- mode$par[from$field != "epsilon"]
  z[!kernel] <- rates
  curvature <- diag(problem$curvature, length(z))
  noise <- c("epsilon", overlap_names)
  its <- !from$field %in% noise
  if (!is.null(mode$H)) {
    mine <- !problem$field %in% noise
    curvature[mine, mine] <- mode$H[its, its]
  }
  list(par = z, sites = mode$sites, curvature = curvature)
}

#' Where all classes have the kernel of a mode that they share
#'
#' @param problem of the kernels by class. @param mode,from a mode and its problem.
#' @return list(par, sites, curvature), for learn_walk(): the data are taken to tell as much of
#'   each class.
#' @noRd
pooled_start <- function(problem, mode, from) {
  classes <- problem$latent$classes
  kernel <- problem$field != "epsilon"
  its <- from$field != "epsilon"
  latent <- from$latent
  value <- rep(latent$free, lengths(latent$hyper[latent$free]))
  place <- unlist(lapply(latent$free, function(name) rep(which(value == name), classes)))
  class <- unlist(lapply(latent$free, function(name) {
    rep(seq_len(classes), each = sum(value == name))
  }))
  par <- numeric(length(kernel))
  par[kernel] <- nearest_normals(problem$root, drop(from$root %*% mode$par[its])[place])
  rates <- min(sum(!kernel), sum(!its))
  par[!kernel] <- utils::head(mode$par[!its], rates)
  # of the data alone, in the shared coordinates, as functions of those of each class
  data <- mode$H - diag(length(its))
  curvature <- diag(length(kernel))
  for (c in seq_len(classes)) {
    mine <- class == c
    to <- matrix(0, length(its), length(kernel))
    own <- problem$root[mine, , drop = FALSE][order(place[mine]), , drop = FALSE]
    to[its, kernel] <- nearest_normals(from$root, own)
    to[cbind(which(!its), which(!kernel))[seq_len(rates), , drop = FALSE]] <- 1
    curvature <- curvature + crossprod(to, data %*% to) / classes
  }
  list(par = inside(par), sites = mode$sites, curvature = curvature)
}

# Off the ends of normal coordinates
inside <- function(z) pmin(pmax(z, 1 - average_far), average_far - 1)
