# Every routine of the package with a garbage collection at every allocation: what is not
# protected is gone, so that the result differs or R stops.
source(file.path(dirname(sub("^--file=", "", grep(
  "^--file=", commandArgs(FALSE), value = TRUE
)[1])), "helper.R"))
campaign <- campaign_start("gctorture", cases = 1, seconds = 1200)

X <- matrix(c(-2, -1, 0.5, 1, 2, 0.3, -1, 1, 0, 2), 5)
y <- c(-1, -1, 1, 1, -1)
S <- diag(2) + 0.2
calls <- alist(
  gp_fit = native_gp_fits(X, NULL, columns, list(hyper), list(native_run(
    likely(y, 0.05), 3, NULL, ep_control(), "loo", TRUE, function(...) list(...)
  ))),
  gp_fit_bad = native_gp_fits(X, NULL, columns, list(hyper), list(native_run(
    likely(y, 0), 3, list(tau = rep(-9, 5), nu = y), ep_control()
  ))),
  ep_fit = native_ep_fit(diag(5) + 1, likely(y, 0.05), Inf, NULL, ep_control()),
  weight_fit = native_weight_fit(
    t(X), c(1, 2), 0.1, likely(y, 0.05), 3, NULL, ep_control(), "evidence_zp", TRUE
  ),
  gp_predict = native_gp_predict_nodes(
    X, columns, list(hyper), c(1, 0.5, 0, -0.02, 1), y, X[1:2, ]
  ),
  inducing_fit = native_gp_fits(X, X[1:3, ], columns, list(hyper), list(native_run(
    likely(y, 0.05), Inf, NULL, ep_control(), "evidence", TRUE
  ))),
  classes_fit = native_classes_fit(
    X, NULL, columns, hyper, three, NULL, ep_control(), labels = TRUE, gradient = TRUE
  ),
  classes_inducing = native_classes_fit(
    X, X[1:3, ], columns, rep(list(hyper), 3), three, NULL, ep_control(), gradient = TRUE
  ),
  classes_prob = native_classes_prob(three, three + 1),
  weight_predict = native_weight_predict_nodes(t(X), c(1, 2), S),
  inducing_predict = native_inducing_predict(
    X[1:3, ], columns, hyper, c(1, 2, 0, 1), diag(4) / 2, X
  ),
  label_values = native_label_values(label, points, TRUE),
  label_said = native_label_said(label, points, c(0.4, 0.6), c(0L, 1L, 2L, 0L, 1L)),
  label_seen = native_label_seen(label, points),
  label_between = native_label_between(c(1L, 2L), c(0.3, 0.6), matrix(sin(1:10), 2)),
  label_overlap = {
    overlap <- native_label_overlap(c(0.1, 0.2), same, pairs, 3)
    list(overlap, native_label_overlap_back(points$U, c(0.1, 0.2), same, pairs, overlap))
  },
  noise_inverse = {
    inverse <- native_noise_inverse(points$M, 3)
    list(inverse, native_noise_inverse_back(inverse, points$U, 3))
  },
  digest = native_digest(as.raw(1:99)),
  count_density = native_count_density(c(0.1, 0.5, 0.9)),
  gram = native_gram(X, NULL, columns, hyper),
  gram_new = native_gram(X, X[1:2, ], columns, hyper),
  cholesky = native_cholesky(S, 0.1),
  cholesky_none = native_cholesky(-S),
  solve_lower = native_solve(t(chol(S)), X[1:2, ], TRUE),
  product = native_product(S, X[1:2, ]),
  tilted = native_tilted(likely(y, 0.05), y / 2, rep(1, 5), 3, 5),
  adf = native_adf(
    t(X), likely(y, 0.05), 3, c(1, 1), 0.1, list(mu = c(0, 0), S = S, log_scale = 0)
  ),
  ais = {
    set.seed(1)
    native_ais(diag(5), diag(5), y, matrix(1:6 / 2, 2), 3L, function(done) list(done))
  },
  ais_move = {
    set.seed(1)
    native_ais_move(
      diag(5), diag(5), y, c(1, 2), matrix(y, 5, 2), 3L, 2L, function(done) list(done)
    )
  },
  ais_ended = {
    set.seed(1)
    try(native_ais(diag(5), diag(5), y, matrix(1, 2, 3), 3L, function(done) stop("no")), TRUE)
    rnorm(1)
  },
  exp_q = native_elementwise("exp_q", list(X, 1.2)),
  ln_q = native_elementwise("ln_q", list(abs(X), 1.2)),
  q_product = native_elementwise("q_product", list(c(1, 2, 3), 2, 1.2)),
  q_quotient = native_elementwise("q_quotient", list(c(1, 2, 3), 2, 1.2)),
  bernoulli_renyi = native_elementwise("bernoulli_renyi", list(0.3, 2)),
  bernoulli_q_divergence = native_elementwise("bernoulli_q_divergence", list(0.3, 0.4, 1.2)),
  mvt_natural = native_mvt_natural(c(1, 2), S, 3),
  mvt_from_natural = {
    natural <- native_mvt_natural(c(1, 2), S, 3)
    native_mvt_from_natural(natural$theta1, natural$theta2, 3)
  },
  mvt_escort = native_mvt_escort(S, 3),
  mvt_entropy = list(native_mvt_entropy(S, 3, c(0.5, 2)), native_mvt_entropy(S, 3)),
  mvt_q_divergence = native_mvt_q_divergence(c(1, 2), S, c(0, 0), S + diag(2), 3),
  features = native_features(X, X[1:3, ], columns, hyper),
  keep_memory = {
    native_keep_memory(TRUE)
    kept <- native_features(X, X[1:3, ], columns, hyper)
    native_keep_memory(FALSE)
    kept
  },
  shard_point = native_shard_point(list(tau = rep(1, 5), nu = y), rep(1, 5)),
  shard_gram = native_shard_gram(rows, matrix(0, 5, 4)),
  shard_pass = native_shard_pass(rows, lik, posterior, step),
  shard_view = native_shard_view(rows, lik, posterior, step$here),
  shard_gradient = native_shard_gradient(
    rows, lik, posterior, step$here,
    list(X = X, Z = X[1:3, ], columns = columns, hyper = hyper)
  ),
  parallel_steps = native_parallel_steps(list(H = S, g = c(1, 2)), 1, 1),
  parallel_watch = {
    first <- native_parallel_watch(NULL, 1L, 2, 50L)
    list(first, native_parallel_watch(first$watch, 2L, 1, 50L))
  },
  evidence = native_evidence(c(1, 2, 3), 0.5, 3),
  dense_names = variant_names(),
  dense_use = use_variant(1L, 1L),
  dense_threads = .Call(C_dense_threads),
  dense_speed = length(variant_speed(1L, 1L, 8L)) # speeds are those of the moment
)
columns <- list(group = 1:2, weight = c(1, 1))
hyper <- list(lengthscale = c(1, 2), variance = 2, bias = 1, nugget = 0.1, linear = 0)
at <- list2env(list(
  X = X, y = y, S = S, likely = likely, columns = columns, hyper = hyper,
  three = matrix(0.1, 5, 3) + 0.7 * diag(3)[c(1, 2, 3, 1, 2), ]
), parent = asNamespace("sturdy"))
# two rounds of a shard of these rows; a label stage of them at two points
evalq({
  label <- list(
    P = t(three), S = log(t(three)), kind = c(0L, 1L, 2L, 0L, 1L), times = c(1, 2, 1, 1, 1), kinds = 3L,
    plain = FALSE, group = c(1L, 2L, 0L, 1L, 2L)
  )
  whole <- function(off) cbind(as.vector(diag(3) * (1 - 3 * off) + off), as.vector(diag(3) * (1 - 6 * off) + 2 * off))
  points <- list(
    M = whole(0.01), w = matrix(0.1, 3, 2), b = matrix(c(1, 2), 3, 2, TRUE), U = whole(0.02), L = whole(0.05),
    v = matrix(0.2, 6, 2)
  )
  pairs <- rbind(1:2, 2:3)
  same <- matrix(0.1, 2, 2)
  rows <- c(
    native_features(X, X[1:3, ], columns, hyper),
    list(kind = ifelse(y > 0, 2L, 1L), n_all = 5, d = 5, nugget = 0.1)
  )
  lik <- list(df = Inf, L = likely(c(-1, 1), 0.05))
  posterior <- posterior_of(native_shard_gram(rows, matrix(0, 5, 4)))[c("L", "w")]
  step <- list(here = matrix(0, 5, 4), memory = list(), gamma = numeric(), scale = 1)
  step$here <- native_shard_pass(rows, lik, posterior, step)[["next"]]
}, at)

