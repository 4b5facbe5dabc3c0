# What the calls of fuzz-calls.R are made with: one table, and fits of every kind to it.

fuzz_objects <- function() {
  d <- data.frame(u = rnorm(16), v = rnorm(16), w = rep(c("a", "b"), 8))
  d$class <- factor(ifelse(d$u + rnorm(16, sd = 0.5) > 0, "yes", "no"))
  X <- as.matrix(d[c("u", "v")])
  csv <- tempfile(fileext = ".csv")
  write.csv(d, csv, row.names = FALSE)
  quiet <- ep_control(progress = FALSE)
  held <- kernel_ard(lengthscale = 1, fixed = TRUE)
  f_gpc <- gpc(class ~ ., d, kernel = held, epsilon = 0.1)
  d3 <- d[c("u", "v")]
  d3$three <- factor(rep_len(c("a", "b", "c"), 16))
  f_classes <- gpc(three ~ u + v, d3, kernel = held, epsilon = 0.1)
  f_stc <- stc(X, d$class, kernel = held, epsilon = 0.1, df = 3)
  f_bpm <- bpm(class ~ ., d, df = 4, epsilon = 0.1)
  f_adf <- bpm(class ~ u + v, d, inference = "adf")
  two <- list(a = gpc_spec(kernel = held, epsilon = 0.1), b = bpm_spec(epsilon = 0.1))
  f_average <- gpc(class ~ u + v, d, control = quiet)
  f_rank <- gpc(class ~ u + v, d, kernel = held, epsilon = 0.1, inducing = 5)
  f_kernels <- gpc(three ~ u + v, d3, epsilon = 0.1, hyper = "optimum", control = quiet)
  named <- d
  row.names(named) <- 31:16 # names that are numbers, and no positions
  f_named <- gpc(class ~ u + v, named, kernel = held, epsilon = 0.1)
  d$recorded <- factor(ifelse(d$u + d$v > 0, "yes", "no"), levels(d$class))
  gold <- replace(d$class, 3:16, NA)
  said_by <- readers(class = d$class, recorded = d$recorded)
  f_readers <- gpc(readers(class, recorded) ~ u + v, d, kernel = held, control = quiet)
  pieces <- shards(d, n = 2)
  f_shards <- bpm(class ~ u + v, pieces, epsilon = 0.1)
  con <- DBI::dbConnect(RSQLite::SQLite())
  DBI::dbWriteTable(con, "d", transform(d, class = as.character(class)))
  scores <- plogis(cbind(no = -d$u, yes = d$u))
  f_scores <- second_stage(scores, d$class, control = quiet)
  shares <- function(x, y) prop.table(table(y))
  shares_of <- function(model, x) {
    if (!is.numeric(model)) stop("no model, in the user's own code")
    matrix(model, nrow(x), 2, TRUE, list(NULL, names(model)))
  }
  # labels of other kinds, rows of other kinds
  d$grade <- factor(rep_len(c("low", "mid", "high"), 16), c("low", "mid", "high"), ordered = TRUE)
  d$unit <- rep(1:8, each = 2)
  d$one <- d$class[2 * d$unit]
  soft <- unname(d$u > 0) + 0
  soft <- cbind(no = 0.9 - 0.8 * soft, yes = 0.1 + 0.8 * soft)
  f_ordered <- gpc(grade ~ u + v, d, kernel = held, epsilon = 0.1, control = quiet)
  f_soft <- gpc(X, soft, kernel = held, control = quiet)
  f_units <- gpc(one ~ u + v, d, kernel = held, units = ~unit, control = quiet)
  f_times <- gpc(class ~ u + v, d, kernel = held, weights = rep(1:2, 8), control = quiet)
  DBI::dbWriteTable(con, "many", large_sql())
  f_sql <- bpm(y ~ u + v, dbi_source(con, "many"), nugget = 1, epsilon = 0.1, control = quiet)
  m <- mvt(c(0, 1), diag(2), 3)
  p <- categorical(c(0.2, 0.3, 0.5))
  # methods of generics whose package may not be here, called as these would
  foreign <- c(
    "axe_call.sturdy_model", "axe_ctrl.sturdy_model", "axe_data.sturdy_model",
    "get_predict.sturdy_model", "get_vcov.sturdy_model",
    "set_coef.bpm", "handler_predict.sturdy_model", "handler_startup.sturdy_model",
    "vetiver_create_description.sturdy_model", "vetiver_create_meta.sturdy_model",
    "vetiver_prepare_model.sturdy_model", "vetiver_ptype.sturdy_model", "update.gp_class",
    "emm_basis.sturdy_model", "recover_data.sturdy_model", "[.offset_rows"
  )
  c(mget(foreign, envir = asNamespace("sturdy")), list(
    f_average = f_average, f_rank = f_rank, f_kernels = f_kernels, f_named = f_named,
    pieces = pieces, f_shards = f_shards, ends = flip_rates(f_average),
    reviewed = review(f_gpc, 5), tested = noise_test(f_average),
    performed = performance_of(f_gpc),
    gp = if (requireNamespace("parsnip", quietly = TRUE)) gp_class(engine = "sturdy"),
    d = d, X = X, csv = csv, quiet = quiet, held = held, f_gpc = f_gpc, f_stc = f_stc,
    f_classes = f_classes, d3 = d3, scores = scores, f_scores = f_scores, shares = shares,
    shares_of = shares_of, gold = gold, said_by = said_by, f_readers = f_readers,
    rated = reader_rates(f_readers), soft = soft,
    f_ordered = f_ordered, f_soft = f_soft, f_units = f_units, f_times = f_times, f_sql = f_sql,
    class_ends = predict(f_classes, d3, type = "prob", interval = 0.9),
    f_bpm = f_bpm, f_adf = f_adf, two = two, con = con, m = m, p = p,
    f_stream = bpm_stream(class ~ ., d, batch_size = 8), gram = tcrossprod(X) + diag(16),
    f_selected = select_model(class ~ u + v, d, two, "evidence"),
    found = mislabelled(f_gpc), calibrated = calibration(f_gpc),
    checked = check_fit(f_gpc, draws = 100, max_moves = 2e4),
    annealed = log_evidence(f_gpc, "ais", max_moves = 2e4),
    audited = audit(f_gpc, d), grouped = group_rates(f_gpc, rep(c("a", "b"), 8)),
    natural = mvt_natural(m), ep = ep_fit(tcrossprod(X) + diag(16), d$class)
  ))
}

performance_of <- function(fit) true_performance(fit, fitted(fit), draws = 20)

# A table of a database, of rows enough for a fit by queries
large_sql <- function(n = 2000) {
  d <- data.frame(u = stats::rnorm(n), v = stats::rnorm(n))
  d$y <- ifelse(d$u + stats::rnorm(n) > 0, "yes", "no")
  d
}
