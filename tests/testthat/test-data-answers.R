# The file of answers that a report saves, taken in.

taken <- function(fit, checked, ...) {
  after <- suppressMessages(update(fit, checked = checked, ...))
  after[setdiff(names(after), "call")]
}

answers_file_of <- function(...) {
  file <- withr::local_tempfile(fileext = ".csv", .local_envir = rlang::caller_env(2))
  answers_csv(file, ...)
  file
}

# Row 3 found wrong, 7 right, 9 left open
toy_answers <- function(..., d = toy(), row = c(3L, 7L, 9L),
                        answer = c("wrong", "right", "can't say")) {
  recorded <- as.character(d$class)[row]
  other <- ifelse(recorded == levels(d$class)[1], levels(d$class)[2], levels(d$class)[1])
  label <- ifelse(answer == "wrong", other, ifelse(answer == "right", recorded, ""))
  answers_file_of(row, recorded, answer, label, ...)
}

test_that("answers make the fit that the same checks make by hand", {
  d <- toy()
  fit <- toy_fit(epsilon = "average", hyper = "integrate")
  by_hand <- taken(fit, data.frame(
    row = c(3, 7), label = c(setdiff(levels(d$class), d$class[3]), as.character(d$class[7]))
  ))
  file <- toy_answers()
  expect_identical(taken(fit, file), by_hand)
  expect_identical(taken(fit, read.csv(file)), by_hand)
  expect_message(
    expect_message(update(fit, checked = file), "1 of 3 answers leaves the class open and is no"),
    "Of 2 checked labels 1 was changed and 1 confirmed"
  )
  expect_message(update(fit, checked = file), class = "sturdy_message_open_answers")
  # taken in again, with one more, they are what they would have been at once
  more <- toy_answers(row = c(3L, 7L, 9L), answer = c("wrong", "right", "right"))
  expect_identical(
    taken(suppressMessages(update(fit, checked = file)), more)$data, taken(fit, more)$data
  )
})

test_that("nothing but right and wrong with a class is a check", {
  fit <- toy_fit()
  file <- answers_file_of(
    c(3L, 5L, 9L), as.character(toy()$class[c(3, 5, 9)]),
    c("can't say", "wrong, class not given", ""), "", note = "a \"note\",\nand more"
  )
  after <- taken(fit, file)
  expect_false(any(report_known(after$data$reports)))
  expect_message(
    update(fit, checked = file), "3 of 3 answers leave the class open and are no checks"
  )
  # what a page is filled with otherwise: a list of the user's own columns
  own <- data.frame(row = 3, label = "yes", answer = "phone")
  expect_equal(which(report_known(taken(fit, own)$data$reports)), 3)
})

test_that("answers of identifiers go by them, also where these are hard to write", {
  d <- toy()
  for (id in list(
    sprintf("%03d", 40:1), sprintf("P,\"%d\"\r\n'x'", 40:1), 1e10 + 40:1, 40:1 / 8,
    as.Date("2020-01-01") + 40:1, paste0("\u00fc\u2028 <", 40:1)
  )) {
    d[["the id, \"<\n"]] <- id
    fit <- toy_fit(data = d)
    more <- list(id_text(id)[c(3, 7, 9)])
    names(more) <- "the id, \"< "
    file <- toy_answers(more = more)
    by_hand <- taken(fit, taken_by_hand <- data.frame(
      row = c(3, 7), label = c(setdiff(levels(d$class), d$class[3]), as.character(d$class[7]))
    ))
    expect_identical(taken(fit, file, id = d["the id, \"<\n"]), by_hand)
    expect_identical(taken(fit, file), by_hand)
    table <- utils::read.csv(file, encoding = "UTF-8")
    expect_identical(taken(fit, table, id = d["the id, \"<\n"]), by_hand)
    # of other rows
    more[[1]] <- rev(more[[1]])
    expect_error(
      update(fit, checked = toy_answers(more = more), id = d["the id, \"<\n"]), "say the same",
      class = "sturdy_error_checked"
    )
  }
})

test_that("classes are read as they are named", {
  d <- toy()
  for (names in list(c("T", "F"), c("01", "1"), c("NA", "no"), c("", " "), c("a\r\nb", "a,\"b"))) {
    levels(d$class) <- names
    fit <- toy_fit(data = d)
    recorded <- as.character(d$class)
    right <- data.frame(row = c(3, 7), label = c(setdiff(names, recorded[3]), recorded[7]))
    expect_identical(taken(fit, toy_answers(d = d)), taken(fit, right))
  }
})