reached <- unique(unlist(lapply(calls, function(call) {
  names <- all.names(call)
  # what it calls of the package, and what that calls
  for (depth in 1:2) {
    doors <- intersect(names, ls(asNamespace("sturdy"), pattern = "^(native|variant|use_variant)"))
    bodies <- lapply(doors, function(door) all.names(body(get(door, asNamespace("sturdy")))))
    names <- unique(c(names, unlist(bodies)))
  }
  grep("^C_", names, value = TRUE)
})))
routines <- names(getDLLRegisteredRoutines("sturdy")$.Call)
missing <- setdiff(paste0("C_", routines), reached)
if (length(missing)) cat("  not reached:", missing, "\n")

differ <- 0
for (name in names(calls)) {
  plain <- eval(calls[[name]], at)
  gctorture(TRUE)
  tortured <- eval(calls[[name]], at)
  gctorture(FALSE)
  if (!identical(plain, tortured)) {
    differ <- differ + 1
    cat("  differs:", name, "\n")
  }
}
# A fit of each kind, with a garbage collection at every 200th allocation
set.seed(campaign$seed)
d <- data.frame(a = rnorm(8), b = rnorm(8), y = rep(c("p", "n"), 4), three = factor(c(1:3, 1:3, 1:2)))
d <- transform(d, n = pnorm(-b), p = pnorm(b))
held <- kernel_iso(1.5, fixed = TRUE)
con <- DBI::dbConnect(RSQLite::SQLite())
DBI::dbWriteTable(con, "d", d)
fits <- alist(
  gpc = gpc(y ~ a, d, kernel = held, epsilon = 0.05), stc = stc(y ~ a, d, df = 3, kernel = held, epsilon = 0.05),
  bpm = bpm(y ~ a, d, nugget = 1, epsilon = 0.05), adf = bpm(y ~ a, d, inference = "adf"),
  inducing = gpc(y ~ a, d, kernel = held, epsilon = 0.05, inducing = 3),
  several = gpc(three ~ a, d, kernel = held, epsilon = 0.05),
  ordered = gpc(ordered(three) ~ a, d, kernel = held, epsilon = 0.05),
  scores = second_stage(d[c("n", "p")], d$y, hyper = "optimum", noise = noise_prior(c(one = 1))),
  readers = gpc(readers(y, rev(y)) ~ a, d, kernel = held, epsilon = 0.05),
  soft = gpc(cbind(n, p) ~ a, d, kernel = held),
  units = gpc(y ~ a, d, kernel = held, epsilon = 0.05, units = c(1, 2, 1, 2, 3:6)),
  times = gpc(y ~ a, d, kernel = held, epsilon = 0.05, weights = rep(1:2, 4)),
  shards = bpm(y ~ a, shards(d, 2), nugget = 1, epsilon = 0.05),
  stream = bpm_stream(y ~ a, d, batch_size = 4),
  queries = bpm(y ~ a, dbi_source(con, "d"), nugget = 1, epsilon = 0.05)
)
told <- function(call) {
  set.seed(campaign$seed)
  fit <- suppressWarnings(suppressMessages(eval(call)))
  list(predict(fit, d, type = "prob"), tryCatch(mislabelled(fit), sturdy_error = conditionMessage))
}
done <- 0
for (name in names(fits)) {
  if (campaign_over(campaign)) break
  plain <- told(fits[[name]])
  gctorture2(200)
  tortured <- told(fits[[name]])
  gctorture2(0)
  done <- done + 1
  if (!identical(plain, tortured)) {
    differ <- differ + 1
    cat("  differs:", name, "\n")
  }
}
campaign_figure(campaign, "calls", length(calls))
campaign_figure(campaign, "fits", done)
campaign_figure(campaign, "routines not reached", length(missing), 0)
campaign_figure(campaign, "results that differ", differ, 0)
campaign_end(campaign)
