# Small fits for the tests of what a fitted model answers.

# Two noisy half-planes; rows 3 and 30 of n = 40 have the wrong label.
toy <- function(n = 40) {
  withr::with_seed(7, {
    d <- data.frame(a = rnorm(n), b = rnorm(n))
    d$class <- factor(ifelse(d$a + d$b > 0, "yes", "no"))
    wrong <- intersect(c(3, 30), seq_len(n))
    d$class[wrong] <- ifelse(d$class[wrong] == "yes", "no", "yes")
    d
  })
}

# Nothing learned: fast, and the numbers do not hang on an optimiser.
held <- function(lengthscale = 1.5, ...) {
  kernel_iso(lengthscale, fixed = TRUE, ...)
}

toy_fit <- function(..., data = toy(), epsilon = 0.05) {
  gpc(class ~ a + b, data, kernel = held(), epsilon = epsilon, ...)
}

# The fit with other leave-one-out scores of its rows
with_scores <- function(fit, score) {
  rate <- fit$epsilon[[1]]
  right <- (exp(score) - rate) / (1 - 2 * rate)
  event <- ifelse(fit$data$y > 0, right, 1 - right)
  fit$ep$seen <- log(cbind(1 - event, event))
  fit
}

# Class and text of the condition an expression signals, for snapshots. Unlike
# expect_snapshot(error = TRUE) the layout is the same in all versions of
# testthat and does not hang on the width of the console.
said <- function(expr) {
  withr::local_options(cli.width = 10000, cli.unicode = FALSE, cli.num_colors = 1L)
  cnd <- tryCatch(expr, condition = identity)
  cat("<", class(cnd)[1], ">\n", sep = "")
  cat(gsub("\n *([^ix*] )", " \\1", conditionMessage(cnd)), "\n", sep = "")
}

# Encoding: a frame with a column of every kind, and short ways in.
mixed <- function(n = 12) {
  withr::with_seed(1, data.frame(
    y = factor(rep(c("no", "yes"), length.out = n)),
    u = rexp(n), v = rnorm(n),
    f = factor(rep(c("a", "b", "c"), length.out = n)),
    s = rep(c("p", "q"), length.out = n),
    l = rep(c(TRUE, FALSE, FALSE), length.out = n)
  ))
}

mold <- function(formula, data, scale = TRUE, na.action = na.omit) {
  mold_formula(formula, data, scale, na.action)
}

mold_x <- function(x, y = rep(0:1, length.out = nrow(x)), scale = TRUE) {
  mold_xy(x, y, scale)
}

# A fit without the call that made it, for comparisons of fits made in different ways.
uncalled <- function(fit) {
  fit["call"] <- list(NULL)
  fit
}

forge_new <- function(molded, newdata) {
  forge(molded$blueprint, newdata)
}

# A table of 150 rows from a Gaussian process with a small nugget; a tenth of the labels
# flipped.
process_table <- function(seed) {
  withr::with_seed(seed, {
    X <- matrix(rnorm(300), 150)
    K <- exp(-as.matrix(dist(X))^2 / 2) + diag(0.02, 150)
    true <- drop(crossprod(chol(K), rnorm(150))) > 0
    list(X = X, y = xor(true, runif(150) < 0.1), true = true)
  })
}

# What print() shows, without the places where lines were broken
printed <- function(x) {
  gsub("[[:space:]]+", " ", paste(utils::capture.output(print(x)), collapse = " "))
}
