# The problems of problems.R: tables of data, a seed each, and what is fitted to them.

problem_seed <- function(seed) {
  suppressWarnings(set.seed(
    seed,
    kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection"
  ))
}

inputs <- function(n, p) {
  matrix(stats::rnorm(n * p), n, p, dimnames = list(NULL, paste0("x", seq_len(p))))
}

two_classes <- function(side) factor(ifelse(side, "yes", "no"))

flipped <- function(side, rate) xor(side, stats::runif(length(side)) < rate)

# Rows to fit and seven more of the same kind: list(x, y, new); `side` of all inputs
made <- function(n, p, side, rate = 0.1, change = identity) {
  X <- inputs(n + 7, p)
  right <- side(X)
  x <- change(X)
  y <- two_classes(flipped(right, rate))[seq_len(n)]
  list(x = x[seq_len(n), , drop = FALSE], y = y, new = x[n + 1:7, , drop = FALSE])
}

curve <- function(X) X[, 1] + X[, 1]^2 / 2 - 0.4 + X[, ncol(X)] / 2 > 0
straight <- function(X) rowSums(X[, seq_len(min(3, ncol(X))), drop = FALSE]) > 0.2

with_levels <- function(X) {
  data.frame(
    X,
    site = factor(c("a", "b", "c")[1 + (X[, 2] > -0.5) + (X[, 2] > 0.8)]),
    smoker = X[, 1] + sin(5 * X[, 2]) > 0
  )
}

of_set <- function(name, every, event = NULL, rate = 0, first = 1) {
  d <- sturdy_data(name)
  x <- d[vapply(d, is.numeric, NA)]
  x <- x[vapply(x, function(column) length(unique(column)) > 1, NA)]
  rows <- seq(first, nrow(d), every)
  rest <- setdiff(seq_len(nrow(d)), rows)
  new <- x[if (length(rest)) rest[round(seq(1, length(rest), length.out = 7))] else rows[1:7], ]
  y <- if (is.null(event)) d$class[rows] else two_classes(flipped(d$class[rows] %in% event, rate))
  list(x = x[rows, ], y = y, new = new)
}

two_tables <- list(
  two = function() list(x = cbind(a = c(-1, 1)), y = c("no", "yes"), new = cbind(a = -3:3)),
  four = function() made(4, 1, function(X) X[, 1] > stats::median(X[1:4, 1]), 0),
  nine = function() made(9, 2, function(X) X[, 1] > stats::median(X[1:9, 1]), 0),
  small20 = function() made(20, 2, straight, 0.1),
  curve40 = function() made(40, 2, curve),
  curve60 = function() made(60, 3, curve),
  curve100 = function() made(100, 4, curve),
  curve150 = function() made(150, 2, curve, 0.15),
  clean80 = function() made(80, 3, straight, 0),
  clean120 = function() made(120, 2, curve, 0),
  overlap80 = function() made(80, 2, function(X) X[, 1] + stats::rnorm(nrow(X)) > 0, 0),
  one_sided90 = function() {
    d <- made(90, 2, curve, 0)
    d$y[d$y == "yes" & stats::runif(90) < 0.25] <- "no"
    d
  },
  rare90 = function() made(90, 3, function(X) X[, 1] > 1.2, 0.03),
  wide30 = function() made(30, 60, straight),
  wide60 = function() made(60, 100, straight),
  levels70 = function() made(70, 2, straight, 0.1, with_levels),
  twice60 = function() {
    d <- made(30, 2, straight, 0)
    again <- c(1:30, 1:30)
    y <- d$y[again]
    y[c(31, 45)] <- ifelse(y[c(31, 45)] == "yes", "no", "yes")
    list(x = d$x[again, ], y = y, new = d$new)
  },
  grid64 = function() {
    x <- as.matrix(expand.grid(a = 1:8, b = 1:8))
    y <- flipped((x[, 1] - 4.5) * (x[, 2] - 4.5) > 0, 0.06)
    list(x = x, y = two_classes(y), new = x[c(1, 9, 20, 30, 40, 50, 64), ] + 0.25)
  },
  chance60 = function() made(60, 3, function(X) stats::runif(nrow(X)) < 0.5, 0),
  far70 = function() made(70, 2, straight, 0.05, function(X) {
    X[3:5, 1] <- X[3:5, 1] + c(20, -30, 50)
    X
  }),
  thyroid108 = function() of_set("newthyroid", 2, c("hyper", "hypo")),
  thyroid_flips = function() of_set("newthyroid", 2, c("hyper", "hypo"), 0.1),
  ionosphere88 = function() of_set("ionosphere", 4, "good", 0.05),
  pima96 = function() of_set("pima", 8, "pos"),
  synth125 = function() of_set("synth", 10, "1", 0.08),
  curve250 = function() made(250, 2, curve),
  curve400 = function() made(400, 3, curve)
)

