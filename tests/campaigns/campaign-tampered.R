# Fits of which a part was removed or replaced at random: every verb must give the
# error that says so, another error of the package, or a right answer. Never an error
# that is not ours, and never NaN.

source(file.path(
  dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1])),
  "helper.R"
))
campaign <- campaign_start("tampered", cases = 1000, seconds = 600)

# Fits -----------------------------------------------------------------------------

d <- data.frame(a = rnorm(24), b = rnorm(24), f = sample(letters[1:3], 24, TRUE))
d$class <- ifelse(d$a + rnorm(24) / 2 > 0, "yes", "no")
d$other <- ifelse(d$a > 0, "yes", "no")
d$unit <- match(d$class, c("no", "yes")) + 2 * (seq_len(24) %% 5)
new <- d[c(3, 1, 7), ]
con <- DBI::dbConnect(RSQLite::SQLite())
DBI::dbWriteTable(con, "d", d)
quietly <- function(code) suppressMessages(suppressWarnings(code))
fits <- quietly(list(
  gpc = gpc(class ~ a + f, d), stc = stc(class ~ poly(b, 2), d, df = 4),
  held = gpc(class ~ a, d, epsilon = 0.1, kernel = kernel_iso(fixed = TRUE)),
  matrix = gpc(as.matrix(d[c("a", "b")]), d$class, epsilon = 0.1),
  two = gpc(class ~ a + b, d, epsilon = c(neg = 0.1, pos = 0.2)),
  bpm = bpm(class ~ a + f, d), scales = bpm(class ~ a, d, prior_scale = "learn"),
  adf = bpm(class ~ a + f, d, inference = "adf", df = 5),
  several = gpc(three ~ a + b, transform(d, three = factor(f)), epsilon = 0.1,
    kernel = kernel_iso(fixed = TRUE)),
  ordered = gpc(three ~ a + b, transform(d, three = ordered(f)), epsilon = 0.1,
    kernel = kernel_iso(fixed = TRUE)),
  soft = gpc(cbind(no = soft, yes = 1 - soft) ~ a + b, transform(d, soft = plogis(-2 * d$a)),
    kernel = kernel_iso(fixed = TRUE)),
  readers = gpc(readers(class, other) ~ a + b, d, kernel = kernel_iso(fixed = TRUE)),
  units = gpc(class ~ a + b, d, units = ~unit, kernel = kernel_iso(fixed = TRUE)),
  times = gpc(class ~ a + b, d, weights = rep(1:2, 12), kernel = kernel_iso(fixed = TRUE)),
  shards = gpc(class ~ a + b, shards(d, 2), inducing = 5, epsilon = 0.1),
  queries = bpm(class ~ a + b, dbi_source(con, "d"), nugget = 1, epsilon = 0.1),
  stream = bpm_stream(class ~ scale(a) + b, d, batch_size = 5, na.action = na.omit)
))

# Verbs ----------------------------------------------------------------------------

verbs <- list(
  class = function(fit) predict(fit, new), prob = function(fit) predict(fit, new, "prob"),
  latent = function(fit) predict(fit, new, "latent"),
  link = function(fit) predict(fit, new, "link"),
  noise = function(fit) predict(fit, new, "prob", noise = TRUE),
  fitted = fitted, residuals = residuals, deviance = deviance, coef = coef, nobs = nobs,
  formula = formula, vcov = vcov, confint = confint, logLik = logLik, loo = loo,
  evidence = log_evidence, zp = function(fit) log_evidence(fit, "ep_zp"),
  gaussian = function(fit) log_evidence(fit, "gaussian"),
  mislabelled = mislabelled, diagnostics = ep_diagnostics, summary = function(fit) {
    s <- summary(fit)
    utils::capture.output(print(s))
    unclass(s)
  },
  print = function(fit) utils::capture.output(print(fit)), format = format, tidy = tidy,
  glance = glance, augment = function(fit) augment(fit, newdata = new),
  simulate = function(fit) simulate(fit, seed = 1), calibration = calibration,
  absorb = function(fit) {
    y <- if (!is.list(fit$blueprint) || is.null(fit$blueprint$formula)) new$class
    predict(absorb(fit, new, y), new)
  },
  update = function(fit) update(fit, epsilon = 0.2)$ep$log_evidence,
  sample = function(fit) posterior_sample(fit, draws = 2, thin = 1),
  plot = function(fit) {
    grDevices::pdf(NULL)
    on.exit(grDevices::dev.off())
    plot(fit)
    NULL
  }
)

answer <- function(verb, fit) {
  tryCatch(
    withCallingHandlers(verb(fit), warning = function(w) invokeRestart("muffleWarning"),
                        message = function(m) invokeRestart("muffleMessage")),
    error = identity
  )
}
right <- lapply(fits, function(fit) {
  lapply(verbs, function(verb) {
    set.seed(3)
    answer(verb, fit)
  })
})
# without verbs that R itself refuses, as vcov() of a model without weights
right <- lapply(right, Filter, f = function(r) {
  !inherits(r, "error") || inherits(r, "sturdy_error")
})

