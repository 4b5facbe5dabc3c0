# Answers of a shard, written to a file where its rows are or sent to the driver.

shard_predict <- function(state, object, type, noise, interval, file = NULL) {
  state$wanted <- read_columns(object$blueprint)
  answer <- function(data) {
    found <- stats::predict(object, data, type = type, noise = noise, interval = interval)
    if (is.null(dim(found))) found <- data.frame(if (is.list(found)) unclass(found) else unname(found))
    if (ncol(found) == 1) names(found) <- type
    cbind(row = state$read + seq_len(nrow(found)), as.data.frame(found, optional = TRUE))
  }
  none <- sapply(state$wanted, function(name) logical(), simplify = FALSE)
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
#'   answers one after the other, the number of the row in the first column.
#' @return list(rows, wrong: sum of the column `probability`, answers: `NULL` with a file)
#' @noRd
answer_batches <- function(file, none, all) {
  done <- list(rows = 0, wrong = 0)
  each <- function(keep) {
    all(function(answers) {
      done$rows <<- done$rows + nrow(answers)
      done$wrong <<- done$wrong + sum(answers[["probability"]])
      if (nrow(answers)) keep(answers) # of none paste() would make a line
    })
  }
  if (is.null(file)) {
    kept <- list(none)
    each(function(answers) kept[[length(kept) + 1]] <<- answers)
    done$answers <- do.call(rbind, kept)
  } else {
    write_file(file, function(put) {
      put(paste(csv_text(names(none)), collapse = ","))
      each(function(answers) put(csv_lines(answers)))
    })
  }
  done
}

#' Lines of a CSV file, in UTF-8 wherever they are written
#' @noRd
csv_lines <- function(data) {
  data[[1]] <- as.integer(data[[1]]) # 100000, and not 1e+05
  do.call(paste, c(lapply(unname(as.list(data)), csv_text), sep = ","))
}

csv_text <- function(v) {
  if (is.numeric(v)) return(as.character(v))
  text <- enc2utf8(as.character(v))
  ifelse(is.na(v), "NA", sql_quoted(text, "\""))
}
