# gpc() and bpm() over shards: a first pass that settles the encoding, a sample of rows on
# which learning starts, rounds of EP over all, and a fit that keeps no rows.

mold_rows.sturdy_shards <- function(data, spec, formula, subset, na.action, cluster, env, known) {
  spec <- check_shards_spec(spec)
  of_rows <- c(known, list(subset = subset))
  for (name in names(of_rows)) {
    hint <- if (name == "subset") "Leave the rows out there."
    refuse_elsewhere(length(of_rows[[name]]) > 0, "{.arg {arg}} can't be used", name, name, hint)
  }
  na.action <- check_na_action(na.action)
  team <- if (inherits(data, "sturdy_source")) table_team(data, cluster) else new_team(data, cluster)
  on.exit(team$close())
  molded <- with_reports(mold_shards(team, formula, spec$scale, na.action))
  molded$data$reports <- with_times(molded$data$reports, molded$data$times)
  spec <- check_class_number(spec, molded)
  fit <- fit_shards(spec, team, molded)
  with_call(fit)
}

check_shards_spec <- function(spec) {
  refuse_elsewhere(
    identical(spec$inference, "adf"), "{.code inference = \"adf\"} can't be used", "shards", "inference",
    "ADF depends on the order of the rows: see {.fn bpm_stream}."
  )
  refuse_elsewhere(
    spec_model(spec) != "bpm" && is.null(spec$inducing), "{.arg inducing} must not be {.code NULL}",
    "shards", "inducing"
  )
  asked <- c("models", "rate", "sensitivity", "specificity", "study", "unlabelled")
  refuse_elsewhere(
    !identical(unclass(spec$noise)[asked], unclass(noise_prior())[asked]),
    "{.arg noise} can hold {.arg overlap}, {.arg pooling} and {.arg unusual} only", "shards", "noise",
    "A fit over shards learns rates without a prior."
  )
  # with the rows that are cut into shards one point is as good as an average
  spec$hyper <- "optimum"
  learns <- is.character(spec$epsilon) || is.character(spec$nugget) ||
    is.character(spec$prior_scale) || !is.null(spec$kernel) && !holds_all(spec$kernel)
  refuse_elsewhere(
    learns && (is.finite(spec$df) || spec$criterion != "evidence"),
    "Hyperparameters are learned by the evidence at {.code df = Inf} only", "shards", "df",
    "Hold them: learn them on some of the rows first."
  )
  spec
}

mold_rows.sturdy_source <- mold_rows.sturdy_shards

# Fits ------------------------------------------------------------------------

fit_shards <- function(spec, team, molded) UseMethod("fit_shards")

fit_shards.gpc_spec <- function(spec, team, molded) {
  table <- team$table
  if (!is.null(table) && identical(spec$inducing, "auto")) spec$inducing <- table_inducing
  blueprint <- molded$blueprint
  X <- molded$data$X
  coding <- blueprint_columns(blueprint)
  spec$kernel <- kernel_for(spec$kernel, X, blueprint)
  kernel <- kernel_resolve(
    spec$kernel, X, coding, blueprint$columns, blueprint$all_columns, overlap = spec$noise$overlap
  )
  if (!is.null(table)) check_sql_kernel(kernel)
  columns <- kernel_columns(kernel, coding)
  Z <- inducing_inputs(spec$inducing, blueprint, X)
  if (is.null(Z)) Z <- inducing_auto # "auto" with few rows
  few <- latent_inducing(X, columns, row_labels(molded$data), kernel, Z)
  fit <- learn_apart(team, few, list(columns = columns), molded$shards$rows, spec)
  kernel[hyper_names] <- fit$hyper
  new_shard_model(spec, team, molded, fit, kernel = kernel, inducing = new_inducing(fit))
}

fit_shards.bpm_spec <- function(spec, team, molded) {
  prior <- bpm_prior(spec, molded$blueprint)
  few <- latent_weight(bpm_design(molded$data$X, prior), row_labels(molded$data), prior)
  fit <- learn_apart(team, few, prior, molded$shards$rows, spec)
  prior <- prior_at(prior, fit$hyper)
  new_shard_model(spec, team, molded, fit, prior = prior, weights = ep_weights(fit$ep, prior, spec$df))
}

#' @param few the latent of the sample. @param prior see latent_shards(). @param rows of each shard.
#' @noRd
learn_apart <- function(team, few, prior, rows, spec) {
  if (is.null(team$table)) {
    learn_over_shards(latent_shards(team, rows, few, prior), spec)
  } else learn_by_queries(team$table, few, prior, rows, spec)
}

#' @param ... the model's own parts
#' @noRd
new_shard_model <- function(spec, team, molded, fit, ...) {
  warn_ep(fit$ep)
  by_row <- c("m", "C_diag", "loo", "seen", "flipped")
  fit$ep[by_row] <- list(numeric())
  fit$ep$cavity <- list(mean = numeric(), var = numeric())
  molded["data"] <- list(NULL)
  fit$ep["C"] <- NULL
  object <- new_model(spec, molded, fit[c("epsilon", "ep", "learning")], ..., shards = molded$shards)
  class(object) <- c("sharded", class(object))
  cells <- if (is.null(team$table)) {
    out <- rounds_at_fit(fit$latent, object) # before the scores are asked for
    team$sum("scores", out[c("point", "posterior", "lik")], add_cells)
  } else if (takes_stage(object)) table_scores(team$table, fit$at)
  with_label_stage(object, label_stage_cells(object, cells))
}

#' EP at the point of a fit, from the sites that the shards hold: what learning has tried last may be
#' another
#' @noRd
rounds_at_fit <- function(latent, object) {
  at <- list(hyper = model_hyper(object), sites = held_sites)
  at$L <- report_likelihood(latent$reports, as_omega(object$epsilon, 2))
  latent$ep(list(at), object$spec$df, object$spec$control)[[1]]
}