test_that("what programs for tables make of the file is read, or refused", {
  fit <- toy_fit()
  file <- toy_answers()
  right <- taken(fit, file)
  text <- readLines(file)
  other <- withr::local_tempfile(fileext = ".csv")
  write_bytes <- function(...) writeBin(c(...), other)
  bytes <- function(lines, end = "\r\n") charToRaw(paste0(lines, end, collapse = ""))
  write_bytes(as.raw(c(0xef, 0xbb, 0xbf)), bytes(text))
  expect_identical(taken(fit, other), right)
  for (sep in c(";", "\t")) {
    write_bytes(bytes(gsub("\"", "", gsub(",", sep, text))))
    expect_identical(taken(fit, other), right)
  }
  refused <- function(message) {
    error <- expect_error(update(fit, checked = other), message, class = "sturdy_error_file")
    expect_s3_class(error, "sturdy_error_checked")
    expect_equal(error$arg, "checked")
  }
  write_bytes(bytes(c(text, "3,\"x\"")))
  refused("comma between its columns")
  write_bytes(bytes(text), as.raw(c(0x66, 0xfc, 0x72)))
  refused("must be text in UTF-8")
  write_bytes(as.raw(0:9))
  refused("must be text in UTF-8")
  write_bytes(raw())
  refused("comma between its columns")
  unlink(other)
  refused("There is no file")
})

test_that("answers that contradict themselves, each other or the fit are refused", {
  fit <- toy_fit()
  refused <- function(file, message, ...) {
    error <- expect_error(update(fit, checked = file, ...), message, class = "sturdy_error_checked")
    expect_equal(error$arg, "checked")
    expect_s3_class(error, "sturdy_error")
  }
  said <- as.character(toy()$class)
  other <- ifelse(said == "yes", "no", "yes")
  refused(answers_file_of(3L, said[3], "right", other[3]), "go with its label: .*Another in row 3")
  refused(answers_file_of(3L, said[3], "wrong", said[3]), "go with its label")
  refused(answers_file_of(3L, other[3], "right", other[3]), "label that the fit has of that row")
  refused(answers_file_of(3L, said[3], "maybe", said[3]), "or nothing.*Found: \"maybe\"")
  refused(answers_file_of(3L, said[3], "wrong", "perhaps"), "must be \"no\" or \"yes\".*perhaps")
  refused(answers_file_of(41L, "no", "right", "no"), "Not in the fit: 41")
  refused(
    answers_file_of(c(3L, 3L), said[c(3, 3)], c("right", "wrong"), c(said[3], other[3])),
    "one label for each row.*With different labels: 3"
  )
  refused(
    answers_file_of(3L, said[3], "right", said[3], more = list(id = "Z")), "Not in the fit: \"Z\"",
    id = 101:140
  )
  table <- utils::read.csv(toy_answers())
  refused(table[setdiff(names(table), "label")], "Missing: \"label\"")
  refused(table[setdiff(names(table), "row")], "Missing: \"row\"")
  # of a table in another order, by the number of its rows
  fit <- toy_fit(data = toy()[40:1, ])
  refused(toy_answers(), "label that the fit has|name of another")
})

test_that("identifiers given as a plain vector are looked up in the file's own column", {
  d <- toy()
  ids <- sprintf("P%03d", 40:1)
  fit <- toy_fit(data = d)
  by_hand <- taken(fit, data.frame(
    row = c(3, 7), label = c(setdiff(levels(d$class), d$class[3]), as.character(d$class[7]))
  ))
  file <- toy_answers(more = list(case = ids[c(3, 7, 9)]))
  expect_identical(taken(fit, file, id = ids), by_hand)
  table <- utils::read.csv(file)
  expect_identical(taken(fit, table[setdiff(names(table), "row")], id = ids), by_hand)
  # of other rows than their positions, and of none
  turned <- toy_answers(more = list(case = ids[c(7, 3, 9)]))
  cnd <- expect_error(
    update(fit, checked = turned, id = ids), "say the same as case", class = "sturdy_error_checked"
  )
  expect_match(conditionMessage(cnd), "Another row than case: 3 and 7")
  unknown <- toy_answers(more = list(case = c("P038", "Q", "P032")))
  expect_error(
    update(fit, checked = unknown, id = ids), "Not in the fit: \"Q\"",
    class = "sturdy_error_checked"
  )
})

test_that("answers without what was recorded are compared with the labels of the fit", {
  three <- gpc(
    Species ~ Sepal.Length, iris[c(1:10, 51:60, 101:110), ], kernel = held(), epsilon = 0.1
  )
  for (fit in list(toy_fit(), three)) {
    levels <- fit$blueprint$levels
    said <- levels[label_code(fit$data)][c(3, 7, 9)]
    other <- vapply(said, function(v) setdiff(levels, v)[1], "")
    table <- function(answer, label) data.frame(row = c(3, 7, 9), label = label, answer = answer)
    by_hand <- taken(fit, data.frame(row = c(3, 7), label = c(other[1], said[2])))
    right <- table(c("wrong", "right", "can't say"), c(other[1], said[2], ""))
    expect_identical(taken(fit, right), by_hand)
    # blanks and capitals aside
    typed <- transform(right, answer = c("Wrong ", " RIGHT", "Can't say"))
    expect_identical(taken(fit, typed), by_hand)
    for (bad in list(c(said[1], said[2], ""), c(other[1], other[2], ""))) {
      expect_error(
        update(fit, checked = transform(right, label = bad)), "go with its label",
        class = "sturdy_error_checked"
      )
    }
  }
})

test_that("a file with its header alone has no answers", {
  file <- withr::local_tempfile(fileext = ".csv")
  writeLines("row,recorded,answer,label,note", file)
  expect_error(update(toy_fit(), checked = file), "no answers in the file", class = "sturdy_error_checked")
})
