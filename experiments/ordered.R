# Classes in an order: are their probabilities as good as those of proportional odds and of a
# cumulative probit (MASS::polr), and of a fit without the order, by the ranked probability score
# and the log loss? And are wrong labels, those of a neighbouring class, found? Half of the rows of
# a table are fitted, the others scored by their recorded labels; simulated tables are fitted to
# wrong labels too, and scored by the true classes of other rows. Outcomes that are numbers (weight
# at birth, price, ozone) are cut at their quantiles.

experiment <- list(
  needs = c("MASS", "rpart", "survival", "ggplot2"),
  settings = list(
    replications = 2, rows = 400,
    table = c("housing", "pbc", "lung", "cars", "birthwt", "boston", "airquality", "diamonds"),
    simulated = 3, kind = c("linear", "curved"), wrong = c(0, 0.1, 0.2), seed = 62700
  ),
  quick = list(
    replications = 1, rows = 60, table = "birthwt", simulated = 1, kind = "linear", wrong = 0.1
  ),
  tasks = function(settings) {
    tables <- all_of(
      table = settings$table, wrong = NA, rows = settings$rows, seed = seeds_of(settings)
    )
    settings$replications <- settings$simulated
    rbind(tables, all_of(
      table = settings$kind, wrong = settings$wrong, rows = settings$rows,
      seed = seeds_of(settings)
    ))
  },
  run = function(task) {
    set_seed(task$seed)
    data <- if (is.na(task$wrong)) {
      halves_of(ordered_table(task$table), task$rows)
    } else {
      simulated_order(task$table, task$wrong, task$rows %/% 2)
    }
    order_one(data)
  },
  tables = function(parts) {
    rows <- parts$results
    by <- paste(rows$table, rows$wrong, rows$method)
    key <- paste(rows$table, rows$wrong, rows$seed)
    ours <- rows[rows$method == "gpc() in the order", ]
    rows$gain <- rows$log_loss - ours$log_loss[match(key, paste(ours$table, ours$wrong, ours$seed))]
    summary <- do.call(rbind, lapply(split(rows, by), function(part) {
      cbind(
        part[1, c("table", "wrong", "method")],
        lapply(part[c("rps", "log_loss", "gain", "right", "auc", "found")], mean),
        gain_se = stats::sd(part$gain) / sqrt(nrow(part)), replications = nrow(part)
      )
    }))
    list(summary = summary[order(!is.na(summary$wrong), summary$table, summary$wrong), ])
  }
)

# list(train, test: data frames with y; true: of the test rows, 1..C; wrong: rows of `train`)
halves_of <- function(data, rows) {
  data <- droplevels(data[sample(nrow(data), min(rows, nrow(data))), ])
  half <- nrow(data) %/% 2
  train <- data[seq_len(half), ]
  test <- data[-seq_len(half), ]
  for (name in names(train)) { # polr() has no coefficient for a level that it has not seen
    if (is.factor(train[[name]])) test <- test[test[[name]] %in% train[[name]], ]
  }
  list(train = droplevels(train), test = test, noise = TRUE)
}

order_one <- function(data) {
  scored <- function(method, fit, prob, suspicion) {
    made <- tryCatch(observe(fit())$value, error = function(cnd) NULL)
    p <- if (!is.null(made)) prob(made)
    score_order(method, p, data, if (!is.null(made)) suspicion(made))
  }
  ours <- function(method, formula, ...) {
    scored(
      method, function() gpc(formula, data$train, ...),
      function(fit) predict(fit, data$test, type = "prob", noise = data$noise),
      function(fit) {
        said <- mislabelled(fit)
        said$probability[order(said$row)]
      }
    )
  }
  theirs <- function(method, link) {
    scored(
      method, function() MASS::polr(y ~ ., data$train, method = link),
      function(fit) predict(fit, data$test, type = "probs"),
      function(fit) {
        p <- predict(fit, type = "probs")
        1 - p[cbind(seq_len(nrow(p)), as.integer(data$train$y))]
      }
    )
  }
  unordered <- stats::reformulate(setdiff(names(data$train), "y"), "factor(y, ordered = FALSE)")
  rbind(
    ours("gpc() in the order", y ~ ., hyper = "integrate"),
    ours("gpc() without it, at the optimum", unordered, epsilon = "learn", hyper = "optimum"),
    theirs("polr(), logistic", "logistic"), theirs("polr(), probit", "probit")
  )
}

