# One number for a row: its position in the table given, with names and identifiers beside it.

shuffled <- function(n = 40) {
  withr::with_seed(3, {
    d <- toy(n)
    d$patient <- sprintf("P-%03d", sample(500, n))
    d[sample(n), ] # names that are numbers, and no positions
  })
}

shuffled_fit <- function(d = shuffled(), ...) toy_fit(data = d, ...)

test_that("names of rows are identifiers where they are not positions", {
  d <- toy()
  ids <- function(fit, ...) row_ids(fit$data, ...)
  expect_null(ids(toy_fit(data = d)))
  expect_null(ids(toy_fit(data = d, subset = c(5, 5, 9, 1:4))))
  some <- toy_fit(data = d, subset = 3:30)
  expect_null(ids(some)) # of the data given, not of the subset
  s <- shuffled()
  fit <- shuffled_fit(s)
  expect_equal(ids(fit), list(name = "id", value = row.names(s)))
  repeated <- shuffled_fit(s, subset = c(1:20, 3, 3))
  expect_equal(ids(repeated)$value, row.names(s)[c(1:20, 3, 3)])
  expect_equal(ids(fit, s["patient"]), list(name = "patient", value = s$patient))
  expect_equal(ids(fit, s$patient), list(name = "id", value = s$patient))
  expect_equal(ids(fit, "patient", s)$value, s$patient)
  s$a[4] <- NA
  expect_equal(ids(suppressMessages(shuffled_fit(s)), s$patient)$value, s$patient[-4])
})

test_that("identifiers that do not match the rows are refused", {
  fit <- toy_fit()
  for (bad in list("patient", 1:3, list(1), toy(), toy()[0, "a", drop = FALSE])) {
    expect_error(mislabelled(fit, id = bad), class = "sturdy_error_id")
    expect_error(review(fit, id = bad), class = "sturdy_error_id")
  }
  expect_error(update(fit, id = 1:40), class = "sturdy_error_id")
  expect_error(
    update(fit, checked = data.frame(row = 1, label = "no"), id = 1:3), class = "sturdy_error_id"
  )
})

test_that("lists, pictures and reports have one number for a row", {
  d <- shuffled()
  fit <- shuffled_fit(d)
  found <- mislabelled(fit)
  expect_equal(found$id, row.names(d)[found$row])
  expect_equal(row.names(found), as.character(found$row))
  expect_false("id" %in% names(mislabelled(toy_fit())))
  # rows 3 and 30 of toy() are wrong, wherever they are now
  wrong <- match(c("3", "30"), row.names(d))
  expect_true(all(wrong %in% found$row[1:6]))
  shown <- review(fit, 5)
  expect_equal(unclass(shown)[c("row", "id")], unclass(found[1:5, ])[c("row", "id")])
  named <- picture(found, NULL, 4)$panels[[1]]$layers
  named <- Filter(function(layer) layer$kind == "name", named)[[1]]$data
  expect_equal(named$short, paste("row", found$row[1:4]))
  expect_equal(named$words, paste0(found$row[1:4], ": ", found$id[1:4]))
  expect_equal(check_fit(fit, draws = 100, se = 1)$probability$row, 1:40)
  text <- capture.output(print(found, n = 2))
  expect_match(text[length(text) - 1], paste0("^ *", found$row[2], " +", found$id[2], " "))
})

test_that("identifiers given are shown by the name of their column, in the order of the rows", {
  d <- shuffled()
  found <- mislabelled(shuffled_fit(d), id = d["patient"])
  expect_equal(names(found)[1:3], c("row", "patient", "label"))
  expect_equal(found$patient, d$patient[found$row])
  expect_equal(names(review(shuffled_fit(d), 3, id = d$patient))[1:3], c("row", "id", "label"))
  # a name that the list has already
  names(d)[names(d) == "patient"] <- "rank"
  expect_equal(mislabelled(shuffled_fit(d), id = d["rank"])$id, d$rank[found$row])
  three <- iris[c(1:15, 51:65, 101:115), ]
  fit <- gpc(Species ~ Petal.Length + Petal.Width, three, epsilon = 0.05, kernel = held())
  expect_output(print(mislabelled(fit), n = 1), "row +id +label")
})

