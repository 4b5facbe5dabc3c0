# Answers of a shard, written to a file where its rows are or sent to the driver.

shard_predict <- function(state, object, type, noise, file = NULL) {
  answer_batches(file, function(write) {
    each_frame(state, function(data) {
      answer <- stats::predict(object, data, type = type, noise = noise)
      if (is.null(dim(answer))) {
        answer <- stats::setNames(data.frame(unname(answer)), type)
      }
      write(as.data.frame(answer, optional = TRUE))
    })
  })
}

shard_suspects <- function(state, posterior, lik, file = NULL) {
  levels <- state$blueprint$levels
  wrong <- 0
  done <- answer_batches(file, function(write) {
    each_block(state, function(block) {
      rows <- block_rows(state, block)
      view <- native_shard_view(rows, lik, posterior, block$here)
      truth <- truth_posterior(lik$L[rows$kind, , drop = FALSE], view$seen)
      flipped <- wrong_share(truth, rows$kind)
      wrong <<- wrong + sum(flipped)
      write(data.frame(
        label = levels[rows$kind], probability = flipped,
        loo_wrong = wrong_share(exp(view$seen), rows$kind), loo = exp(view$loo)
      ))
    })
  })
  c(done, list(wrong = wrong))
}

#' Answers to a file, which has its name when it is complete, or to the driver
#'
#' @param all function(write), which writes data frames of answers one after the other.
#' @return list(rows, answers: `NULL` with a file)
#' @noRd
answer_batches <- function(file, all) {
  rows <- 0
  kept <- list()
  beside <- if (!is.null(file)) paste0(file, ".new")
  all(function(answers) {
    answers <- cbind(row = rows + seq_len(nrow(answers)), answers)
    if (is.null(file)) {
      kept[[length(kept) + 1]] <<- answers
    } else {
      utils::write.table(
        answers, beside, append = rows > 0, sep = ",", dec = ".", qmethod = "double",
        row.names = FALSE, col.names = rows == 0
      )
    }
    rows <<- rows + nrow(answers)
  })
  if (!is.null(file) && rows > 0) file.rename(beside, file)
  list(rows = rows, answers = do.call(rbind, kept))
}
