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
  gp_fit = native_gp_fit(
    X, columns, hyper, likely(y, 0.05), 3, NULL, ep_control(), "loo", TRUE, function(...) list(...)
  ),
  gp_fit_bad = native_gp_fit(
    X, columns, hyper, likely(y, 0), 3, list(tau = rep(-9, 5), nu = y), ep_control()
  ),
  ep_fit = native_ep_fit(diag(5) + 1, likely(y, 0.05), Inf, NULL, ep_control()),
  weight_fit = native_weight_fit(
    t(X), c(1, 2), 0.1, likely(y, 0.05), 3, NULL, ep_control(), "evidence_zp", TRUE
  ),
  gp_predict = native_gp_predict(
    X, columns, hyper, list(tau = c(1, 0.5, 0, -0.02, 1)), y, X[1:2, ]
  ),
  weight_predict = native_weight_predict(t(X), c(1, 2), S),
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
  bernoulli = list(
    .Call(C_bernoulli_renyi, 0.3, 2), .Call(C_bernoulli_tsallis, 0.3, 2),
    .Call(C_bernoulli_q_entropy, 0.3, 1.2), .Call(C_bernoulli_q_divergence, 0.3, 0.4, 1.2)
  ),
  mvt_natural = .Call(C_mvt_natural, c(1, 2), S, 3),
  mvt_from_natural = {
    natural <- .Call(C_mvt_natural, c(1, 2), S, 3)
    .Call(C_mvt_from_natural, natural$theta1, natural$theta2, 3)
  },
  mvt_escort = .Call(C_mvt_escort, S, 3),
  mvt_entropy = list(.Call(C_mvt_entropy, S, 3, c(0.5, 2)), .Call(C_mvt_entropy, S, 3, NULL)),
  mvt_q_divergence = .Call(C_mvt_q_divergence, c(1, 2), S, c(0, 0), S + diag(2), 3)
)
at <- list2env(list(
  X = X, y = y, S = S, likely = likely, columns = list(group = 1:2, weight = c(1, 1)),
  hyper = list(lengthscale = c(1, 2), variance = 2, bias = 1, nugget = 0.1)
), parent = asNamespace("sturdy"))

reached <- unique(unlist(lapply(calls, function(call) {
  names <- all.names(call)
  doors <- intersect(names, ls(asNamespace("sturdy"), pattern = "^native_"))
  bodies <- lapply(doors, function(door) all.names(body(get(door, asNamespace("sturdy")))))
  grep("^C_", c(names, unlist(bodies)), value = TRUE)
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
campaign_figure(campaign, "calls", length(calls))
campaign_figure(campaign, "routines not reached", length(missing), 0)
campaign_figure(campaign, "results that differ", differ, 0)
campaign_end(campaign)
