report <- function(fit, ...) {
  file <- withr::local_tempfile(fileext = ".html")
  expect_equal(label_report(fit, file, ...), file)
  paste(readLines(file, encoding = "UTF-8"), collapse = "\n")
}

averaged <- made_once(function(...) {
  gpc(class ~ a + b, toy(), kernel = held(), epsilon = "average", hyper = "integrate", ...)
})

listed <- function(page) {
  as.integer(sub(".*Row ", "", regmatches(page, gregexpr("<h3>Row [0-9]+", page))[[1]]))
}

test_that("a report holds the numbers of the fit", {
  fit <- averaged()
  page <- report(fit, n = 6)
  test <- noise_test(fit)
  # one count, the averaged one, unless there is no sign of wrong labels
  expect_length(gregexpr(count_line(test, 2), page, fixed = TRUE)[[1]], 1)
  expect_match(page, paste("Wrong labels?", verdict_line(test)), fixed = TRUE)
  no_sign <- test$bayes_factor < 1 / 3
  shown <- if (no_sign) test$some else test$average
  expect_match(count_line(test, 2), paste(shown$lower, "to", shown$upper), fixed = TRUE)
  expect_equal(listed(page), head(mislabelled(fit)$row, 6))
  checks <- review(fit, 6)
  left <- attr(checks, "left")
  expect_match(page, paste0(
    "find ", format(signif(sum(checks$probability), 2)), " wrong labels. Among the other 34 rows ",
    format(signif(left$count, 2)), " would then remain (90% interval ", left$lower, " to ",
    left$upper
  ), fixed = TRUE)
  shown <- as.numeric(sub(
    ".*>", "", regmatches(page, gregexpr("Probability <b>[0-9.]+", page))[[1]]
  ))
  expect_equal(shown, round(mislabelled(fit)$probability[1:6], 2))
  error <- format(calibration(fit)$error, digits = 2)
  expect_match(page, paste("differ from the frequencies by", error), fixed = TRUE)
})

# Three classes in a plane, two of them of one distribution
alike_table <- function(n = 90) {
  withr::with_seed(4, {
    class <- factor(rep(c("left", "right", "far"), each = n / 3), c("left", "right", "far"))
    data.frame(class, a = rnorm(n, 4 * (class == "far")), b = rnorm(n))
  })
}

test_that("each row says which of three it is: wrong, unusual or right", {
  # a row that contradicts its label, and ones that the stage holds for unusual
  fit <- averaged()
  page <- report(fit, n = 20)
  found <- head(mislabelled(fit), 20)
  said <- regmatches(page, gregexpr("(?<=class=\"kind\">)[^<]*", page, perl = TRUE))[[1]]
  expect_length(said, 20)
  said <- sub("more likely right than wrong", "probably right", said)
  most <- c("probably wrong", "unusual: label probably right", "probably right")
  shares <- cbind(found$probability, found$unusual, 1 - found$probability - found$unusual)
  clear <- apply(shares, 1, max) > 0.5
  expect_equal(said[clear], most[max.col(shares)][clear])
  expect_true(all(said[!clear] %in% c("wrong, or unusual", "probably right")))
  kind <- function(p, u, alike = NULL) {
    kind_words(list(probability = p, unusual = u, label = "one", suggested = "two"), alike)
  }
  expect_identical(kind(0.6, 0.3), "probably wrong")
  expect_identical(kind(0.1, 0.7), "unusual: label probably right")
  expect_identical(kind(0.3, 0.4), "wrong, or unusual")
  expect_identical(kind(0.2, 0.2), "probably right")
  expect_identical(kind(0.3, 0.1), "more likely right than wrong")
  expect_identical(kind(0.1, 0.7, c("two", "one")), "one or two: can't be told from overlap")
  expect_identical(kind(0.1, 0.7, c("two", "three")), "unusual: label probably right")
  # a fit whose own likelihood answers knows of no unusual rows
  expect_no_match(report(toy_fit(), n = 3), "class=\"kind\"|unusual")
})