# Classes by the nearest of their centres; `rate` of the labels are another class
nearest_class <- function(n, p, classes, rate, spread = 1, pair = 0) {
  centres <- matrix(stats::rnorm(classes * p, sd = 2), classes, p)
  true <- rep_len(seq_len(classes), n + 7)
  x <- centres[true, ] + spread * inputs(n + 7, p)
  colnames(x) <- paste0("x", seq_len(p))
  wrong <- stats::runif(n + 7) < rate
  y <- true
  y[wrong] <- (true[wrong] + sample(classes - 1, sum(wrong), TRUE) - 1) %% classes + 1
  y[y == 1 & stats::runif(n + 7) < pair] <- 2
  list(
    x = x[seq_len(n), ], y = factor(LETTERS[y])[seq_len(n)], new = x[n + 1:7, ]
  )
}

class_tables <- list(
  three9 = function() nearest_class(9, 2, 3, 0),
  three30 = function() nearest_class(30, 2, 3, 0.1),
  three60 = function() nearest_class(60, 2, 3, 0.1),
  three90 = function() nearest_class(90, 3, 3, 0),
  pair90 = function() nearest_class(90, 2, 3, 0, pair = 0.3),
  overlap75 = function() nearest_class(75, 2, 3, 0, spread = 2),
  wide3 = function() nearest_class(36, 40, 3, 0.1),
  four80 = function() nearest_class(80, 3, 4, 0.1),
  five75 = function() nearest_class(75, 2, 5, 0.05),
  iris75 = function() {
    rows <- seq(1, 150, 2)
    list(
      x = datasets::iris[rows, 1:4], y = datasets::iris$Species[rows],
      new = datasets::iris[seq(2, 150, 22), 1:4]
    )
  },
  thyroid3 = function() of_set("newthyroid", 3),
  levels3 = function() {
    d <- nearest_class(60, 2, 3, 0.1)
    list(x = with_levels(d$x), y = d$y, new = with_levels(d$new))
  }
)

many_tables <- list(
  many2 = function() made(2500, 2, curve),
  many5 = function() made(2500, 5, straight, 0.05),
  many_levels = function() made(1800, 2, straight, 0.1, with_levels)
)

many_class_tables <- list(many3 = function() nearest_class(2500, 2, 3, 0.1))

# What is fitted -------------------------------------------------------------

# One way to fit: `how` is what the answers hang on (held, optimum, average); `edit` makes
# more arguments of the data; `after` changes the fit.
way <- function(how, verb, ..., edit = NULL, after = NULL) {
  list(how = how, verb = verb, args = list(...), edit = edit, after = after)
}

every <- function(k) {
  force(k)
  function(data) list(trusted = seq_along(data$y) %% k == 0)
}
groups <- function(data) list(rates = rep_len(c("north", "south"), length(data$y)))
both <- function(data) c(every(5)(data), groups(data))

