# Convergence of EP with several classes: eight tables of 60 rows with 20 % wrong labels,
# five noise settings, three lengthscales, nuggets from 1 down to 1e-6. With a nugget of 0.1
# or more every fit converges; with less each ends with a status (two thirds converge with
# 1e-6: rows with the same inputs and other classes, which `painters` has, leave EP without a
# fixed point). A converged fit has no row
# left alone, and its b add up to 0 in every row. The number of cases is that of tables.
source(file.path(dirname(sub("^--file=", "", grep(
  "^--file=", commandArgs(FALSE), value = TRUE
)[1])), "helper.R"))
campaign <- campaign_start("classes", cases = 8, seconds = 600)
fit_classes <- utils::getFromNamespace("native_classes_fit", "sturdy")
codes <- utils::getFromNamespace("ep_codes", "sturdy")

read_table <- function(file) {
  utils::read.csv(system.file("extdata", paste0(file, ".gz"), package = "sturdy"))
}

# Breiman's waveform: mixtures of two of three triangles on 21 points, with noise
waveform <- function(n) {
  at <- 1:21
  bump <- rbind(pmax(6 - abs(at - 11), 0), pmax(6 - abs(at - 15), 0), pmax(6 - abs(at - 7), 0))
  class <- sample(3, n, TRUE)
  share <- stats::runif(n)
  first <- c(1, 1, 2)[class]
  second <- c(2, 3, 3)[class]
  X <- share * bump[first, ] + (1 - share) * bump[second, ] + stats::rnorm(n * 21)
  list(X = X, class = class)
}

rings <- function(n) {
  class <- sample(5, n, TRUE)
  angle <- stats::runif(n, 0, 2 * pi)
  radius <- class + stats::rnorm(n, sd = 0.2)
  list(X = cbind(radius * cos(angle), radius * sin(angle)), class = class)
}

of <- function(data, class) {
  numbers <- vapply(data, is.numeric, logical(1)) & names(data) != class
  complete <- stats::complete.cases(data)
  list(X = as.matrix(data[complete, numbers]), class = data[complete, class])
}

tables <- list(
  iris = function() of(datasets::iris, "Species"),
  thyroid = function() {
    data <- read_table("newthyroid.csv")
    of(data, names(data)[vapply(data, function(x) length(unique(x)) == 3, logical(1))][1])
  },
  glass = function() of(MASS::fgl, "type"),
  crabs = function() {
    data <- MASS::crabs
    data$class <- interaction(data$sp, data$sex)
    of(data[setdiff(names(data), "index")], "class")
  },
  cars = function() of(MASS::Cars93, "Type"),
  painters = function() of(MASS::painters, "School"),
  waveform = function() waveform(300),
  rings = function() rings(300)
)

problem <- function(table) {
  data <- table()
  rows <- sample(length(data$class), min(60, length(data$class)))
  class <- as.integer(factor(data$class[rows]))
  classes <- max(class)
  wrong <- stats::runif(length(rows)) < 0.2
  class[wrong] <- (class[wrong] + sample(classes - 1, sum(wrong), TRUE) - 1) %% classes + 1
  list(X = scale(data$X[rows, ]), y = class, classes = classes)
}

one_rate <- function(C, epsilon) {
  omega <- matrix(epsilon / (C - 1), C, C)
  diag(omega) <- 1 - epsilon
  omega
}

# every class is taken for the next one, with probability 0.2
pairwise <- function(C) {
  omega <- diag(0.8, C)
  omega[cbind(seq_len(C), seq_len(C) %% C + 1)] <- 0.2
  omega
}

noises <- list(
  `0` = function(C) diag(C),
  `.001` = function(C) one_rate(C, 0.001),
  `.1` = function(C) one_rate(C, 0.1),
  `.3` = function(C) one_rate(C, 0.3),
  pair = pairwise
)

one <- function(case, noise, l, nugget) {
  p <- ncol(case$X)
  control <- ep_control(tol = 1e-6, max_sweeps = 150)
  out <- fit_classes(
    case$X, NULL, list(group = rep(1L, p), weight = rep(1, p)),
    list(lengthscale = 1 / sqrt(2 * l / p), variance = 1, bias = 0.1, nugget = nugget),
    t(noise(case$classes))[case$y, ], NULL, control
  )
  data.frame(
    status = names(codes)[match(out$status, codes)], sweeps = out$sweeps,
    skipped = out$skipped, identity = max(abs(rowSums(out$b))),
    nan = anyNA(unlist(out[c("sites", "m", "C_diag", "b")]))
  )
}

results <- list()
for (k in seq_len(min(campaign$cases, length(tables)))) {
  campaign_seed_case(campaign, k)
  case <- problem(tables[[k]])
  for (noise in names(noises)) {
    for (l in c(0.05, 0.5, 5)) {
      for (nugget in c(1e-6, 0.001, 0.01, 0.1, 1)) {
        if (campaign_over(campaign)) break
        results[[length(results) + 1]] <- cbind(
          table = names(tables)[k], noise = noise, l = l, nugget = nugget,
          one(case, noises[[noise]], l, nugget)
        )
      }
    }
  }
}
results <- do.call(rbind, results)
converged <- results$status == "converged"
usual <- results$nugget >= 0.1
shares <- tapply(converged, results[c("noise", "nugget")], mean)
cat("share that converges\n")
print(round(shares, 2))
cat("median and largest number of sweeps\n")
print(tapply(results$sweeps[converged], results$noise[converged], function(x) {
  paste(stats::median(x), max(x))
}))
campaign_figure(campaign, "fits", nrow(results))
campaign_figure(campaign, "not converged, nugget 0.1 and 1", sum(usual & !converged), 0)
for (nugget in c(0.01, 0.001, 1e-6)) {
  campaign_figure(
    campaign, paste("not converged, nugget", nugget), sum(results$nugget == nugget & !converged)
  )
}
campaign_figure(
  campaign, "median of sweeps, nugget 0.1 and 1", stats::median(results$sweeps[usual]), 12
)
campaign_figure(campaign, "fits with NaN", sum(results$nan), 0)
campaign_figure(campaign, "fits without a status", sum(is.na(results$status)), 0)
campaign_figure(campaign, "converged with rows left alone", sum(results$skipped[converged]), 0)
campaign_figure(campaign, "largest sum of b in a row", max(results$identity[converged]), 1e-4)
campaign_end(campaign)
