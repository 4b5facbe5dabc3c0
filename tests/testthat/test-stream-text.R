test_that("options of read.csv() reach it", {
  d <- stream_data()
  file <- withr::local_tempfile(fileext = ".csv")
  utils::write.csv2(d, file, row.names = FALSE)
  expect_identical(stream(file, sep = ";", dec = ",")$weights, stream(d)$weights)
  d$b[20] <- NA
  utils::write.csv(d, file, row.names = FALSE, na = "?")
  error <- caught(stream(file, na.strings = "?"))
  expect_s3_class(error, "sturdy_error_missing")
  expect_identical(error$row, 20)
  d <- stream_data()
  d$f <- ifelse(d$f == "u", 1, 2)
  file <- csv_file(d)
  fit <- stream(file, colClasses = c(f = "character"))
  expect_identical(fit$prior$weights[4:5], c("f1", "f2"))
  expect_error(stream(file, separator = ";"), class = "sturdy_error_unknown_argument")
  expect_error(stream(file, nrows = 3), class = "sturdy_error_unknown_argument")
  expect_error(stream(d, sep = ";"), class = "sturdy_error_unknown_argument")
  expect_error(stream(file, sep = "ab"), class = "sturdy_error_source")
  # either quotation mark, in one file
  text <- csv_text(stream_data())
  text[seq(2, 301, by = 2)] <- gsub("\"", "'", text[seq(2, 301, by = 2)])
  file <- csv_file(lines = text)
  expect_identical(stream(file, quote = "'\"")$weights, stream(stream_data())$weights)
})

test_that("columns are named and typed as the options say", {
  d <- stream_data()
  whole <- stream(d)
  names(d)[1] <- "a 1"
  expect_identical(
    unname(stream(csv_file(d), class ~ a.1 + b + f)$weights$mean),
    unname(whole$weights$mean)
  )
  fit <- stream(csv_file(d), class ~ `a 1` + b + f, check.names = FALSE)
  expect_identical(unname(fit$weights$mean), unname(whole$weights$mean))
  # unnamed colClasses are those of the columns in their order; NULL drops one
  d <- stream_data()
  types <- c("numeric", "integer", "factor", "NULL", "character")
  fit <- stream(csv_file(d), colClasses = types)
  expect_identical(fit$weights, whole$weights)
  expect_identical(fit$filter$columns, names(d))
  expect_identical(fit$filter$classes[4], "NULL")
  file <- csv_file(transform(d, b = b + 0.5))
  expect_equal(nobs(stream(file, colClasses = types)), 300)
  error <- caught(stream(file, colClasses = c(c = "character", a = "numeric")))
  expect_s3_class(error, "sturdy_error_missing_column")
  expect_identical(error$columns, "c")
  # blanks around text
  text <- gsub("\"", "", gsub(",", " , ", csv_text(d)))
  expect_identical(stream(csv_file(lines = text), strip.white = TRUE)$weights,
                   whole$weights)
  # missing numbers are NaN and blank as well as NA
  text <- gsub("\"", "", csv_text(d))
  text[c(21, 31, 118)] <- sub("^[^,]*", "NaN", text[c(21, 31, 118)])
  text[200] <- sub("^[^,]*", "", text[200])
  fit <- stream(csv_file(lines = text), na.action = stats::na.omit)
  expect_identical(fit$filter$left_out, 4)
  text <- sub("^([^,]*)", "\"\\1\"", text)
  text[1] <- csv_text(d)[1]
  again <- stream(csv_file(lines = text), na.action = stats::na.omit)
  expect_identical(again$weights, fit$weights)
})

test_that("a column of nothing but missing values has the class of a later batch, whatever is passed over", {
  source <- text_source(csv_file(lines = c("a,b,c", "1,x,NA", "2,y,NA", "3,z,TRUE", "4,z,FALSE")), 2, text_options(list()))
  source$open()
  source$keep(c("a", "c"))
  source$read()
  expect_identical(source$types(), c(a = "numeric", b = "NULL", c = NA))
  expect_identical(source$read(), data.frame(a = c(3, 4), c = c(TRUE, FALSE)))
  expect_identical(source$types(), c(a = "numeric", b = "NULL", c = "logical"))
  source$close()
})