test_that("rows of two classes that look alike stand side by side, to be checked", {
  local_fewer_points()
  fit <- gpc(class ~ a + b, alike_table(), kernel = held(), hyper = "integrate")
  test <- noise_test(fit)
  expect_setequal(test$alike, c("left", "right"))
  page <- report(fit, n = 4)
  expect_match(page, "Rows of (left and right|right and left) look alike")
  expect_match(page, "Errors between these two classes can\u2019t be told from overlap", fixed = TRUE)
  columns <- strsplit(sub(".*<div class=\"pair\">", "", page), "<p class=\"recorded\">Recorded ")[[1]][-1]
  expect_setequal(sub("<.*", "", columns), c("left", "right"))
  found <- mislabelled(fit)
  expect_equal(listed(page)[1:4], found$row[1:4])
  p <- predict(fit$label_stage, type = "prob") # by the stage without the row's label
  for (column in columns) {
    class <- sub("<.*", "", column)
    other <- setdiff(c("left", "right"), class)
    rows <- as.integer(sub("<.*", "", strsplit(column, "<h3>Row ", fixed = TRUE)[[1]][-1]))
    expect_length(rows, 3)
    expect_true(all(alike_table()$class[rows] == class))
    # those that look most like the other class, of the rows that are not listed anyway
    open <- setdiff(which(alike_table()$class == class), found$row[1:4])
    first <- open[order(-p[open, other])]
    expect_gt(mean(p[rows, other]), mean(p[first[1:3], other]) - 0.01)
    expect_length(intersect(rows, found$row[1:4]), 0)
    expect_match(column, paste0(class, " or ", other, ": can't be told from overlap"), fixed = TRUE)
  }
  expect_match(
    page, paste0("no two classes looked alike it would be ", two_digits(test$plain)), fixed = TRUE
  )
  # they are asked, too, and the script knows them
  expect_length(gregexpr("<fieldset", page, fixed = TRUE)[[1]], 10)
  expect_equal(
    as.integer(strsplit(between(page, "\"row\":[", "]"), ",")[[1]]), listed(page)
  )
  # with none that look alike there is no such part
  expect_no_match(report(averaged(), n = 2), "class=\"pair\"")
})

test_that("the neighbours that disagree are counted", {
  fit <- toy_fit()
  page <- report(fit, n = 1, neighbours = 7)
  row <- mislabelled(fit)$row[1]
  near <- order(as.matrix(dist(scale(as.matrix(toy()[c("a", "b")]))))[row, ])[2:8]
  label <- as.character(toy()$class)
  against <- sum(label[near] != label[row])
  expect_gt(against, 3)
  expect_match(page, sprintf(
    "Of the 7 most similar rows %d are recorded as &quot;%s&quot; and %d as &quot;%s&quot;", against,
    setdiff(c("no", "yes"), label[row]), 7 - against, label[row]
  ), fixed = TRUE)
})

test_that("a report loads nothing, and runs its own script alone", {
  page <- report(averaged())
  expect_false(grepl("https?://|<img|@import|url\\(|<iframe|<object|<base|innerHTML|eval\\(", page))
  links <- regmatches(page, gregexpr("(href|src)=\"[^\"]*\"", page))[[1]]
  expect_true(all(grepl("=\"(#|data:,)", links)))
  places <- gsub("href=\"#|\"", "", grep("#", links, value = TRUE))
  for (place in places) expect_match(page, paste0("id=\"", place, "\""), fixed = TRUE)
  scripts <- regmatches(page, gregexpr("<script[^>]*>", page))[[1]]
  expect_equal(scripts, c("<script type=\"application/json\" id=\"report\">", "<script>"))
  policy <- between(page, "Content-Security-Policy\" content=\"", "\"")
  expect_match(policy, "default-src 'none'; script-src 'sha256-", fixed = TRUE)
  expect_no_match(policy, "https|\\*|unsafe-eval|script-src [^;]*unsafe")
  count <- function(what) lengths(regmatches(page, gregexpr(what, page)))
  for (name in c("section", "li", "ol", "table", "tr", "svg", "details", "figure", "p", "fieldset",
                 "label", "button", "form", "summary", "script", "noscript", "div")) {
    expect_equal(count(paste0("<", name, "[ >]")), count(paste0("</", name, ">")), info = name)
  }
})

test_that("the digest by which a browser knows the script is that of the script", {
  expect_equal(sha256(charToRaw("abc"))[1:4], as.raw(c(0xba, 0x78, 0x16, 0xbf)))
  page <- report(toy_fit(), n = 2)
  script <- between(page, "<script>", "</script>")
  digest <- base64(sha256(charToRaw(enc2utf8(script))))
  # where answers.js was changed: this goes into page.html
  expect_equal(between(page, "script-src '", "'"), paste0("sha256-", digest))
})

