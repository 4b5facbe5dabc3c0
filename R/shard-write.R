# Answers of a shard, written to a file where its rows are or sent to the driver.

shard_predict <- function(state, object, type, noise, file = NULL) {
  state$wanted <- used_columns(object$blueprint)
  answer <- function(data) {
    found <- stats::predict(object, data, type = type, noise = noise)
    if (is.null(dim(found))) found <- stats::setNames(data.frame(unname(found)), type)
    as.data.frame(found, optional = TRUE)
  }
  none <- sapply(object$blueprint$variables, function(name) logical(), simplify = FALSE)
  answer_batches(file, answer(as.data.frame(none, optional = TRUE)), function(write) {
    each_frame(state, function(data) write(answer(data)))
  })
}

#' The rows of the fit, by its label stage or, where it has none, by its own likelihood
#' @noRd
shard_suspects <- function(state, point, posterior, lik, object, file = NULL) {
  stage <- object$label_stage
  answer <- function(y, rows, seen) {
    data <- list(y = y, rows = rows, reports = label_reports(1 + (y > 0), 2L))
    if (is.null(stage)) {
      return(answers_in_order(object, new_truth(nodes(object), array(seen, c(dim(seen), 1)), data), data))
    }
    said <- label_says_of(as_scores(exp(seen)), data, stage$nodes, stage$recalibration$way)
    answers_in_order(object, said$truth, data, said$unusual)
  }
  answer_batches(file, answer(1, 1L, matrix(log(0.5), 1, 2))[0, ], function(write) {
    each_block(state, function(block, rows) {
      view <- native_shard_view(rows, lik, posterior, made_under(state, point)[[block$at]])
      write(answer(block$y, block$rows, view$seen))
    })
  })
}

#' Further rows, with labels that may be wrong
#' @param labels,rates names of columns, or `NULL`.
#' @noRd
shard_labelled <- function(state, object, labels, rates, file = NULL) {
  blueprint <- object$blueprint
  state$wanted <- c(labelled_columns(blueprint), blueprint$groups$variables, labels, rates)
  column <- function(data, name) {
    check_new_columns(data, name, "data", "the column")
    if (!is.null(name)) data[[name]]
  }
  answer <- function(new) answers_in_order(object, said_of_new(object, new$X, new$data, NULL)$rows, new$data)
  answer_batches(file, answer(no_labelled_rows(object)), function(write) {
    each_frame(state, function(data) {
      found <- answer(labelled_rows(object, data, column(data, labels), column(data, rates)))
      found$row <- state$read + found$row
      write(found)
    })
  })
}

#' Answers to a file, which has its name when it is complete, or to the driver
#'
#' @param none an answer for no rows. @param all function(write), which writes data frames of
#'   answers one after the other; where these have no column `row`, they are of all rows.
#' @return list(rows, wrong: sum of the column `probability`, answers: `NULL` with a file)
#' @noRd
answer_batches <- function(file, none, all) {
  rows <- wrong <- 0
  numbered <- function(answers) {
    at <- rows + seq_len(nrow(answers))
    rows <<- rows + nrow(answers)
    wrong <<- wrong + sum(answers[["probability"]])
    if (is.null(answers[["row"]])) cbind(row = at, answers) else answers
  }
  kept <- list(numbered(none))
  if (is.null(file)) {
    all(function(answers) kept[[length(kept) + 1]] <<- numbered(answers))
    return(list(rows = rows, wrong = wrong, answers = do.call(rbind, kept)))
  }
  write_file(file, function(put) {
    put(csv_bytes(kept[[1]], names = TRUE))
    all(function(answers) put(csv_bytes(numbered(answers))))
  })
  list(rows = rows, wrong = wrong)
}

csv_bytes <- function(data, names = FALSE) {
  con <- rawConnection(raw(), "w")
  on.exit(close(con))
  utils::write.table(data, con, sep = ",", dec = ".", qmethod = "double", row.names = FALSE, col.names = names)
  rawConnectionValue(con)
}