test_that("a file may have another encoding", {
  skip_if_not(l10n_info()[["UTF-8"]])
  d <- stream_data()
  d$f <- ifelse(d$f == "u", "gr\u00fcn", "rot")
  file <- withr::local_tempfile(fileext = ".csv")
  con <- file(file, "w", encoding = "latin1")
  writeLines(csv_text(d), con)
  close(con)
  fit <- stream(file, encoding = "latin1")
  expect_identical(fit$prior$weights[4:5], c("fgr\u00fcn", "frot"))
  expect_identical(fit$weights, stream(d)$weights)
})

test_that("a header that looks separated by another character is said to", {
  d <- stream_data()
  file <- withr::local_tempfile(fileext = ".csv")
  found <- function(written, ...) {
    utils::write.table(d, file, sep = written, row.names = FALSE)
    caught(stream(file, ...))
  }
  for (sep in c(";", "\t", "|")) {
    error <- found(sep)
    expect_s3_class(error, c("sturdy_error_separator", "sturdy_error_source"), exact = FALSE)
    expect_match(conditionMessage(error), encodeString(sep, quote = "'"), fixed = TRUE)
  }
  expect_s3_class(found(",", sep = ";"), "sturdy_error_separator")
  expect_snapshot({
    said(stop(found(";")))
    said(stop(found("\t")))
    said(stop(found(",", sep = "\t")))
  })
})

test_that("quoted fields may hold commas and line ends, blank lines are passed over", {
  d <- stream_data()
  d$note[c(2, 60, 120)] <- c("a, b", "two\nlines", "a \"word\"\n\nand more")
  plain <- stream(stream_data())
  file <- csv_file(d)
  # a batch ends inside the quoted field: batches are of other sizes then
  expect_equal(stream(file, batch_size = 50)$weights, plain$weights)
  # without quotation marks a blank line is no row
  d <- stream_data()[c("a", "b", "class")]
  plain <- stream(d, class ~ a + b, scale = FALSE)
  text <- gsub("\"", "", csv_text(d))
  text <- append(append(text, "", 30), c("", ""), 200)
  blank <- stream(csv_file(lines = c(text, "")), class ~ a + b, scale = FALSE)
  expect_identical(blank$weights, plain$weights)
  expect_equal(nobs(blank), 300)
})

test_that("numbers may be quoted", {
  d <- stream_data()
  quoted <- csv_file(transform(d, a = as.character(a), b = as.character(b)))
  expect_match(readLines(quoted, 2)[2], "^\"[-0-9.]*\",\"[0-9]\",")
  expect_identical(stream(quoted)$weights, stream(d)$weights)
  d$l <- d$b > 4
  fit <- stream(csv_file(d), formula = class ~ a + l)
  as_text <- csv_file(transform(d, l = as.character(l)))
  expect_identical(stream(as_text, formula = class ~ a + l)$weights, fit$weights)
})

test_that("whole numbers at first, fractions later, are one numeric column", {
  d <- stream_data()
  d$b[200] <- 2.5
  file <- csv_file(d)
  expect_identical(stream(file)$weights, stream(d)$weights)
  # a byte-order mark is no part of the first name
  text <- csv_text(d)
  text[1] <- paste0("\ufeff", text[1])
  file <- withr::local_tempfile(fileext = ".csv")
  con <- file(file, "wb")
  writeBin(charToRaw(enc2utf8(paste0(paste(text, collapse = "\n"), "\n"))), con)
  close(con)
  skip_if_not(l10n_info()[["UTF-8"]])
  expect_identical(stream(file)$weights, stream(d)$weights)
})

