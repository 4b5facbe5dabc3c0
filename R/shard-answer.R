#' Answers for rows in shards
#'
#' [predict()][predict.sturdy_model] and [mislabelled()] for rows that are described by
#' [shards()]: answers are written to one CSV file a shard, or to a table of a database, in the
#' order of the shards and of their rows.
#'
#' @details
#' `predict(fit, rows, type, noise, interval, to = )` takes any fit, and reads the columns of
#' that alone. Rows with missing values have no answer there (`NA`), as without shards. The columns
#' written are `row`, the number of the row in its shard, and `class` (`type = "class"`), the two classes (`"prob"`),
#' `location`, `scale`, `df`, `m` and `s2` (`"latent"`), `response` or `link`; with an `interval`
#' `estimate`, `lower` and `upper`, of each class where there are several.
#'
#' `mislabelled(fit, rows, to = )` takes a fit to shards and the same rows. Those with missing
#' values are left out as the fit left them out, and counted in `row`. EP is run once more
#' at the hyperparameters of the fit: a few rounds, or none where `rows` resume from the
#' `checkpoint` of the fit. The label stage of the fit answers or, where all rates were given, its own
#' likelihood. The columns are `row`, `label`, `probability` (that the label is
#' wrong, given all labels), `loo` (the leave-one-out probability of the label), `suggested`,
#' `unusual` (by a label stage) and `loo_wrong` (as `probability`, given the other labels), as
#' [mislabelled()] has them. A table of a database has the column `shard`, too.
#'
#' `mislabelled(fit, newdata = rows, to = )` takes any fit, and *further* rows with labels: each is
#' told by the fit and its own label, as without shards, and no row by another. The columns are those
#' of [mislabelled()] that do not hang on other rows: `row`, `label`, `probability`, `loo`,
#' `suggested` and `loo_wrong`, of several classes `p_suggested`, `runner_up` and `p_runner_up`, too.
#' For a fit from `x` and `y` `labels` is the name of their column; `rates`, where those of the fit
#' were no columns of its data, is one, too. There is no count with an interval: `wrong` is a sum.
#'
#' @name shard_answers
#' @param object A fit.
#' @param rows Rows, as [shards()] describes them.
#' @param to A folder for the files `shard-00001.csv` and so on, which a cluster must see,
#'   too; or a DBI connection, with `table`. Files and tables that are there are not replaced: of a
#'   call that ended half way those that it had made are to be removed before another.
#'   A file has its name when all of it is written; that of a shard without rows has the names
#'   of the columns alone.
#' @param table Name of a new table.
#' @param newdata Rows that the fit has not seen, described by [shards()].
#' @param cluster `NULL`, the default, for this process; an engine or a cluster, see [shards()].
#' @param ... With `newdata`: `labels` and `rates`. Otherwise not used.
#' @return A data frame with one row a shard: `shard`, `rows`, and `file` or `table`; of
#'   `mislabelled()` also `wrong`, the sum of the probabilities. For `predict()` invisibly.
#' @section Conditions:
#' `sturdy_error_missing_argument` without `to`; `sturdy_error_type`; `sturdy_error_exists`
#' for a file or table that is there; `sturdy_error_rows` when the rows are not those of the
#' fit; `sturdy_error_shard` for a shard that can't be used.
#' @examples
#' set.seed(1)
#' d <- data.frame(a = rnorm(400), b = rnorm(400))
#' d$class <- factor(d$a + d$b > 0, labels = c("no", "yes"))
#' rows <- shards(d, n = 2)
#' fit <- bpm(class ~ ., rows, nugget = 1, epsilon = 0.05)
#' folder <- tempfile()
#' dir.create(folder)
#' found <- mislabelled(fit, rows, to = folder)
#' found
#' head(read.csv(found$file[1]))
#' unlink(folder, recursive = TRUE)
NULL

predict_apart.sturdy_shards <- function(rows, object, type, noise, interval, to, table = NULL,
                                        cluster = NULL, ...) {
  check_no_dots(...)
  check_posterior(object)
  invisible(answer_apart(rows, rlang::maybe_missing(to), table, cluster, "predict", function(team) {
    list(object = object, type = type, noise = noise, interval = interval)
  }))
}

#' @rdname shard_answers
#' @export
mislabelled.sharded <- function(object, rows, to, table = NULL, cluster = NULL,
                                ..., newdata = NULL) {
  if (!is.null(newdata)) return(NextMethod())
  check_no_dots(...)
  check_model(object)
  check_posterior(object)
  if (!inherits(rlang::maybe_missing(rows), "sturdy_shards")) check_by_ep(object)
  answer_apart(rows, rlang::maybe_missing(to), table, cluster, "suspects", function(team) {
    encode_again(team, object)
    out <- rounds_again(team, object)
    if (!ep_converged(out)) {
      status <- ep_status(out$status)
      warn_sturdy("On these rows: {ep_message(status, out, object$spec$df)}", "not_converged", status = status)
    }
    c(out[c("point", "posterior", "lik")], list(object = object))
  })
}

