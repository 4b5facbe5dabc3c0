# What a Bayes point machine says of its inputs as they were given: contrasts of levels and slopes
# per unit of a column on the probit scale, averaged over the nodes [M 7.10]. Its weights are those
# of the encoded inputs, at one point.

weight_components <- c("coefficients", "weights")

#' @param component see [bpm-weights].
#' @return list(object, the fit; weight [K]; A, coefficients x weights; mean and sd, coefficients x K;
#'   scale [K], by which C is multiplied; df)
#' @noRd
coefficient_nodes <- function(object, component) {
  check_posterior(object)
  raw <- check_choice(component, weight_components, "component") == "weights"
  if (raw) object["nodes"] <- list(NULL) # at one point
  names <- object$prior$weights
  A <- if (raw) structure(diag(length(names)), dimnames = list(names, NULL)) else coefficient_map(object)
  each <- lapply(seq_len(node_count(object)), function(k) {
    at <- latent_at(object, k)
    # the scale that w and the nugget share falls out of their ratio
    probit <- !raw && at$prior$nugget > 0
    scale <- if (probit) 1 / at$prior$nugget else exp(at$weights$log_scale)
    variance <- rowSums(native_product(t(A), at$weights$C) * A)
    mean <- sqrt(scale) * drop(A %*% at$weights$mean)
    list(mean = mean, sd = sqrt(scale * pmax(variance, 0)), scale = scale)
  })
  part <- function(name) matrix(unlist(lapply(each, `[[`, name)), nrow(A), dimnames = list(rownames(A), NULL))
  list(
    object = object, weight = node_weight(object), A = A, mean = part("mean"), sd = part("sd"),
    scale = vapply(each, `[[`, 0, "scale"), df = object$spec$df
  )
}

#' The factor by which the covariance of a t is larger than its scale matrix
#' @noRd
t_stretch <- function(df) if (df <= 2) NA_real_ else if (is.finite(df)) df / (df - 2) else 1

coefficient_mean <- function(nodes) drop(nodes$mean %*% nodes$weight)

coefficient_covariance <- function(nodes) {
  over_nodes(nodes$object, function(k) {
    C <- nodes$A %*% tcrossprod(latent_at(nodes$object, k)$weights$C, nodes$A)
    apart <- nodes$mean[, k] - coefficient_mean(nodes)
    t_stretch(nodes$df) * nodes$scale[k] * C + tcrossprod(apart)
  })
}

#' Quantiles of the mixture over nodes
#' @param p at which. @return coefficients x probabilities.
#' @noRd
coefficient_quantiles <- function(nodes, p) {
  each <- lapply(p, function(p) {
    ends <- nodes$mean + nodes$sd * stats::qt(p, nodes$df)
    below <- function(x) drop(stats::pt((x - nodes$mean) / nodes$sd, nodes$df) %*% nodes$weight)
    bisect(below, p, apply(ends, 1, min), apply(ends, 1, max))
  })
  matrix(unlist(each), ncol = length(p), dimnames = list(rownames(nodes$mean), NULL))
}

# From weights to coefficients --------------------------------------------------------

#' The linear map of the weights whose values are slopes per unit of a column and contrasts of
#' levels: the same latent function on the columns of [stats::model.matrix()]
#'
#' Without an intercept the first factor has a coefficient a level, as there; where there is none,
#' centred columns leave a constant.
#' @noRd
coefficient_map <- function(object) {
  coding <- object$blueprint$coding
  intercept <- object$prior$intercept
  factors <- which(vapply(coding, function(c) c$kind != "numeric", NA))
  whole <- if (!intercept) utils::head(factors, 1)
  parts <- lapply(seq_along(coding), function(j) coding_map(coding[[j]], names(coding)[j], j %in% whole))
  input <- c(if (intercept) 0, blueprint_columns(object$blueprint)$group) # that each weight is of
  constant <- c(if (intercept) 1, unlist(lapply(parts, `[[`, "constant")))
  A <- do.call(rbind, lapply(seq_along(parts), function(j) {
    own <- parts[[j]]$map
    map <- matrix(0, nrow(own), length(input), dimnames = list(rownames(own), NULL))
    map[, input == j] <- own
    if (j %in% whole) map + rep(constant, each = nrow(map)) else map
  }))
  moved <- !length(whole) && any(constant != 0)
  rbind(if (moved) matrix(constant, 1, dimnames = list(intercept_name, NULL)), A)
}

