# Readers who are not as the model of several readers has them. Lazy: one of three always says the same
# class; are at least as many true classes right as by the model of Dawid and Skene (1979)? Copies: two
# of five share 60 % of the errors of the better one; do the intervals of reader_rates() cover the
# readers' rates, and is the pair found? Apart: the same five without copies; is a pair found where there is none? Rates are
# those of mixed readers in readers.R (right in .55 to .95 of a class), and every reader reads all rows.

sys.source(file.path(experiments, "readers.R"), environment())

experiment <- list(
  settings = list(replications = 20, lazy_rows = 200, rows = 500, seed = 91800),
  quick = list(replications = 1, lazy_rows = 60, rows = 60),
  tasks = function(settings) {
    all <- all_of(kind = c("lazy", "copies", "apart"), seed = seeds_of(settings))
    cbind(all, rows = ifelse(all$kind == "lazy", settings$lazy_rows, settings$rows))
  },
  run = function(task) read_odd(task$kind, task$rows, task$seed),
  tables = function(parts) {
    rows <- parts$results
    means <- stats::aggregate(
      cbind(right, skene, log_loss, covered, covered_two, pair, others) ~ kind + rows, rows, mean
    )
    least <- stats::aggregate(cbind(gain = right - skene) ~ kind, rows, min)
    means$least_gain <- least$gain[match(means$kind, least$kind)]
    list(summary = means)
  }
)

read_odd <- function(kind, rows, seed) {
  set_seed(seed)
  readers <- if (kind == "lazy") 3 else 5
  d <- odd_labels(simulated_readers(readers, 1, "mixed", 2, rows), kind)
  named <- matrix(letters[d$labels], rows, dimnames = list(NULL, paste0("r", seq_len(readers))))
  fit <- observe(gpc(d$x, sturdy::readers(named), hyper = "integrate"))$value
  own <- cbind(seq_len(rows), d$true)
  p <- predict(fit, type = "true")
  skene <- dawid_skene(d$labels, 2)$p
  found <- reader_rates(fit)
  rates <- as.vector(apply(d$omega, 1, diag))
  covered <- found$lower <= rates & rates <= found$upper
  shared <- attr(found, "agreement")$counted < 2 # the first pair is that of the first two
  data.frame(
    right = mean(p[own] > 0.5), skene = mean(skene[own] > 0.5), log_loss = -mean(log(pmax(p[own], 1e-6))),
    covered = mean(covered), covered_two = mean(covered[1:4]), pair = 1 * shared[1], others = 1 * any(shared[-1])
  )
}

# The first reader says one class alone, or the second is wrong where the first is
odd_labels <- function(d, kind) {
  if (kind == "lazy") {
    d$labels[, 1] <- 2L
    d$omega[1, , ] <- rep(0:1, each = 2)
  } else if (kind == "copies") {
    e <- cbind(d$omega[1:2, 1, 2], d$omega[1:2, 2, 1])
    both <- 0.6 * pmin(e[1, ], e[2, ])[d$true]
    u <- stats::runif(nrow(d$labels))
    first <- u < e[1, d$true]
    second <- u < both | !first & u < (e[1, ] + e[2, ])[d$true] - both
    d$labels[, 1:2] <- ifelse(cbind(first, second), 3L - d$true, d$true)
  }
  d
}