test_that("names and values of the data are text, not HTML, nor slots", {
  d <- toy()
  levels(d$class) <- c("<b>no</b>", "a & \"b\"")
  names(d)[1] <- "{{title}}"
  d$record <- c("<script>alert(1)</script>", rep("\u00e9", 39))
  fit <- gpc(d[1:2], d$class, kernel = held(), epsilon = 0.05)
  page <- report(fit, n = 40, data = d, title = "Clinic <A>")
  expect_length(gregexpr("<script", page, fixed = TRUE)[[1]], 2)
  expect_false(grepl("<b>no|<script>alert", page))
  expect_match(page, "&lt;b&gt;no&lt;/b&gt;", fixed = TRUE)
  expect_match(page, "a &amp; &quot;b&quot;", fixed = TRUE)
  expect_match(page, "{{title}}", fixed = TRUE)
  expect_match(page, "&lt;script&gt;alert(1)", fixed = TRUE)
  expect_match(page, "<h1>Clinic &lt;A&gt;</h1>", fixed = TRUE)
  expect_match(page, "\u00e9", fixed = TRUE)
})

test_that("rows that are trusted are not listed", {
  fit <- averaged(trusted = 1:25)
  expect_true(all(listed(report(fit, n = 40)) > 25))
  expect_match(report(fit), "25 labels are trusted", fixed = TRUE)
})

test_that("every kind of fit has a report, which says what it lacks", {
  local_fewer_points()
  expect_match(report(toy_fit()), "did not test whether labels are wrong at all")
  expect_match(
    report(toy_fit(epsilon = 0)), "takes every label to be right", fixed = TRUE
  )
  expect_match(report(bpm(class ~ a + b, toy())), "by the size of their weight", fixed = TRUE)
  curved <- data.frame(x = seq(-3, 3, length.out = 80))
  curved$y <- factor(abs(curved$x) > 2.6 | curved$x > 0)
  linear <- bpm(y ~ x, curved, hyper = "integrate", epsilon = "average")
  expect_gt(noise_test(linear)$bayes_factor, 3)
  expect_match(report(linear), "Not if the boundary is curved, which fits better", fixed = TRUE)
  expect_match(
    report(stc(class ~ a + b, toy(), kernel = held(), epsilon = 0.05)), "Student-t process"
  )
  expect_match(report(averaged(rates = ~ a > 0)), "<th scope=\"col\" class=\"text\">group</th>")
  three <- gpc(
    Species ~ Petal.Length + Petal.Width, iris[c(1:15, 51:65, 101:115), ], epsilon = 0.05,
    kernel = held()
  )
  page <- report(three, n = 3)
  expect_match(page, "did not test whether labels are wrong at all", fixed = TRUE)
  expect_match(page, "Reliability curve", fixed = TRUE)
  rough <- suppressMessages(update(
    three, epsilon = 0, kernel = kernel_ard(), hyper = "integrate", control = ep_control(budget = 0.1)
  ))
  expect_no_warning(report(rough, n = 3)) # it has no distribution of a number
  expect_equal(listed(page), mislabelled(three)$row[1:3])
  tested <- update(three, epsilon = "matrix", hyper = "integrate")
  expect_match(report(tested), "a noise matrix", fixed = TRUE)
  own <- gpc(three$data$X, factor(three$data$y), kernel = held(), kernels = "per class",
             epsilon = 0.05)
  expect_equal(listed(report(own, n = 3)), mislabelled(own)$row[1:3])
})

test_that("rows without a label are no missing values, and an identifier is no input", {
  d <- toy()
  d$class[2:3] <- NA
  d$a[7] <- NA
  d$name <- rep(sprintf("id%02d", 1:20), 2)
  fit <- suppressMessages(gpc(class ~ a + b + name, d, kernel = held(), epsilon = 0.05))
  file <- withr::local_tempfile(fileext = ".html")
  expect_message(
    label_report(fit, file, data = d, id = "name"), "- name", class = "sturdy_message_id_input"
  )
  page <- paste(readLines(file), collapse = "\n")
  expect_match(page, "1 more was left out: missing values. 2 more are without a label", fixed = TRUE)
})