test_that("a file that was cut off, or has a line too long, names the line", {
  text <- csv_text()
  checkpoint <- withr::local_tempfile(fileext = ".rds")
  cut <- text[1:118]
  cut[118] <- substr(cut[118], 1, 9) # row 117
  error <- caught(stream(csv_file(lines = cut), checkpoint = checkpoint))
  expect_s3_class(error, c("sturdy_error_batch", "sturdy_error_fields"), exact = FALSE)
  expect_equal(c(error$batch, error$row, error$batch_row), c(3, 117, 17))
  expect_identical(error$fit, fit_in(checkpoint, error$fit))
  resumed <- suppressMessages(
    stream(csv_file(), checkpoint = checkpoint, resume = TRUE)
  )
  expect_identical(resumed, stream(csv_file()))
  long <- text
  long[118] <- paste0(long[118], ",1")
  error <- caught(stream(csv_file(lines = long)))
  expect_s3_class(error, "sturdy_error_fields")
  expect_equal(error$row, 117)
  # in the first lines, where read.csv() counts the columns
  long[2] <- paste0(long[2], ",1")
  expect_equal(caught(stream(csv_file(lines = long)))$row, 1)
  # twice as many fields are not two rows
  long <- text
  long[118] <- paste(long[118], long[118], sep = ",")
  error <- caught(stream(csv_file(lines = long)))
  expect_s3_class(error, "sturdy_error_fields")
  expect_equal(error$row, 117)
  long <- append(long, "", 119) # nor with a blank line in the same batch
  expect_equal(caught(stream(csv_file(lines = long)))$row, 117)
  open <- text
  open[118] <- sub("\"row", "row", open[118])
  error <- caught(stream(csv_file(lines = open)))
  expect_s3_class(error, "sturdy_error_fields")
  expect_equal(error$row, 117)
  # a label that is cut off, with and without its closing quotation mark
  for (last in c("\"y", "y")) {
    cut[118] <- sub("\"(yes|no)\"$", last, text[118])
    error <- caught(stream(csv_file(lines = cut)))
    expect_s3_class(error, "sturdy_error_batch")
    expect_equal(error$row, 117)
  }
})

test_that("a folder is no file, and the options are of the kinds that read.csv() takes", {
  path <- withr::local_tempfile(lines = c("u,class", "1,a", "2,b", "3,a"))
  expect_error(bpm_stream(class ~ u, tempdir()), "folder", class = "sturdy_error_source")
  bad <- list(
    dec = ",,", sep = 3, dec = NULL, quote = NA, na.strings = 1, colClasses = list(3),
    check.names = NA, strip.white = "yes", encoding = 1, encoding = "%s%n",
    quote = "|", quote = "{not a character}" # of which read.csv() would end the session
  )
  for (k in seq_along(bad)) {
    expect_error(
      do.call(bpm_stream, c(list(class ~ u, path), bad[k])), names(bad)[k],
      class = "sturdy_error_type"
    )
  }
})

test_that("plain lines are read by data.table as read.table() reads them, others are left to it", {
  skip_if_not_installed("data.table")
  classes <- c(a = "numeric", b = "character", c = "NULL", d = "logical", e = "numeric")
  options <- c(text_options(list()), plain = TRUE)
  fine <- list(
    "1.5,u,x,TRUE,3", "-2e-7,,y,NA,NA", ",\"v, w\",\"z\",FALSE,0.1", "NaN,NA,,,1e5", "7,it's #1,x,TRUE,-0.25",
    " 12, u ,x,FALSE,4", "Inf,\u00e4,x,TRUE,00012"
  )
  read <- text_plain(unlist(fine), classes, options)
  expect_equal(read, text_typed(unlist(fine), classes, options), tolerance = 1e-14)
  expect_identical(names(read), c("a", "b", "d", "e"))
  odd <- c(
    "1,u,x,TRUE", "1,u,x,TRUE,3,4", "one,u,x,TRUE,3", "1,u,x,maybe,3", "", "1,\"u,x,TRUE,3", "1,\"u \"\"v\"\"\",x,TRUE,3",
    "1,u\"v\"w,x,TRUE,3", "1,\"NA\",x,TRUE,3", "\"1\",\"\",x,TRUE,3", "0x1A,u,x,TRUE,3"
  )
  for (line in odd) expect_null(text_plain(c(fine[[1]], line, fine[[5]]), classes, options))
  expect_null(text_plain(fine[[1]], replace(classes, 1, NA), options))
  expect_null(text_plain(fine[[1]], classes, replace(options, "plain", FALSE)))
  # and then a row is blamed
  bad <- csv_file(lines = replace(csv_text(), 252, "\"many\",1,\"u\",\"x\",\"yes\""))
  error <- caught(stream(bad))
  expect_s3_class(error, "sturdy_error_column_type")
  expect_identical(error$row, 251)
})
