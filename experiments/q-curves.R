# Curves of q-entropy and q-divergence, as in Figures 1 and 2 of Ding, Qi and
# Vishwanathan (2011): for the Bernoulli distribution and for the Student-t in one
# dimension, where q = 1 + 2/(df + 1). q = 1 gives Shannon's entropy and the
# Kullback-Leibler divergence. The curves are closed forms. At random points they are
# compared with sums and quadrature.

experiment <- list(
  # points a curve is drawn through, and random ones at which it is compared
  settings = list(points = 101, compared = 10, seed = 1),
  quick = list(points = 11, compared = 3),
  in_package = c("quadrature", "q-entropy", "q-divergence"),
  tasks = function(settings) {
    panels <- q_panels()
    tasks <- lapply(seq_along(panels), function(k) {
      cbind(
        all_of(panel = k, q = panels[[k]]$q),
        as.data.frame(panels[[k]][c("figure", "distribution", "against")])
      )
    })
    cbind(do.call(rbind, tasks), settings)
  },
  run = function(task) q_curve(q_panels()[[task$panel]], task),
  tables = function(parts) {
    checks <- parts$checks
    checks <- stats::aggregate(
      relative_gap ~ figure + distribution, checks, max
    )
    names(checks)[3] <- "largest_gap_to_quadrature"
    list(quadrature = checks)
  },
  figures = list(
    "q-entropy" = list(
      width = 8.8, height = 4.4,
      draw = function(parts, tables) draw_q_panels("q-entropy", parts$results)
    ),
    "q-divergence" = list(
      width = 13.2, height = 4.4,
      draw = function(parts, tables) draw_q_panels("q-divergence", parts$results)
    )
  )
)

q_curve <- function(panel, task) {
  x <- seq(panel$from, panel$to, length.out = task$points)
  set_seed(task$seed)
  at <- stats::runif(task$compared, panel$from, panel$to)
  list(
    results = data.frame(x = x, value = panel$value(x, task$q)),
    checks = data.frame(
      x = at, relative_gap = abs(panel$value(at, task$q) / panel$check(at, task$q) - 1)
    )
  )
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

draw_q_panels <- function(figure, curves) {
  panels <- Filter(function(p) p$figure == figure, q_panels())
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