test_that("rows left out and factors are no obstacle", {
  d <- mixed(30)
  d$u[4] <- NA
  fit <- gpc(y ~ ., d, kernel = held(), epsilon = 0.05)
  page <- report(fit, data = cbind(d, id = letters[rep(1:10, 3)]))
  expect_match(page, "1 more was left out: missing values", fixed = TRUE)
  expect_false(4 %in% listed(report(fit, n = 30)))
})

test_that("columns that are no inputs are those of the row, also where NA left rows out", {
  d <- toy()
  d$a[c(2, 17, 30)] <- NA
  d$record <- sprintf("record%03d", 100 + 1:40)
  fit <- gpc(class ~ a + b, d, kernel = held(), epsilon = 0.05)
  page <- report(fit, n = 40, neighbours = 3, data = d)
  # of the rows listed, and of their neighbours in tables
  items <- strsplit(page, "<li><h3>Row ", fixed = TRUE)[[1]][-1]
  expect_length(items, 37)
  row <- as.integer(sub("<.*", "", items))
  chip <- sub(".*<dt>record</dt><dd>(record[0-9]+)</dd>.*", "\\1", items)
  expect_equal(chip, d$record[row])
  cells <- regmatches(page, gregexpr("<tr[^>]*>(<td[^>]*>[^<]*</td>)+</tr>", page))[[1]]
  cells <- grep("record[0-9]", cells, value = TRUE)
  expect_length(cells, 37 * 4)
  number <- as.integer(sub("<tr[^>]*><td class=\"number\">([0-9]+)<.*", "\\1", cells))
  expect_equal(sub(".*(record[0-9]+).*", "\\1", cells), d$record[number])
})

test_that("columns that are no inputs and for which there is no room are named", {
  d <- toy()
  fit <- toy_fit(data = d)
  d[paste0("note", 1:4)] <- list(rep(c("first", "second"), 20))
  expect_no_match(report(fit, data = d, n = 2), "also not shown")
  d$record <- sprintf("record%02d", 1:40) # it identifies rows, and comes first
  d$list <- as.list(1:40)
  page <- report(fit, data = d, n = 2)
  expect_match(page, "<dt>record</dt>")
  expect_match(page, "<dt>note3</dt>")
  expect_no_match(page, "<dt>(note4|list)</dt>")
  expect_match(page, "Of the data also not shown: note4, list.", fixed = TRUE)
  # columns without a name, or with that of another, have no place
  d <- cbind(toy(), other = "x", other = "y", unnamed = "z")
  expect_match(report(fit, data = setNames(d, replace(names(d), ncol(d), NA)), n = 2), "<dt>other</dt>")
})

test_that("a file of one's own becomes a report in five lines", {
  table <- withr::local_tempfile(fileext = ".csv")
  file <- withr::local_tempfile(fileext = ".html")
  write.csv(toy(), table, row.names = FALSE)
  mydata <- read.csv(table)
  local_fewer_points()
  fit <- gpc(class ~ ., data = mydata)
  label_report(fit, file, data = mydata)
  expect_gt(file.size(file), 1e4)
})

test_that("the lines that ?sturdy begins with run", {
  page <- tools::Rd_db("sturdy")[["sturdy-package.Rd"]]
  skip_if(is.null(page), "the package is installed without help")
  text <- utils::capture.output(tools::Rd2txt(page))
  lines <- text[grep("library(sturdy)", text, fixed = TRUE)[1]:grep("label_report(fit", text, fixed = TRUE)[1]]
  expect_length(lines, 5)
  withr::local_dir(withr::local_tempdir())
  local_fewer_points()
  eval(parse(text = lines), new.env())
  expect_gt(file.size("report.html"), 1e4)
})

