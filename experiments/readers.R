# Several readers a row: are more true classes right, with a smaller log loss, than by the
# majority, by the model of Dawid and Skene (1979) without inputs, and by a fit to the majority's
# label? And do the intervals of reader_rates() cover the readers' rates? Tables are simulated: a
# boundary that curves, and overlap; each reader labels a part of the rows. Readers are good
# (right in .75 to .95 of a class), mixed (.55 to .95) or mixed with one who is wrong more often
# than not (.2 to .45). A setting that its script leaves out can't be told (adversarial, one or two
# readers), or takes long (several classes, of which some settings stand for all).

experiment <- list(
  settings = list(
    replications = 3, rows = 200, readers = c(1, 2, 3, 5), cover = c(0.2, 0.5, 1),
    kind = c("good", "mixed", "adversarial"), classes = c(2, 4), seed = 62500
  ),
  quick = list(
    replications = 1, rows = 60, readers = 3, cover = 0.5, kind = "mixed", classes = 2
  ),
  tasks = function(settings) {
    all <- all_of(
      readers = settings$readers, cover = settings$cover, kind = settings$kind,
      classes = settings$classes, rows = settings$rows, seed = seeds_of(settings)
    )
    untold <- all$kind == "adversarial" & all$readers < 3 | all$readers == 1 & all$cover < 1
    few <- all$classes == 2 | all$readers == 5 & all$cover == 0.5 |
      all$readers == 3 & all$cover == 1 & all$kind == "mixed"
    all[!untold & few, ]
  },
  run = function(task) {
    read_one(task$readers, task$cover, task$kind, task$classes, task$rows, task$seed)
  },
  tables = function(parts) {
    rows <- parts$results
    by <- rows[c("method", "readers", "cover", "kind", "classes")]
    mean_of <- function(v) stats::aggregate(rows[v], by, mean, na.rm = TRUE, na.action = NULL)
    all <- mean_of(c("right", "log_loss", "covered", "rmse"))
    # more classes right than by the readers' own model, table by table
    key <- do.call(paste, rows[c("readers", "cover", "kind", "classes", "seed")])
    skene <- rows[rows$method == "Dawid and Skene", ]
    rows$gain <- rows$right - skene$right[match(key, key[rows$method == "Dawid and Skene"])]
    all$gain <- mean_of("gain")$gain
    all$gain_se <- stats::aggregate(rows["gain"], by, stats::sd)$gain
    all$replications <- stats::aggregate(rows["right"], by, length)$right
    all$gain_se <- all$gain_se / sqrt(all$replications)
    list(summary = all[order(all$classes, all$kind, all$readers, all$cover, all$method), ])
  }
)

read_one <- function(readers, cover, kind, classes, rows, seed) {
  set_seed(seed)
  d <- simulated_readers(readers, cover, kind, classes, rows)
  votes <- vote_counts(d$labels, classes)
  some <- rowSums(votes) > 0
  majority <- (votes + 0.5) / rowSums(votes + 0.5)
  common <- letters[max.col(votes, ties.method = "random")]
  named <- matrix(letters[d$labels], rows, dimnames = list(NULL, paste0("r", seq_len(readers))))
  fit <- observe(gpc(d$x, sturdy::readers(named), hyper = "integrate"))$value
  plain <- observe(gpc(d$x[some, ], common[some], hyper = "integrate"))$value
  skene <- dawid_skene(d$labels, classes)
  truth <- function(fit) predict(fit, type = "true")
  right <- as.vector(apply(d$omega, 1, diag))
  found <- if (readers > 1) reader_rates(fit)
  covered <- mean(found$lower <= right & right <= found$upper) # NaN of one reader
  score <- function(method, p, rates = NA, covered = NA) {
    most <- p >= apply(p, 1, max) - 1e-9
    own <- cbind(seq_len(nrow(p)), d$true[some])
    data.frame(
      method = method, right = mean(most[own] / rowSums(most)),
      log_loss = -mean(log(pmax(p[own], 1e-6))), covered = covered, rmse = rms(rates - right)
    )
  }
  rbind(
    score("readers()", truth(fit)[some, ], if (readers > 1) found$right else NA, covered),
    score("majority", majority[some, ]),
    score("Dawid and Skene", skene$p[some, ], if (readers > 1) skene$right else NA),
    score("gpc() of the majority", truth(plain))
  )
}

vote_counts <- function(labels, classes) {
  vapply(seq_len(classes), function(c) rowSums(labels == c, na.rm = TRUE), numeric(nrow(labels)))
}

rms <- function(v) sqrt(mean(v^2))

# Two classes: a curved boundary with overlap; more: clouds around a circle
simulated_readers <- function(readers, cover, kind, classes, rows) {
  x <- matrix(stats::rnorm(2 * rows), rows)
  if (classes == 2) {
    true <- 1 + (sin(1.5 * x[, 1]) + x[, 2] + 0.3 * stats::rnorm(rows) > 0)
  } else {
    true <- sample(classes, rows, TRUE)
    turn <- 2 * pi * true / classes
    x <- 0.8 * x + 1.6 * cbind(cos(turn), sin(turn))
  }
  least <- if (kind == "good") 0.75 else 0.55
  right <- matrix(stats::runif(readers * classes, least, 0.95), readers)
  if (kind == "adversarial") right[1, ] <- stats::runif(classes, 0.2, 0.45)
  omega <- array(stats::rgamma(readers * classes^2, 0.5), c(readers, classes, classes))
  for (r in seq_len(readers)) {
    off <- matrix(omega[r, , ], classes)
    diag(off) <- 0
    off <- off / rowSums(off) * (1 - right[r, ])
    diag(off) <- right[r, ]
    omega[r, , ] <- off
  }
  labels <- vapply(seq_len(readers), function(r) {
    vapply(true, function(t) sample(classes, 1, prob = omega[r, t, ]), 1L)
  }, integer(rows))
  labels[stats::runif(length(labels)) > cover] <- NA
  list(x = data.frame(x), true = true, labels = labels, omega = omega)
}

# Maximum likelihood by EM, from the shares of the votes; a hundredth is added to every count
dawid_skene <- function(labels, classes, steps = 500) {
  readers <- ncol(labels)
  p <- vote_counts(labels, classes) + 1e-3
  p <- p / rowSums(p)
  for (step in seq_len(steps)) {
    log_p <- matrix(log(colMeans(p)), nrow(p), classes, byrow = TRUE)
    omega <- lapply(seq_len(readers), function(r) {
      counts <- 0.01 + vapply(seq_len(classes), function(v) {
        colSums(p[labels[, r] %in% v, , drop = FALSE])
      }, numeric(classes))
      counts / rowSums(counts)
    })
    for (r in seq_len(readers)) {
      there <- !is.na(labels[, r])
      log_p[there, ] <- log_p[there, ] + t(log(omega[[r]]))[labels[there, r], , drop = FALSE]
    }
    new <- exp(log_p - apply(log_p, 1, max))
    new <- new / rowSums(new)
    if (max(abs(new - p)) < 1e-7) break
    p <- new
  }
  list(p = new, right = as.vector(vapply(omega, diag, numeric(classes))))
}
