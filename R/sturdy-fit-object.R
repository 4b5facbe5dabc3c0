#' What is in a fit
#'
#' The fields of what [gpc()] and [stc()] return, a plain list. Use the functions that answer questions
#' where there is one: `coef()`, `fitted()`, [mislabelled()], [loo()], [log_evidence()],
#' [flip_rates()], [noise_test()], [ep_diagnostics()]. Those of [bpm()] stand on its own page.
#'
#' @details
#' With n training rows, p encoded columns (numeric columns,
#' and one 0/1 indicator per level of the others) and g inputs, its fields are
#'   * `spec`: the arguments, as `gpc_spec()` returns them;
#'   * `blueprint`: how inputs are encoded: terms, levels, centre and scale, and the two
#'     classes. It contains no data;
#'   * `data`: the encoded training rows, a list of `X` (n x p), `y` (n, -1 or +1),
#'     `rows` (n, positions in the data given), `row_names` (n), `na_action` (what
#'     `na.action` left out, or `NULL`) and `n_given` (the number of rows of the data
#'     given); where rows have no label `unlabelled`, a list of their `X`, `rows`, `row_names` and
#'     `at`, their positions before `na.action` left rows out; with `units`, whose number n then is, a list `units` of
#'     their `name` and, of each row, its position `rows`, `row_names` and `of`, its unit;
#'   * `epsilon`: the flip rate in use, a number, or two named `neg` and `pos`, of the first stage;
#'   * `omega`: its noise matrix, a row a true class and a column a recorded one (the mean
#'     over groups and nodes);
#'   * `kernel`: the kernel with the values in use; `lengthscale` has g entries (one for
#'     [kernel_iso()]);
#'   * `inducing`: `NULL` for a dense kernel, otherwise a list of `Z` (m x p, encoded), `C`
#'     (the covariance of the whitened latent values at Z and of the bias) and `left` (the
#'     share of the variance left); `b` of `ep` is then their location;
#'   * `ep`: the EP fixed point, a list of `sites` (`tau` and `nu`, n each), `m` (n),
#'     `C_diag` (n), `log_det`, `kappa`, `b` (n) and `cavity` (`mean` and `var`, n each),
#'     in the scaled coordinates of [ep_fit()]; `log_evidence` and `log_evidence_zp`;
#'     `loo` (n, leave-one-out log probabilities of the labels); `flipped` (n,
#'     probabilities that the labels are wrong); `status`, `message`, `residual` (n),
#'     `sweeps`, `newton` (Newton steps among them), `skipped` (sites left out of the last
#'     sweep), and `trace`, a data frame with one row per sweep (`NULL` if
#'     `ep_control(trace = FALSE)`);
#'   * `learning`: `NULL` if nothing was learned, otherwise a list of `value` (the
#'     criterion), `penalised` (with the log prior), `convergence` (0 means success),
#'     `message`, `cold_start` (whether EP from a cold start reaches `value`; `NA` of many rows),
#'     `evaluations` (on all rows), `starts` (a data frame with a row for each place that starting
#'     points led to), `method` and `on_bound` (names of the hyperparameters on a bound of the search);
#'   * `call`: the call;
#'   * `nodes`: where the fit averages, or has one node as if it did, see [averaging], otherwise `NULL`;
#'   * `label_stage`: where rates are learned or averaged over, what judges the labels: a fit as
#'     [second_stage()] makes one, on the leave-one-out probabilities of this one ([wrong-labels]), of
#'     [shards()] in cells with weights;
#'     otherwise `NULL`. All that is said of labels is said by it, and predictions go through it.
#'     Without it (`fit$label_stage <- NULL`) the fit is its first stage alone.
#'
#' With three classes or more `data$y` counts the classes from 1, `epsilon` has the rate, or
#' with a matrix the rate of each true class, `inducing$C` has a column a class, and so have
#' `sites`, `cavity`, `m`, `C_diag` and `b` in `ep`.
#'
#' @name fit-object
#' @seealso [gpc()], [averaging] for the field `nodes`
NULL