test_that("answers are taken in by position, by identifier, and by both where they agree", {
  d <- shuffled()
  fit <- shuffled_fit(d)
  checked <- function(...) {
    after <- suppressMessages(update(fit, ...))
    list(rows = which(report_known(after$data$reports)), label = after$data$y)
  }
  right <- data.frame(row = c(2, 7), label = c("no", "yes"))
  by_row <- checked(checked = right, id = d["patient"])
  expect_equal(by_row$rows, c(2, 7))
  expect_equal(by_row$label[c(2, 7)], c(-1, 1))
  by_name <- data.frame(id = row.names(d)[c(2, 7)], label = right$label)
  expect_equal(checked(checked = by_name), by_row)
  expect_equal(checked(checked = transform(by_name, id = as.integer(id))), by_row)
  expect_equal(checked(checked = cbind(by_name, right["row"])), by_row)
  by_patient <- data.frame(patient = d$patient[c(7, 2, 7)], label = right$label[c(2, 1, 2)])
  expect_equal(checked(checked = by_patient, id = d["patient"]), by_row)
  names(by_patient)[1] <- "id"
  expect_equal(checked(checked = by_patient, id = d$patient), by_row)
  # the list itself, with labels filled in
  list <- review(fit, 4)
  list$label <- "yes"
  expect_equal(checked(checked = list)$rows, sort(list$row))
})

test_that("a file of answers closes the circle, whatever reading it makes of identifiers", {
  d <- toy()
  file <- withr::local_tempfile(fileext = ".csv")
  for (id in list(
    sprintf("%03d", 40:1), sprintf("P,\"%d", 40:1), 1e10 + 40:1, as.Date("2020-01-01") + 40:1,
    factor(sprintf("a%d", 40:1)), 40:1 / 8
  )) {
    d$record <- id
    fit <- toy_fit(data = d)
    list <- review(fit, 5, id = d["record"])
    list$label <- "yes"
    write.csv(list[c("record", "label")], file, row.names = FALSE)
    after <- suppressMessages(update(fit, checked = read.csv(file), id = d["record"]))
    expect_equal(which(report_known(after$data$reports)), sort(list$row))
    expect_true(all(after$data$y[list$row] == 1))
  }
})

test_that("beside a position an identifier may be that of several rows", {
  patients <- data.frame(patient = rep(sprintf("id%02d", 1:20), each = 2))
  fit <- toy_fit()
  found <- data.frame(row = c(4, 9), patient = c("id02", "id05"), label = "no")
  after <- suppressMessages(update(fit, checked = found, id = patients))
  expect_equal(which(report_known(after$data$reports)), c(4, 9))
  found$patient[2] <- "id06"
  expect_error(
    update(fit, checked = found, id = patients), "Another row than patient: 9",
    class = "sturdy_error_checked"
  )
  found$patient[2] <- "id99"
  expect_error(
    update(fit, checked = found, id = patients), "Not in the fit: \"id99\"",
    class = "sturdy_error_checked"
  )
  expect_error(
    update(fit, checked = cbind(found["patient"], label = "no"), id = patients[1]),
    "A column row beside it", class = "sturdy_error_ambiguous"
  )
})

test_that("a file of answers by identifiers says which argument has them", {
  d <- shuffled()
  fit <- shuffled_fit(d)
  answers <- data.frame(
    row = 7, patient = "id07", recorded = as.character(d$class[7]), answer = "right",
    label = as.character(d$class[7]), note = ""
  )
  expect_error(update(fit, checked = answers), "id = data\\[\"patient\"\\]", class = "sturdy_error_ambiguous")
  d$patient <- sprintf("id%02d", 1:40)
  after <- suppressMessages(update(fit, checked = answers, id = d["patient"]))
  expect_equal(which(report_known(after$data$reports)), 7)
})