# the rows 1, 6, 11, ... looked up, and every second one of them found wrong
looked_up <- function(fit, data) {
  row <- seq(1, min(length(data$y), 51), 5)
  y <- factor(data$y)
  label <- as.integer(y[row])
  wrong <- seq_along(row) %% 4 == 0
  label[wrong] <- label[wrong] %% nlevels(y) + 1L
  update(fit, checked = data.frame(row = row, label = levels(y)[label]))
}
more_rows <- function(fit, data) absorb(fit, data$new, rep_len(unique(data$y), 7))

held_iso <- kernel_iso(lengthscale = 1.5, nugget = 0.2, fixed = TRUE)
held_ard <- kernel_ard(lengthscale = 2, variance = 2, nugget = 0.5, fixed = TRUE)
partly <- kernel_iso(lengthscale = 1.5, fixed = c("lengthscale", "variance", "bias"))
two_rates <- c(neg = 0.02, pos = 0.15)
only_flips <- noise_prior(c(none = 0, one = 1, two = 1), 9)
tight <- ep_control(tol = 1e-12)

some_two <- c("small20", "curve60", "clean80", "one_sided90", "rare90", "levels70", "twice60",
              "thyroid_flips")
few_two <- c("curve40", "clean80", "thyroid_flips", "levels70")
some_classes <- c("three60", "pair90", "four80", "thyroid3")
few_classes <- c("three30", "pair90")

optimum <- function(verb, ..., epsilon = "learn") {
  way("optimum", verb, hyper = "optimum", epsilon = epsilon, ...)
}
average <- function(verb, ...) way("average", verb, hyper = "integrate", ...)
at_average <- function(verb, ...) way("average", verb, hyper = "optimum", ...)
held <- function(verb, ..., kernel = held_iso) way("held", verb, kernel = kernel, ...)

