# Rates that go up or down with numbers: the log odds of a row's rate, over the most that it can be,
# are those of its group and a straight line in the numbers, which are standardised. Rows alike in both
# are a source [M 13.9].

#' Rows by their groups and numbers
#' @param group a factor. @param Z numbers, a column each, with names.
#' @return list(source, of each row; sources, their names; design: list(of, the group of each source;
#'   names, of the groups; Z, a row a source, standardised; centre, scale))
#' @noRd
rates_design <- function(group, Z) {
  centre <- colMeans(Z)
  Z <- sweep(Z, 2, centre) # first: seconds since 1970 have a mean of 10^9 times their spread
  scale <- sqrt(pmax(colMeans(Z^2), 1e-300))
  Z <- sweep(Z, 2, scale, `/`)
  key <- do.call(paste, c(list(as.integer(group)), as.data.frame(Z)))
  first <- which(!duplicated(key))
  list(
    source = match(key, key[first]), sources = as.character(seq_along(first)),
    design = list(
      of = as.integer(group)[first], names = levels(group), Z = Z[first, , drop = FALSE],
      centre = centre, scale = scale
    )
  )
}

#' The groups that sources are of, which have rates: each its own unless these go by numbers
#' @return list(of, names)
#' @noRd
rate_groups <- function(reports) {
  if (is.null(reports$design)) {
    return(list(of = seq_along(reports$sources), names = reports$sources))
  }
  reports$design[c("of", "names")]
}

#' The noise of the rows of each group, on average
#' @param omega S x C x C. @return G x C x C
#' @noRd
omega_by_group <- function(omega, reports) {
  groups <- rate_groups(reports)
  if (is.null(reports$design)) {
    return(omega)
  }
  size <- source_counts(reports) + 1e-9 # of a group all of whose labels are known
  sums <- rowsum(matrix(omega, dim(omega)[1]) * size, groups$of)
  array(sums / rowsum(size, groups$of)[, 1], c(length(groups$names), dim(omega)[-1]))
}

#' Rates as functions of coordinates, by group
#' @param scale see rate_normals(). @param root G x coordinates of a kind. @param kinds how many.
#' @return list(d; sources; rates(Z), of a column a point: a row a source of each point and a column
#'   a kind; pull(Z, slope), d x K)
#' @noRd
rates_of_groups <- function(scale, root, kinds) {
  sources <- nrow(root)
  scores <- function(Z) {
    of <- array(root %*% matrix(Z, ncol(root)), c(sources, kinds, NCOL(Z)))
    matrix(aperm(of, c(1, 3, 2)), ncol = kinds)
  }
  list(
    d = ncol(root) * kinds, sources = sources,
    rates = function(Z) scale$rates(scores(Z)),
    pull = function(Z, slope) {
      by <- by_point(scale$pull(scores(Z), slope), ncol(Z))
      matrix(crossprod(root, matrix(by, sources)), ncol = ncol(Z))
    }
  )
}

#' The same with slopes: the coordinates of the groups first, then a slope in each number, standard
#' normal
#' @param design see rates_design(). @param size the most that the rates of each kind can be.
#' @noRd
rates_with_slopes <- function(link, design, size) {
  kinds <- length(size)
  mine <- seq_len(link$d)
  size <- rep(size, each = nrow(design$Z))
  share <- function(z) {
    rates <- link$rates(matrix(z[mine], ncol = 1))
    base <- pmax(rates, 1e-300)[design$of, , drop = FALSE] / size
    slopes <- matrix(z[-mine], ncol = kinds)
    list(base = base, here = stats::plogis(stats::qlogis(base) + design$Z %*% slopes))
  }
  list(
    d = link$d + ncol(design$Z) * kinds, sources = nrow(design$Z),
    rates = function(Z) {
      do.call(rbind, lapply(seq_len(ncol(Z)), function(k) size * share(Z[, k])$here))
    },
    pull = function(Z, slope) {
      each <- split(seq_len(nrow(slope)), rep(seq_len(ncol(Z)), each = nrow(design$Z)))
      vapply(seq_len(ncol(Z)), function(k) {
        at <- share(Z[, k])
        by_odds <- slope[each[[k]], , drop = FALSE] * at$here * (1 - at$here)
        by_base <- rowsum(by_odds / (at$base * (1 - at$base)), design$of)
        c(link$pull(Z[mine, k, drop = FALSE], by_base), crossprod(design$Z, size * by_odds))
      }, numeric(nrow(Z)))
    }
  )
}

#' The slopes of rates: log odds of rates are straight lines, so that any of them have them
#' @param rates of a kind by source. @param size the most that they can be.
#' @return one a number, `NA` of rates that are 0
#' @noRd
rates_slopes <- function(rates, design, size) {
  if (any(rates <= 0)) {
    return(rep(NA_real_, ncol(design$Z)))
  }
  within <- function(x) x - stats::ave(x, design$of)
  Z <- apply(design$Z, 2, within)
  qr.coef(qr(matrix(Z, nrow(design$Z))), within(stats::qlogis(rates / size)))
}