test_that("what may mean one row or another is refused", {
  d <- shuffled()
  fit <- shuffled_fit(d)
  refused <- function(checked, class, ..., message = NULL) {
    error <- expect_error(update(fit, checked = checked, ...), message, class = class)
    expect_s3_class(error, "sturdy_error_checked")
  }
  # 7 and "7" are a row's name, and the position of another
  expect_false(row.names(d)[7] == "7")
  refused(
    data.frame(row = 7, label = "no"), "sturdy_error_ambiguous", message = "name of another: 7"
  )
  refused(data.frame(row = "7", label = "no"), "sturdy_error_ambiguous", message = "name of another: 7")
  expect_no_error(suppressMessages(
    update(toy_fit(), checked = data.frame(row = "7", label = "no"))
  ))
  refused(
    data.frame(row = 1:2, id = row.names(d)[2:1], label = "no"), "sturdy_error_checked",
    message = "Another row than id: 1 and 2"
  )
  refused(
    data.frame(id = c("A", "B"), label = "no"), "sturdy_error_ambiguous",
    id = rep(c("A", "B"), 20), message = "Of several rows: \"A\" and \"B\""
  )
  refused(
    data.frame(id = c("C", "B"), label = "no"), "sturdy_error_checked",
    id = c("A", "B", 3:40), message = "Not in the fit: \"C\""
  )
  # "07" and "7" are two rows, a number 7 of a file is either
  refused(
    data.frame(id = 7, label = "no"), "sturdy_error_ambiguous", id = c("07", "7", 101:138)
  )
  fit <- toy_fit()
  refused(data.frame(id = "P-1", label = "no"), "sturdy_error_checked", message = "argument `id`")
})

test_that("a number is a position where no other row has it for a name", {
  d <- toy()[c(1:10, 31:40), ] # 1 to 10 are both, 11 to 20 positions, 31 to 40 names
  fit <- toy_fit(data = d)
  rows <- function(row) {
    after <- suppressMessages(update(fit, checked = data.frame(row = row, label = "no")))
    which(report_known(after$data$reports))
  }
  expect_equal(rows(c(3, 10, 11, 20)), c(3, 10, 11, 20))
  expect_error(rows(31), "Not in the fit: 31", class = "sturdy_error_checked")
  expect_equal(rows("11"), 11) # also as text
  expect_error(rows("31"), "Not in the fit: \"31\"", class = "sturdy_error_checked")
  row.names(d) <- 101:120
  fit <- toy_fit(data = d)
  expect_equal(rows(1:20), 1:20)
})

test_that("rows absorbed without names go by their position", {
  d <- toy(60)
  fit <- toy_fit(data = d[1:40, ])
  new <- d[41:60, ]
  row.names(new) <- NULL
  more <- absorb(fit, new)
  expect_null(row_ids(more$data))
  expect_equal(more$data$row_names, as.character(1:60))
})

test_that("the title of a card has what identifies the row, also what the fit dropped", {
  d <- toy()
  d$patient <- sprintf("P-%03d", 140:101)
  d$study <- "first"
  fit <- suppressMessages(gpc(class ~ ., d, kernel = held(), epsilon = 0.05))
  expect_equal(fit$blueprint$columns, c("a", "b"))
  titles <- function(...) {
    file <- withr::local_tempfile(fileext = ".html")
    label_report(fit, file, n = 40, neighbours = 2, ...)
    page <- paste(readLines(file), collapse = "\n")
    expect_true(!length(list(...)$data) || grepl("<dt>study</dt><dd>first</dd>", page))
    titles <- regmatches(page, gregexpr("<h3>Row [^\n]*</h3>", page))[[1]]
    row <- as.integer(gsub("<h3>Row ([0-9]+).*", "\\1", titles))
    data.frame(row, name = ifelse(
      grepl("<small>", titles), sub(".*<small>(.*)</small>.*", "\\1", titles), NA
    ))
  }
  expect_true(all(is.na(titles()$name)))
  for (shown in list(titles(data = d), titles(data = d, id = "patient"), titles(id = d$patient))) {
    expect_equal(nrow(shown), 40)
    expect_equal(shown$name, d$patient[shown$row])
  }
  expect_error(titles(data = d, id = "nobody"), class = "sturdy_error_id")
  row.names(d) <- paste0("r", 1:40)
  fit <- toy_fit(data = d)
  expect_equal(titles()$name, paste0("r", titles()$row))
})

test_that("what is missing of a row is told by its number in the data given", {
  d <- toy(20)
  d$a[2] <- NA
  clinic <- replace(rep(c("u", "v"), 10), c(2, 5), NA) # of a row that is left out nothing is asked
  error <- expect_error(
    suppressMessages(gpc(class ~ a + b, d, rates = clinic)), "Missing in row 5", class = "sturdy_error_rates"
  )
  expect_equal(error$rows, 5)
  expect_error(gpc(class ~ a + b, toy(), rates = mean, units = 1:40), class = "sturdy_error_rates")
})