# name: list(tables, way)
plan <- list(
  held = list(names(two_tables), held(gpc, epsilon = 0.05)),
  held_tight = list(some_two, held(gpc, epsilon = 0.1, kernel = held_ard, control = tight)),
  held_zero = list(some_two, held(gpc, epsilon = 0)),
  held_two = list(some_two, held(gpc, epsilon = two_rates)),
  held_trusted = list(few_two, held(gpc, epsilon = two_rates, edit = every(4))),
  held_checked = list(few_two, held(gpc, epsilon = 0.1, after = looked_up)),
  held_more = list(few_two, held(gpc, epsilon = 0.1, after = more_rows)),
  held_stc3 = list(some_two, held(stc, df = 3, epsilon = 0.05)),
  held_stc10 = list(some_two, held(stc, df = 10, epsilon = two_rates)),
  held_stc_trusted = list(few_two, held(stc, df = 10, epsilon = 0.1, edit = every(4))),
  held_stc_more = list("clean80", held(stc, df = 10, epsilon = 0.1, after = more_rows)),
  held_bpm = list(some_two, way("held", bpm, epsilon = 0.05, nugget = 1)),
  held_bpm10 = list(few_two, way("held", bpm, df = 10, epsilon = 0.05, nugget = 0.5)),
  held_bpm_sharp = list(few_two, way("held", bpm, epsilon = 0.1, nugget = 0)),
  held_bpm_more = list(few_two, way("held", bpm, epsilon = 0.1, nugget = 1, after = more_rows)),
  adf = list(some_two, way("held", bpm, inference = "adf")),
  adf10 = list(few_two, way("held", bpm, inference = "adf", df = 10, epsilon = 0.1)),
  held_classes = list(names(class_tables), held(gpc, epsilon = 0.05)),
  held_classes_zero = list(some_classes, held(gpc, epsilon = 0)),
  held_matrix = list(some_classes, held(gpc, epsilon = "held_matrix")),
  held_classes_trusted = list(few_classes, held(gpc, epsilon = 0.1, edit = every(4))),
  held_classes_checked = list(few_classes, held(gpc, epsilon = 0.1, after = looked_up)),
  held_classes_more = list(few_classes, held(gpc, epsilon = 0.1, after = more_rows)),
  held_many = list(names(many_tables), held(gpc, epsilon = 0.1, inducing = 20)),
  held_many_stc = list("many2", held(stc, df = 10, epsilon = 0.1, inducing = 15)),
  held_many_classes = list("many3", held(gpc, epsilon = 0.1, inducing = 15)),
  held_inducing = list(c("curve60", "levels70"), held(gpc, epsilon = 0.1, inducing = 10)),

  optimum = list(names(two_tables), optimum(gpc)),
  optimum_iso = list(some_two, optimum(gpc, kernel = kernel_iso())),
  optimum_two = list(some_two, optimum(gpc, epsilon = "learn2", kernel = kernel_iso())),
  optimum_zero = list(some_two, optimum(gpc, epsilon = 0)),
  optimum_held2 = list(few_two, optimum(gpc, epsilon = two_rates)),
  optimum_loo = list(some_two, optimum(gpc, criterion = "loo", kernel = kernel_iso())),
  optimum_partly = list(some_two, optimum(gpc, kernel = partly)),
  optimum_sharp = list(few_two, optimum(gpc, kernel = kernel_iso(nugget = 0))),
  optimum_no_bias = list(few_two, optimum(gpc, kernel = kernel_ard(bias = 0))),
  optimum_free = list(few_two, optimum(gpc, kernel = kernel_iso(fixed = character()))),
  optimum_no_prior = list(few_two, optimum(gpc, kernel = kernel_iso(prior = NULL))),
  optimum_trusted = list(few_two, optimum(gpc, edit = every(4))),
  average_rates_optimum = list(few_two, at_average(gpc, epsilon = "average", edit = groups)),
  optimum_checked = list(few_two, optimum(gpc, after = looked_up)),
  average_optimum = list(few_two, at_average(gpc, epsilon = "average")),
  optimum_stc3 = list(few_two, optimum(stc, df = 3)),
  optimum_stc10 = list(some_two, optimum(stc, df = 10, kernel = kernel_iso())),
  optimum_stc_evidence = list(some_two, optimum(
    stc,
    df = 10, criterion = "evidence", epsilon = 0.05, kernel = kernel_iso()
  )),
  optimum_bpm = list(some_two, optimum(bpm)),
  optimum_bpm_scales = list(few_two, optimum(bpm, prior_scale = "learn")),
  optimum_bpm10 = list(few_two, optimum(bpm, df = 10)),
  optimum_classes = list(names(class_tables), optimum(gpc)),
  optimum_matrix = list(some_classes, optimum(gpc, epsilon = "matrix")),
  optimum_per_class = list(few_classes, optimum(gpc, kernels = "per class")),
  optimum_classes_trusted = list(few_classes, optimum(gpc, epsilon = "matrix", edit = every(4))),
  optimum_classes_checked = list(few_classes, optimum(gpc, after = looked_up)),
  optimum_many = list(names(many_tables), optimum(gpc, inducing = 20)),
  optimum_many_stc = list("many2", optimum(stc, inducing = 15)),
  optimum_many_classes = list("many3", optimum(gpc, inducing = 15)),
  optimum_inducing = list(c("curve60", "levels70"), optimum(gpc, inducing = 10)),

  average = list(names(two_tables), average(gpc)),
  average_iso = list(some_two, average(gpc, kernel = kernel_iso())),
  average_held = list(some_two, average(gpc, epsilon = 0.05)),
  average_one = list(few_two, average(gpc, epsilon = "learn", kernel = kernel_iso())),
  average_two = list(few_two, average(gpc, epsilon = "learn2")),
  average_partly = list(few_two, average(gpc, kernel = partly)),
  average_kernel_held = list(few_two, average(gpc, kernel = held_iso)),
  average_sharp = list(few_two, average(gpc, kernel = kernel_iso(nugget = 0))),
  average_no_bias = list(few_two, average(gpc, kernel = kernel_iso(bias = 0))),
  average_prior = list(few_two, average(gpc, noise = only_flips)),
  average_study = list(few_two, average(
    gpc,
    noise = noise_prior(sensitivity = c(45, 5), specificity = c(98, 2))
  )),
  average_trusted = list(some_two, average(gpc, edit = every(4))),
  average_rates = list(few_two, average(gpc, edit = groups)),
  average_rates_trusted = list(few_two, average(
    gpc,
    noise = noise_prior(pooling = 0.8), edit = both
  )),
  average_checked = list(some_two, average(gpc, after = looked_up)),
  average_rates_checked = list(few_two, average(gpc, edit = groups, after = looked_up)),
  average_more = list(few_two, average(gpc, after = more_rows)),
  average_stc3 = list(few_two, average(stc, df = 3)),
  average_stc10 = list(some_two, average(stc, df = 10)),
  average_bpm = list(some_two, average(bpm)),
  average_bpm_scales = list(few_two, average(bpm, prior_scale = "learn")),
  average_bpm10 = list(few_two, average(bpm, df = 10)),
  average_classes = list(names(class_tables), average(gpc)),
  average_one_rate = list(few_classes, average(gpc, epsilon = "learn")),
  average_matrix = list(some_classes, average(gpc, epsilon = "matrix", kernel = kernel_iso())),
  average_classes_held = list(few_classes, average(gpc, epsilon = 0.1)),
  average_per_class = list(few_classes, average(gpc, kernels = "per class")),
  average_classes_trusted = list(few_classes, average(gpc, edit = every(4))),
  average_classes_checked = list(few_classes, average(gpc, after = looked_up)),
  average_classes_more = list("three30", average(gpc, after = more_rows)),
  average_many = list(names(many_tables), average(gpc, inducing = 15)),
  average_many_classes = list("many3", average(gpc, inducing = 10)),
  average_inducing = list(c("curve60", "levels70"), average(gpc, inducing = 10))
)

