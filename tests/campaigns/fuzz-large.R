# Calls of campaign-fuzz.R on more than 300 rows, where fits take other paths (some rows first,
# low rank) than on the 16 rows of fuzz-calls.R: arguments that are right, in any combination,
# with the default `epsilon` or a held kernel; every fit is then asked some questions.

one_of <- function(...) sample(list(...), 1)[[1]]
often <- function(p) stats::runif(1) < p

# A table with what real ones have: numbers on any scale, levels, columns twice, missing values,
# row names, few rows of a class
large_table <- function() {
  n <- if (often(0.8)) sample(301:420, 1) else sample(420:900, 1)
  p <- sample(1:4, 1)
  X <- matrix(stats::rnorm(n * p), n)
  if (often(0.2)) X <- round(X)
  d <- as.data.frame(X * 10^sample(c(0, 0, 0, -8, 8), 1))
  f <- X[, 1] + if (often(0.5)) sin(2 * X[, p]) else 0
  if (often(0.3)) d$level <- sample(c("a", "b", "c"), n, TRUE, c(0.7, 0.28, 0.02))
  if (often(0.1)) d$same <- 1
  if (often(0.1)) d$twice <- d[[1]]
  if (often(0.1)) d$id <- seq_len(n)
  if (often(0.05)) f <- stats::rnorm(n) # inputs that say nothing
  classes <- sample(2:4, 1, prob = c(7, 2, 1))
  share <- if (often(0.2)) 0.95 else 1 / classes
  cuts <- stats::quantile(f, share + (1 - share) * (seq_len(classes - 1) - 1) / (classes - 1))
  y <- 1 + findInterval(f, unique(cuts))
  wrong <- stats::runif(n) < one_of(0, 0, 0.05, 0.1, 0.3)
  y[wrong] <- sample(classes, sum(wrong), TRUE)
  d$y <- factor(LETTERS[y])
  if (often(0.2)) d$V1[sample(n, 5)] <- NA
  if (often(0.2)) row.names(d) <- paste0("r", sample(n))
  if (often(0.2)) d <- d[sample(n), ]
  d
}

large_kernel <- function() {
  hold <- one_of(TRUE, TRUE, "lengthscale", c("variance", "bias", "nugget"), "nugget")
  size <- one_of(NULL, NULL, 0.3, 1.5, 50)
  if (isTRUE(hold) && is.null(size)) size <- 1.5
  bias <- one_of(0.1, 0.1, 0)
  nugget <- one_of(0.1, 0.1, 1e-4, 0)
  make <- one_of(quote(kernel_iso), quote(kernel_ard))
  as.call(list(make, size, variance = 1, bias = bias, nugget = nugget, fixed = hold))
}

large_call <- function(d) {
  classes <- nlevels(d$y)
  verb <- if (classes > 2 || often(0.7)) quote(gpc) else one_of(quote(stc), quote(bpm))
  args <- list(y ~ ., data = quote(large))
  other <- if (often(0.3)) one_of("units", "weights", "soft", "ordered", "readers", "shards", "sql")
  free <- often(0.25) && !identical(verb, quote(bpm))
  if (identical(verb, quote(stc))) args$df <- one_of(3, 8, 100)
  if (identical(verb, quote(bpm))) {
    args$df <- one_of(Inf, Inf, 5)
    if (often(0.1)) args$inference <- "adf"
  } else {
    if (!free) args$kernel <- large_kernel()
    if (often(0.5)) args["inducing"] <- list(one_of(NULL, 3, 20, 60))
    if (classes > 2 && often(0.2)) args$kernels <- "per class"
  }
  if (often(0.4)) {
    args$epsilon <- if (classes == 2) {
      one_of(0.1, 0, c(neg = 0.02, pos = 0.2), "learn", "learn2", "average")
    } else {
      one_of(0.1, 0, "learn", "matrix", "average")
    }
  }
  if (often(0.1)) args$hyper <- one_of("optimum", "integrate")
  if (often(0.2)) args$trusted <- quote(seq_len(nrow(large)) %% 7 == 0)
  if (often(0.2) && classes == 2) {
    args$rates <- quote(rep_len(c("north", "south", "west"), nrow(large)))
  }
  if (often(0.1)) {
    args$noise <- one_of(quote(noise_prior(c(one = 1), 9)), quote(noise_prior(c(none = 1, one = 1))))
  }
  if (often(0.1)) args$scale <- FALSE
  if (!is.null(other)) args <- of_kind(args, other)
  args$control <- bquote(ep_control(
    progress = FALSE, budget = 2, restarts = .(one_of(2, 0)), tol = .(one_of(1e-6, 1e-9))
  ))
  labelled(call("<-", quote(fit), as.call(c(verb, args))))
}

