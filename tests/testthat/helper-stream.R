# Streams for the tests of bpm_stream().

# Rows with numbers, a factor, a text that is not used, and the class.
stream_data <- function(n = 300) {
  withr::with_seed(11, {
    d <- data.frame(
      a = round(rnorm(n), 4), b = sample(1:9, n, TRUE), f = sample(c("u", "v"), n, TRUE),
      note = paste("row", seq_len(n))
    )
    d$class <- ifelse(d$a + d$b / 5 + (d$f == "u") + rnorm(n) / 4 > 1.5, "yes", "no")
    d
  })
}

# in the workspace, whose name alone is saved with a formula
stream_formula <- stats::as.formula("class ~ a + b + f", globalenv())

stream <- function(source = stream_data(), formula = stream_formula, ...,
                   batch_size = 50, progress = FALSE) {
  bpm_stream(source, formula, ..., batch_size = batch_size, progress = progress)
}

csv_file <- function(d = stream_data(), lines = csv_text(d), env = parent.frame()) {
  file <- withr::local_tempfile(fileext = ".csv", .local_envir = env)
  writeLines(lines, file)
  file
}

csv_text <- function(d = stream_data()) {
  con <- textConnection(NULL, "w")
  on.exit(close(con))
  utils::write.csv(d, con, row.names = FALSE)
  textConnectionValue(con)
}

# A function that hands out the rows in batches of the given sizes
batches <- function(d, sizes) {
  ends <- cumsum(sizes)
  i <- 0
  function() {
    i <<- i + 1
    if (i <= length(sizes)) d[ends[i] - sizes[i] + seq_len(sizes[i]), ]
  }
}

caught <- function(code) tryCatch(code, error = identity)