all_tables <- c(two_tables, class_tables, many_tables, many_class_tables)

# one data frame of problems: name, way, table
all_problems <- function() {
  do.call(rbind, lapply(names(plan), function(name) {
    tables <- plan[[name]][[1]]
    data.frame(problem = paste(name, tables, sep = "."), way = name, table = tables)
  }))
}

# PROBLEMS_NUDGE=1e-12 changes the last digits of numeric inputs: what answers change by
# that is the error of their own quadrature and search, the least that a change of the
# package may cost
nudged <- function(x) {
  by <- 1 + as.numeric(Sys.getenv("PROBLEMS_NUDGE", "0"))
  if (is.data.frame(x)) {
    numbers <- vapply(x, is.double, NA)
    x[numbers] <- lapply(x[numbers], `*`, by)
    x
  } else {
    x * by
  }
}

problem_data <- function(table) {
  problem_seed(100 + match(table, names(all_tables)))
  data <- all_tables[[table]]()
  data$x <- nudged(data$x)
  data
}

# a class is taken for the next one in one case of ten
taken_for_next <- function(levels) {
  classes <- length(levels)
  omega <- diag(0.9, classes)
  omega[cbind(seq_len(classes), seq_len(classes) %% classes + 1)] <- 0.1
  dimnames(omega) <- list(levels, levels)
  omega
}

solve_problem <- function(way, data) {
  args <- way$args
  if (identical(args$epsilon, "held_matrix")) args$epsilon <- taken_for_next(levels(factor(data$y)))
  if (!is.null(way$edit)) args <- c(args, way$edit(data))
  fit <- do.call(way$verb, c(list(data$x, data$y), args))
  if (is.null(way$after)) fit else way$after(fit, data)
}