#' The part of one input: list(map, coefficients x its weights; constant, what they add to the
#' intercept)
#' @param whole whether every level has a coefficient.
#' @noRd
coding_map <- function(coding, name, whole) {
  if (coding$kind == "numeric") {
    map <- matrix(1 / coding$scale, dimnames = list(name, NULL))
    return(list(map = map, constant = -coding$center / coding$scale))
  }
  B <- if (whole) diag(1, length(coding$levels)) else level_contrasts(coding)
  back <- if (whole) rbind(0, B) else solve(cbind(1, B)) # from values at the levels to a constant and contrasts
  words <- if (whole) coding$levels else c(colnames(B), if (is.null(colnames(B))) seq_len(ncol(B)))
  map <- structure(back[-1, , drop = FALSE], dimnames = list(paste0(name, words), NULL))
  list(map = map, constant = back[1, ])
}

#' The contrasts of a factor: those that its column had when it was fitted, or treatment contrasts
#' @noRd
level_contrasts <- function(coding) {
  of <- function(wanted) {
    levels <- factor(coding$levels, coding$levels)
    stats::contrasts(levels) <- wanted
    stats::contrasts(levels)
  }
  own <- tryCatch(of(coding$contrasts), error = function(cnd) NULL)
  if (is.null(coding$contrasts) || is.null(own)) of("contr.treatment") else own
}

# Ratios of odds ----------------------------------------------------------------------

#' Ratios of the odds of the event, averaged over the rows: with a column larger by one, or a level
#' in the place of the first, all else as it is
#' @return a row a column or level, as weight_table(); `NA` for the intercept and for columns that
#'   can't change alone.
#' @noRd
odds_table <- function(object, level) {
  check_by_ep(object)
  draws <- 1000L
  X <- object$data$X[spread_over(nobs(object), 1000L), , drop = FALSE]
  log_odds <- function(X) average_log_odds(path_link(object, X, draws))
  none <- rep(NA_real_, draws)
  parts <- lapply(seq_along(object$blueprint$coding), function(j) {
    pairs <- compared_inputs(object$blueprint, j, X)
    alone <- stands_alone(object$blueprint, j)
    from <- if (alone) log_odds(pairs$from)
    lapply(pairs$to, function(to) {
      apart <- if (alone) log_odds(to) - from else none
      replace(apart, is.nan(apart), 0) # of odds that are infinite, both
    })
  })
  intercept <- if (object$prior$intercept) stats::setNames(list(none), intercept_name)
  ratios <- exp(do.call(rbind, c(intercept, unlist(parts, recursive = FALSE)))) # a row a term
  ends <- apply(ratios, 1, stats::quantile, c(1 - level, 1 + level) / 2, names = FALSE, na.rm = TRUE)
  data.frame(
    term = rownames(ratios), estimate = apply(ratios, 1, stats::median),
    std.error = apply(ratios, 1, function(r) if (any(r == Inf, na.rm = TRUE)) Inf else stats::sd(r)),
    conf.low = ends[1, ], conf.high = ends[2, ],
    pd = apply(ratios, 1, function(r) max(mean(r > 1), mean(r < 1))), row.names = NULL
  )
}

#' Log odds of the average probability of the event: from logs of both tails, or they were infinite
#' where one rounds to 0, and a difference of two such no number
#' @param z draws of the latent function as path_link() has them. @return one a draw.
#' @noRd
average_log_odds <- function(z) {
  tail <- function(lower) row_log_sum(t(stats::pnorm(z, lower.tail = lower, log.p = TRUE)))
  tail(TRUE) - tail(FALSE)
}

#' Encoded inputs to compare: list(from, to), of an input one larger with itself, of each other
#' level with the first
#' @noRd
compared_inputs <- function(blueprint, j, X) {
  coding <- blueprint$coding[[j]]
  name <- blueprint$columns[j]
  at <- which(blueprint_columns(blueprint)$group == j)
  if (coding$kind == "numeric") {
    more <- X
    more[, at] <- more[, at] + 1 / coding$scale
    return(list(from = X, to = stats::setNames(list(more), name)))
  }
  of_level <- lapply(coding$levels, function(level) {
    X[, at] <- encode_feature(rep(level, nrow(X)), coding)
    X
  })
  names(of_level) <- paste0(name, coding$levels)
  list(from = of_level[[1]], to = of_level[-1])
}

#' Can an input change and all others stay as they are?
#' @noRd
stands_alone <- function(blueprint, j) {
  read <- lapply(blueprint[["term"]], function(term) all.vars(str2lang(term)))
  !length(read) || !any(read[[j]] %in% unlist(read[-j]))
}