# Tampering ------------------------------------------------------------------------

# Paths to all parts of a fit, lists within lists
paths_of <- function(x, path = list()) {
  if (!is.list(x) || length(x) == 0) {
    return(list())
  }
  unlist(lapply(seq_along(x), function(k) {
    here <- c(path, list(k))
    c(list(here), paths_of(unclass(x)[[k]], here))
  }), recursive = FALSE)
}

changes <- list(
  null = function(v) NULL, text = function(v) "x", number = function(v) -7,
  na = function(v) NA_real_,
  list = function(v) list(1, "a"), fun = function(v) mean, env = function(v) globalenv(),
  code = function(v) quote(stop("run")), empty = function(v) v[0], cut = function(v) v[-1],
  longer = function(v) c(v, v),
  nan = function(v) if (is.numeric(v)) replace(v, 1, NaN) else NaN,
  infinite = function(v) if (is.numeric(v)) replace(v, length(v), Inf) else Inf,
  negative = function(v) if (is.numeric(v)) -v else -1,
  zero = function(v) if (is.numeric(v)) v * 0 else 0,
  as_text = function(v) as.character(v), factor = function(v) factor("a"),
  raw = function(v) as.raw(1)
)

# Removed (`remove`) or replaced by value, at a path; other attributes are kept
set_at <- function(x, path, value, remove) {
  attributes <- attributes(x)
  bare <- unclass(x)
  k <- path[[1]]
  if (length(path) > 1) {
    bare[[k]] <- set_at(bare[[k]], path[-1], value, remove)
  } else if (remove) {
    bare[k] <- NULL
    attributes$names <- names(bare)
  } else {
    bare[k] <- list(value)
  }
  if (is.data.frame(x)) attributes$row.names <- attr(x, "row.names")
  attributes(bare) <- attributes
  bare
}

numbers_in <- function(x) {
  if (is.list(x)) unlist(lapply(unclass(x), numbers_in)) else if (is.numeric(x)) as.vector(x)
}
same <- function(a, b) isTRUE(all.equal(a, b, tolerance = 1e-6))
paths <- lapply(fits, paths_of)

count <- c(refused = 0, "another error of ours" = 0, right = 0, "another answer" = 0,
           "error not ours" = 0)
unclassed <- nans <- others <- character()
cases <- 0
slowest <- 0
while (cases < campaign$cases && !campaign_over(campaign)) {
  cases <- cases + 1
  campaign_seed_case(campaign, 1e5 + cases) # the verbs have seeds of their own
  which <- sample(names(fits), 1)
  path <- sample(paths[[which]], 1)[[1]]
  how <- sample(c("removed", names(changes)), 1)
  old <- Reduce(function(x, k) unclass(x)[[k]], path, fits[[which]])
  value <- tryCatch(if (how != "removed") changes[[how]](old), error = function(cnd) NULL)
  fit <- tryCatch(
    set_at(fits[[which]], path, value, how == "removed"),
    error = function(cnd) NULL
  )
  if (is.null(fit)) next
  names <- character()
  for (k in path) {
    part <- Reduce(function(x, k) unclass(x)[[k]], path[seq_along(names)], fits[[which]])
    names <- c(names, c(names(part)[k], k)[1])
  }
  tag <- paste0(which, "$", paste(names, collapse = "$"), " ", how)
  for (name in sample(names(right[[which]]), 4)) {
    set.seed(3)
    seconds <- system.time(got <- answer(verbs[[name]], fit), gcFirst = FALSE)[["elapsed"]]
    slowest <- max(slowest, seconds)
    want <- right[[which]][[name]]
    says <- paste0(name, ": ", tag)
    kind <- if (inherits(got, "sturdy_error_changed")) {
      "refused"
    } else if (inherits(got, "sturdy_error")) {
      "another error of ours"
    } else if (inherits(got, "error")) {
      unclassed <- c(unclassed, paste(says, "->", conditionMessage(got)))
      "error not ours"
    } else if (inherits(want, "condition") || !same(got, want)) {
      others <- c(others, says)
      if (anyNA(numbers_in(got)) && !anyNA(numbers_in(want))) nans <- c(nans, says)
      "another answer"
    } else {
      "right"
    }
    count[kind] <- count[kind] + 1
  }
}

campaign_figure(campaign, "tampered fits", cases)
for (kind in names(count)) campaign_figure(campaign, kind, count[[kind]])
campaign_figure(campaign, "errors that are not ours", length(unclassed), 0)
campaign_figure(campaign, "NaN or NA where the fit had a number", length(nans), 0)
campaign_figure(campaign, "longest, s", slowest, 5)
show <- function(title, what) {
  if (length(what)) cat(title, paste0("  ", utils::head(unique(what), 40)), sep = "\n")
}
show("Errors that are not ours:", unclassed)
show("NaN:", nans)
show("Another answer, without an error (a value of the same kind was put in):", others)
campaign_end(campaign)
