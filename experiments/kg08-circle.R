# Robust Gaussian process classification of two classes separated by a circle, with two
# wrong labels among 40, as in Table 1 and Figure 1 of Kim and Ghahramani (2008). We do not
# have their points or the values of their table. Here the points are uniform on the square
# [-1, 1]^2, and the event is the inside of the circle about 0 that contains half of the
# square's area. The two flipped labels are gross errors: they are drawn at random among the
# points further than `gap` from the circle. Errors are measured on a grid of 10,000 points
# with their true labels. The kernel has one lengthscale, a bias and a nugget, all learned by
# the evidence without any prior. The methods are described in kg08.R.

sys.source(file.path(experiments, "kg08.R"), environment())

experiment <- list(
  settings = list(replications = 20, seed = 1, points = 40, flipped = 2, gap = 0.25),
  quick = list(replications = 2),
  in_package = c("table", "paired", "kg08-circle"),
  needs = "kernlab",
  tasks = function(settings) {
    cbind(
      seed = seeds_of(settings),
      as.data.frame(settings[c("points", "flipped", "gap")])
    )
  },
  run = function(task) {
    d <- circle_problem(task$seed, task$points, task$flipped, task$gap)
    kg08_rows(d, circle_kernel(), scale = FALSE, seed = task$seed)
  },
  tables = function(parts) {
    list(table = circle_table(parts$results), paired = kg08_paired(parts$results))
  },
  figures = list("kg08-circle" = list(
    width = 9.6, height = 5.2,
    draw = function(parts, tables) draw_circle(parts$results[1, ])
  ))
)

circle_radius <- sqrt(2 / pi)

circle_kernel <- function() kernel_iso(prior = NULL)

circle_class <- function(x) {
  factor(sqrt(rowSums(x^2)) < circle_radius, c(FALSE, TRUE), c("outside", "inside"))
}

circle_grid <- function() {
  side <- (seq_len(100) - 0.5) / 50 - 1
  as.matrix(all_of(x1 = side, x2 = side))
}

circle_problem <- function(seed, points, flipped, gap) {
  set_seed(seed)
  x <- matrix(stats::runif(2 * points, -1, 1), ncol = 2)
  colnames(x) <- c("x1", "x2")
  far <- which(abs(sqrt(rowSums(x^2)) - circle_radius) > gap)
  wrong <- far[sample.int(length(far), flipped)]
  y <- circle_class(x)
  y[wrong] <- rev(levels(y))[as.integer(y[wrong])]
  grid <- circle_grid()
  list(
    x = x, y = y, flipped = seq_len(points) %in% wrong,
    x_test = grid, y_test = circle_class(grid)
  )
}

# Means, and in how many replications the flipped labels are ranked before all others
circle_table <- function(rows) {
  table <- kg08_means(rows)
  ranked_first <- tapply(rows$found == 1, rows$method, sum)
  table$ranked_first <- as.integer(ranked_first[table$method])
  table
}

# Figure ----------------------------------------------------------------------

# The first replication
draw_circle <- function(row) {
  d <- circle_problem(row$seed, row$points, row$flipped, row$gap)
  graphics::par(mfrow = c(1, 2), pty = "s", oma = c(1.6, 0, 0, 0))
  titles <- c(gpc = "GPC, epsilon = 0", gradient = "robust GPC")
  for (method in names(titles)) {
    fit <- observe(kg08_fit(method, d, circle_kernel(), scale = FALSE))$value
    p <- predict(fit, d$x_test, type = "prob")[, "inside"]
    circle_panel(d, matrix(p, 100), titles[[method]])
  }
  graphics::par(
    fig = c(0, 1, 0, 1), oma = numeric(4), mar = numeric(4), xpd = NA, new = TRUE
  )
  graphics::plot.new()
  graphics::legend(
    "bottom", horiz = TRUE, bty = "n", cex = 0.9, inset = 0.005, seg.len = 2.5,
    text.width = graphics::strwidth("probability 1/2"),
    legend = c("inside", "outside", "flipped", "probability 1/2", "true circle"),
    pch = c(3, 1, 0, NA, NA), lty = c(NA, NA, NA, 1, 2),
    col = c(circle_colours, "black", "black", "black")
  )
}

circle_colours <- c("#D55E00", "#0072B2") # inside, outside

# Shading: probability of the event; full line: where it is 1/2; dashed: the truth
circle_panel <- function(d, p, title) {
  side <- (seq_len(100) - 0.5) / 50 - 1
  graphics::image(
    side, side, p,
    col = grDevices::grey(seq(1, 0.6, length.out = 41)), zlim = c(0, 1),
    xlab = "x1", ylab = "x2", main = title
  )
  graphics::contour(
    side, side, p, levels = 0.5, drawlabels = FALSE, add = TRUE, lwd = 2
  )
  angle <- seq(0, 2 * pi, length.out = 201)
  graphics::lines(circle_radius * cos(angle), circle_radius * sin(angle), lty = 2)
  inside <- d$y == "inside"
  graphics::points(
    d$x, pch = ifelse(inside, 3, 1), col = circle_colours[2 - inside], lwd = 1.8
  )
  graphics::points(d$x[d$flipped, , drop = FALSE], pch = 0, cex = 2.4, lwd = 2)
}