test_that("what can't be reported or written is refused", {
  fit <- toy_fit()
  file <- withr::local_tempfile(fileext = ".html")
  expect_error(label_report(fit), "`file` must be given", class = "sturdy_error_missing_argument")
  expect_error(label_report(fit, 3), class = "sturdy_error_type")
  expect_error(
    label_report(fit, file.path(file, "no", "x.html")), class = "sturdy_error_file"
  )
  expect_error(label_report(fit, tempdir()), class = "sturdy_error_file")
  expect_error(label_report(fit, file, n = 0), class = "sturdy_error_range")
  expect_error(label_report(fit, file, title = 1), class = "sturdy_error_type")
  expect_error(label_report(fit, file, data = toy(20)), class = "sturdy_error_length")
  expect_error(label_report(1, file), class = "sturdy_error_type")
  expect_error(label_report(fit, file, rows = 3), class = "sturdy_error_unknown_argument")
  filtered <- bpm(class ~ a + b, toy(), inference = "adf", epsilon = 0.05)
  expect_error(label_report(filtered, file), class = "sturdy_error_no_sites")
  expect_false(file.exists(file))
  skip_on_os(c("windows", "mac")) # where root, too, can't write
  expect_error(label_report(fit, "/proc/report.html"), class = "sturdy_error_file")
})

test_that("what counts of an input is said of each kind of model", {
  said <- function(fit) {
    page <- report(fit, n = 2)
    kinds <- c("shorter the lengthscale", "size of their weight", "scores of the classifier")
    kinds[vapply(kinds, grepl, NA, page, fixed = TRUE)]
  }
  expect_equal(said(toy_fit()), "shorter the lengthscale")
  expect_equal(said(bpm(class ~ a + b, toy(), epsilon = 0.05)), "size of their weight")
  p <- stats::plogis(2 * (toy()$a + toy()$b))
  stage <- second_stage(p, toy()$class, epsilon = 0.05, hyper = "optimum")
  expect_equal(said(stage), "scores of the classifier")
})

test_that("where inputs say nothing of the classes a page asks for no checks and tells nothing of a row", {
  d <- withr::with_seed(3, data.frame(a = rnorm(40), class = sample(c("no", "yes"), 40, TRUE)))
  fit <- suppressMessages(gpc(class ~ a, d))
  expect_identical(noise_test(fit)$kind, "blind")
  page <- report(fit, n = 2)
  expect_match(page, "<p class=\"verdict calm\">Wrong labels\\? Can't tell: the inputs say next to nothing")
  expect_no_match(page, "What next\\?|probably right")
})

test_that("a page has no column that was dropped in its formula, and no count of none", {
  expect_equal(used_formula(y ~ id + a + log(b), "id"), "y ~ a + log(b)")
  expect_equal(used_formula(y ~ `an id` + a, "an id"), "y ~ a")
  expect_equal(used_formula(y ~ a, character()), "y ~ a")
  expect_equal(used_formula(y ~ (a + b + id) - id, character()), "y ~ a + b")
  expect_equal(why_words("ill", rep("no", 8)), "All 8 most similar rows are recorded as \"no\".")
  expect_match(why_words("ill", rep(c("no", "ill"), c(7, 1))), "7 are recorded as \"no\" and 1 as \"ill\"")
  expect_equal(why_words("ill", c("no", "no", "low")), "Of the 3 most similar rows 2 are recorded as \"no\", 1 as \"low\".")
  expect_equal(why_words("ill", "no"), "The most similar row is recorded as \"no\".")
})

test_that("a formula of a great many terms is not written out", {
  many <- stats::reformulate(paste0("column", 1:60), "class")
  expect_identical(used_formula(many, character()), "class ~ ...")
  expect_identical(used_formula(class ~ a + b, "b"), "class ~ a")
})

test_that("identifiers that most rows share are said to be none", {
  expect_message(inform_shared_id(rep(c("north", "south"), 20)), "2 identifiers for 40 rows",
    class = "sturdy_message_shared_id"
  )
  expect_no_message(inform_shared_id(rep(1:20, 2))) # pairs of rows may share one
})

test_that("a row that changed and is called wrong is listed once", {
  row <- function(row) data.frame(row = row, label = factor("yes"), was = factor("no"), probability = 0.98765)
  local_mocked(audit_counts = function(x) "", audit_words = function(x) "")
  said <- report_since(list(changed = cbind(row(c(8L, 3L)), was_right = 1), suspects = row(c(8L, 12L, 8L)), rates = row(1L)))
  cells <- regmatches(said$since_rows, gregexpr("<td[^>]*>[^<]*", said$since_rows))[[1]]
  expect_equal(sub(".*>", "", cells)[seq(1, by = 4, length.out = length(cells) / 4)], c("8", "3", "12"))
  expect_match(said$since_rows, "0.99")
})