score_order <- function(method, p, data, suspicion) {
  true <- if (is.null(data$true)) match(data$test$y, levels(data$train$y)) else data$true
  known <- !is.na(true)
  if (is.null(p) || ncol(p) != nlevels(data$train$y)) {
    return(data.frame(
      method = method, rps = NA, log_loss = NA, right = NA, auc = NA, found = NA
    ))
  }
  p <- p[known, , drop = FALSE]
  true <- true[known]
  above <- outer(true, seq_len(ncol(p) - 1), "<=")
  below <- t(apply(p, 1, cumsum))[, -ncol(p), drop = FALSE]
  wrong <- data$wrong
  some <- length(wrong) > 0
  first <- order(-suspicion)[seq_along(wrong)]
  data.frame(
    method = method, rps = mean(rowSums((below - above)^2)) / (ncol(p) - 1),
    log_loss = -mean(log(pmax(p[cbind(seq_along(true), true)], 1e-6))),
    right = mean(max.col(p, "first") == true),
    auc = if (some) {
      mean(outer(suspicion[wrong], suspicion[-wrong], ">") +
        outer(suspicion[wrong], suspicion[-wrong], "==") / 2)
    } else {
      NA
    },
    found = if (some) mean(first %in% wrong) else NA # among as many as there are
  )
}

# Five classes alike in number of a latent function of three inputs
simulated_order <- function(kind, wrong, rows, classes = 5) {
  all <- rows + 1000
  x <- data.frame(a = stats::rnorm(all), b = stats::rnorm(all), c = stats::rnorm(all))
  g <- if (kind == "linear") x$a + 0.5 * x$b else x$a + 1.5 * sin(2 * x$b)
  f <- g + 0.3 * stats::sd(g) * stats::rnorm(all)
  true <- findInterval(f, stats::quantile(f, seq_len(classes - 1) / classes)) + 1
  recorded <- true[seq_len(rows)]
  at <- sample(rows, round(wrong * rows))
  up <- ifelse(recorded[at] == 1, TRUE, recorded[at] < classes & stats::runif(length(at)) < 0.5)
  recorded[at] <- recorded[at] + ifelse(up, 1, -1)
  list(
    train = cbind(x[seq_len(rows), ], y = factor(recorded, seq_len(classes), ordered = TRUE)),
    test = x[-seq_len(rows), ], true = true[-seq_len(rows)], wrong = at, noise = FALSE
  )
}

quantile_classes <- function(v, classes) {
  cut(v, stats::quantile(v, seq(0, 1, length.out = classes + 1)), include.lowest = TRUE,
      labels = FALSE)
}

ordered_table <- function(name) {
  of <- function(data, y) {
    data$y <- factor(y, ordered = TRUE)
    stats::na.omit(data)
  }
  from <- function(package, name) {
    get(utils::data(list = name, package = package, envir = environment()))
  }
  if (name == "housing") {
    cells <- from("MASS", "housing")
    cells <- cells[rep(seq_len(nrow(cells)), cells$Freq), ]
    of(cells[c("Infl", "Type", "Cont")], cells$Sat)
  } else if (name == "pbc") {
    d <- survival::pbc
    used <- c("age", "sex", "bili", "albumin", "alk.phos", "ast", "platelet", "protime")
    of(d[used], d$stage)
  } else if (name == "lung") {
    d <- survival::lung[survival::lung$ph.ecog %in% 0:2, ]
    of(d[c("age", "sex", "pat.karno", "wt.loss")], d$ph.ecog)
  } else if (name == "cars") {
    d <- rpart::cu.summary
    d$Price <- log(d$Price)
    of(d[c("Price", "Country", "Type")], d$Reliability)
  } else if (name == "birthwt") {
    d <- from("MASS", "birthwt")
    d$race <- factor(d$race)
    of(d[c("age", "lwt", "race", "smoke", "ptl", "ht", "ui", "ftv")], quantile_classes(d$bwt, 4))
  } else if (name == "boston") {
    d <- from("MASS", "Boston")
    of(d[names(d) != "medv"], quantile_classes(d$medv, 5))
  } else if (name == "airquality") {
    d <- stats::na.omit(from("datasets", "airquality"))
    of(d[c("Solar.R", "Wind", "Temp", "Month")], quantile_classes(d$Ozone, 4))
  } else {
    d <- as.data.frame(ggplot2::diamonds)
    of(d[c("carat", "depth", "table", "price")], d$cut)
  }
}
