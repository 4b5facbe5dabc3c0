# Curves of q-entropy and q-divergence, as in Figures 1 and 2 of Ding, Qi and
# Vishwanathan (2011): for the Bernoulli distribution and for the Student-t in
# one dimension, where q = 1 + 2/(df + 1). q = 1 is Shannon's entropy and the
# Kullback-Leibler divergence.
#
#   Rscript q-curves.R [replications] [folder]
#
# or, in R,
#
#   source(system.file("experiments", "q-curves.R", package = "sturdy"))
#   experiment_q_curves(folder = tempdir())
#
# The curves are closed forms. Nothing in them is random; the seed is for the
# points at which they are compared with quadrature.

library(sturdy)
source(system.file("experiments", "helper.R", package = "sturdy"))

#' @param seed for the points of the comparison. @param replications number of
#'   these points on every curve. @param points points a curve is drawn through.
#' @return the curves (invisibly): a data frame of figure, distribution, q, x,
#'   value; saved as q-curves.csv with q-entropy.png and q-divergence.png.
experiment_q_curves <- function(seed = 1,
                                replications = 10,
                                folder = "results",
                                points = 101) {
  set.seed(seed)
  panels <- q_panels()
  curves <- list()
  worst <- 0
  cli::cli_progress_bar("curves", total = sum(lengths(lapply(panels, `[[`, "q"))))
  for (panel in panels) {
    for (q in panel$q) {
      x <- seq(panel$from, panel$to, length.out = points)
      curves[[length(curves) + 1]] <- data.frame(
        figure = panel$figure, distribution = panel$distribution,
        against = panel$against, q = q, x = x, value = panel$value(x, q)
      )
      at <- stats::runif(replications, panel$from, panel$to)
      gap <- abs(panel$value(at, q) / panel$check(at, q) - 1)
      worst <- max(worst, gap)
      cli::cli_progress_update()
    }
  }
  curves <- do.call(rbind, curves)
  save_results(curves, folder, "q-curves")
  for (figure in c("q-entropy", "q-divergence")) {
    file <- file.path(folder, paste0(figure, ".png"))
    draw_q_panels(Filter(function(p) p$figure == figure, panels), curves, file)
  }
  cat(sprintf(
    "Largest relative difference from quadrature: %.1e (%d points a curve)\n",
    worst, replications
  ))
  invisible(curves)
}

# What is drawn -----------------------------------------------------------------

# df of the one-dimensional t with index q
q_df <- function(q) if (q == 1) Inf else 2 / (q - 1) - 1

one_t <- function(mean, var, q) mvt(mean, matrix(var), df = q_df(q))

# Each panel: curves `value(x, q)` and the same by quadrature, `check(x, q)`
q_panels <- function() {
  over_x <- function(f) function(x, q) vapply(x, f, numeric(1), q = q)
  bernoulli <- c(0.1, 0.5, 1, 1.5, 1.9)
  student <- c(1, 1.3, 1.6, 1.9)
  list(
    list(
      figure = "q-entropy", distribution = "Bernoulli(p)", against = "p",
      q = bernoulli, from = 0.005, to = 0.995,
      value = function(x, q) q_entropy(x, q = q),
      check = over_x(function(x, q) by_sum(c(x, 1 - x), NULL, q))
    ),
    list(
      figure = "q-entropy", distribution = "Student-t, scale s2",
      against = "s2", q = student, from = 0.05, to = 10,
      value = over_x(function(x, q) q_entropy(one_t(0, x, q))),
      check = over_x(function(x, q) by_integral(c(0, x), NULL, q))
    ),
    list(
      figure = "q-divergence", distribution = "Bernoulli(p) from Bernoulli(1/2)",
      against = "p", q = bernoulli, from = 0.005, to = 0.995,
      value = function(x, q) q_divergence(x, 0.5, q = q),
      check = over_x(function(x, q) by_sum(c(x, 1 - x), c(0.5, 0.5), q))
    ),
    list(
      figure = "q-divergence", distribution = "t with mean m from t with mean 0",
      against = "m", q = student, from = -4, to = 4,
      value = over_x(function(x, q) q_divergence(one_t(x, 1, q), one_t(0, 1, q))),
      check = over_x(function(x, q) by_integral(c(x, 1), c(0, 1), q))
    ),
    list(
      figure = "q-divergence", distribution = "t with scale s2 from t with scale 1",
      against = "s2", q = student, from = 0.05, to = 4,
      value = over_x(function(x, q) q_divergence(one_t(0, x, q), one_t(0, 1, q))),
      check = over_x(function(x, q) by_integral(c(0, x), c(0, 1), q))
    )
  )
}

# The definitions, E_escort[ln_q p - ln_q r]: by a sum for probabilities, by
# quadrature for a t given as c(mean, scale). Without r: the entropy.
by_sum <- function(p, r, q) {
  other <- if (is.null(r)) 0 else -ln_q(r, q)
  sign <- if (is.null(r)) -1 else 1
  sign * sum(p^q * (ln_q(p, q) + other)) / sum(p^q)
}

by_integral <- function(p, r, q) {
  log_density <- function(x, t) {
    stats::dt((x - t[1]) / sqrt(t[2]), q_df(q), log = TRUE) - log(t[2]) / 2
  }
  # from logarithms, for the normal density underflows far out
  ln_density <- function(x, t) {
    l <- log_density(x, t)
    if (q == 1) l else expm1((1 - q) * l) / (1 - q)
  }
  over_line <- function(f) {
    centred <- function(z) f(p[1] + sqrt(p[2]) * z) * sqrt(p[2])
    side <- function(a, b) stats::integrate(centred, a, b, rel.tol = 1e-10)$value
    side(-Inf, 0) + side(0, Inf)
  }
  escort <- function(x) exp(q * log_density(x, p))
  gain <- function(x) ln_density(x, p) - if (is.null(r)) 0 else ln_density(x, r)
  value <- over_line(function(x) {
    weight <- escort(x)
    ifelse(weight > 0, weight * gain(x), 0)
  }) / over_line(escort)
  if (is.null(r)) -value else value
}

# Figure ----------------------------------------------------------------------

draw_q_panels <- function(panels, curves, file) {
  figure_png(file, 4.4 * length(panels), 4.4)
  on.exit(grDevices::dev.off())
  graphics::par(mfrow = c(1, length(panels)), cex = 1)
  for (panel in panels) {
    mine <- curves[curves$distribution == panel$distribution &
      curves$figure == panel$figure, ]
    top <- max(mine$value)
    graphics::plot(
      range(mine$x), c(min(0, mine$value), top),
      type = "n", main = panel$distribution, xlab = panel$against,
      ylab = panel$figure
    )
    for (k in seq_along(panel$q)) {
      curve <- mine[mine$q == panel$q[k], ]
      graphics::lines(
        curve$x, curve$value,
        col = figure_colours[k], lty = figure_lines[k]
      )
    }
    graphics::legend(
      q_legend_place(panel),
      legend = paste("q =", panel$q), bty = "n", cex = 0.85, seg.len = 3,
      col = figure_colours[seq_along(panel$q)], lty = figure_lines[seq_along(panel$q)]
    )
  }
}

# where the curves leave room
q_legend_place <- function(panel) {
  if (panel$figure == "q-entropy" && panel$against == "p") return("bottom")
  if (panel$against == "s2" && panel$figure == "q-entropy") return("topleft")
  "top"
}

if (sys.nframe() == 0L) {
  given <- script_arguments(10L)
  experiment_q_curves(replications = given$replications, folder = given$folder)
}