mislabelled_apart.sturdy_shards <- function(rows, object, labels, rates, to, table = NULL,
                                            cluster = NULL, ...) {
  check_no_dots(...)
  check_posterior(object)
  words <- "be the name of a column, where rows are in {.fn shards}"
  must(is.null(labels) || rlang::is_string(labels), "labels", words, got = labels)
  must(is.null(rates) || rlang::is_string(rates), "rates", words, got = rates)
  answer_apart(rows, rlang::maybe_missing(to), table, cluster, "labelled", function(team) {
    inform_no_label_noise(object)
    list(object = object, labels = labels, rates = rates)
  })
}

#' Asks every shard to write its answers, or for them, in its turn
#' @param args function(team): what it is asked. @param others as the help says.
#' @noRd
answer_apart <- function(rows, to, table, cluster, verb, args) {
  size <- length(rows$sources)
  to <- answer_target(rlang::maybe_missing(to), table, size)
  team <- new_team(rows, cluster)
  on.exit(team$close())
  args <- args(team)
  if (is.null(to$con)) {
    done <- team$ask(verb, args, lapply(to$files, function(file) list(file = file)))
    lapply(to$files, function(file) remove_files(unfinished(file))) # of tasks that were killed
  } else {
    done <- lapply(seq_len(size), function(k) {
      done <- team$ask(verb, args, only = k)[[1]]
      DBI::dbWriteTable(to$con, to$table, cbind(shard = rep(k, done$rows), done$answers), append = TRUE)
      done[names(done) != "answers"]
    })
  }
  found <- data.frame(shard = seq_len(size), rows = vapply(done, `[[`, numeric(1), "rows"))
  if (verb != "predict") found$wrong <- vapply(done, `[[`, numeric(1), "wrong")
  if (is.null(to$con)) found$file <- to$files else found$table <- to$table
  found
}

#' Encodes rows as the fit does, which must be its rows
#' @noRd
encode_again <- function(team, object) {
  types <- first_rows(team)$types
  counts <- encode_shards(team, object$blueprint, stats::na.omit, types)$counts
  of_fit <- object$shards$counts
  must(identical(counts, of_fit), "rows", "be those of the fit", "rows", more = c(
    x = "They have {counts[1]} and {counts[2]} labels of the two classes, not {of_fit[1]} and {of_fit[2]}."
  ))
}

#' EP over the shards of a fit, from where its posterior is
#' @noRd
rounds_again <- function(team, object) {
  few <- list(hyper = model_hyper(object), Z = object$inducing$Z)
  prior <- if (is.null(few$Z)) object$prior else list(columns = model_columns(object))
  latent <- latent_shards(team, object$shards$rows, few, prior)
  L <- report_likelihood(latent$reports, as_omega(object$epsilon, 2))
  posterior <- list(b = object$ep$b, extra = c(object$inducing, object$weights)$C)
  latent$project(few$hyper, object$spec$df, L, posterior)
  rounds_at_fit(latent, object)
}

# Where answers go ------------------------------------------------------------

#' @return list(files) or list(con, table)
#' @noRd
answer_target <- function(to, table, size) {
  must(!rlang::is_missing(to), "to", "be given: where the answers are to be written", "missing_argument")
  if (inherits(to, "DBIConnection")) {
    must(rlang::is_string(table), "table", "be the name of a table", got = table)
    check_absent(DBI::dbExistsTable(to, table), paste("The table", table))
    return(list(con = to, table = table))
  }
  must(rlang::is_string(to) && dir.exists(to), "to", "be a folder that exists, or a DBI connection", got = to)
  files <- file.path(normalizePath(to), sprintf("shard-%05d.csv", seq_len(size)))
  there <- files[file.exists(files)]
  check_absent(length(there) > 0, paste("The file", there[1]))
  list(files = files)
}

check_absent <- function(there, what) {
  refuse(there, c("{what} already exists.", i = "Remove it, or let {.arg to} be another place."), "exists", arg = "to")
}

# A fit without its rows ------------------------------------------------------

check_by_ep.sharded <- function(object) {
  abort_sturdy(c(
    "The fit keeps no rows: they are where it found them.",
    i = "{.code predict(fit, rows, to = )} and {.code mislabelled(fit, rows, to = )} take rows that {.fn shards}
         describes, and write what they find.",
    i = "Of a table of a database {.code predict_sql(fit, table, labels = )} says which labels are wrong."
  ), "no_sites")
}