# The arguments of a fit to rows or labels of another kind; what can't be together is refused
of_kind <- function(args, kind) {
  args <- switch(kind,
    units = c(args, list(units = quote(interaction(large$y, rep_len(1:60, nrow(large)))))),
    weights = c(args, list(weights = quote(rep_len(c(1, 2, 0.5), nrow(large))))),
    soft = c(
      list(quote(large["V1"]), y = quote(cbind(A = 0.1 + 0.8 * (large$y == "A"), B = 0.9 - 0.8 * (large$y == "A")))),
      args[-(1:2)]
    ),
    ordered = replace(args, 1, list(ordered(y) ~ .)),
    readers = replace(args, 1, list(readers(y, rev(y)) ~ V1)),
    shards = c(
      replace(args[setdiff(names(args), "trusted")], 2, list(quote(shards(large, 2)))),
      list(cluster = quote(lapply))
    ),
    sql = replace(args, 1:2, list(y ~ V1, quote(in_database(large))))
  )
  args
}

in_database <- function(rows) {
  con <- get("con", objects)
  DBI::dbWriteTable(con, "large", transform(rows, y = as.character(y)), overwrite = TRUE)
  dbi_source(con, "large")
}

labelled <- function(call) {
  attr(call, "labels") <- paste(trimws(deparse(call)), collapse = " ")
  call
}

large_questions <- function() {
  all <- alist(
    predict(fit, new, type = "prob"), predict(fit, new, type = "latent"), predict(fit),
    mislabelled(fit), review(fit, 5), noise_test(fit), noise_matrix(fit), flip_rates(fit),
    update(fit, checked = data.frame(row = 2:3, label = levels(large$y)[c(1, 2)])),
    update(fit, checked = head(transform(mislabelled(fit), label = levels(large$y)[2]), 2)),
    absorb(fit, new), log_evidence(fit, "integrated"), loo(fit), residuals(fit),
    true_performance(fit, predict(fit, type = "prob")[, 2]), calibration(fit), summary(fit), tidy(fit), glance(fit),
    augment(fit, new), coef(fit), label_report(fit, "report.html", data = large), plot(fit),
    plot(mislabelled(fit)), update(fit, epsilon = 0.2), simulate(fit), ep_diagnostics(fit),
    deviance(fit), predict(fit, new, type = "prob", noise = TRUE)
  )
  lapply(sample(all, 4), labelled)
}

# One table, a fit and what it is asked: the outcomes, `run` being run_call()
large_round <- function(objects, run) {
  objects$large <- large_table()
  objects$new <- objects$large[1:9, ]
  objects$fit <- NULL
  fitted <- run(large_call(objects$large), 60)
  if (fitted$outcome == "hang" && nlevels(objects$large$y) > 2) {
    fitted$outcome <- "slow fit of several classes"
  }
  if (is.null(objects$fit)) return(list(fitted))
  asked <- lapply(lapply(large_questions(), run, 60), function(case) {
    case$labels <- paste(case$labels, "of", fitted$labels)
    case
  })
  c(list(fitted), asked)
}
