# The answers that a report takes: its fields, its data, and its file (test-data-answers.R).

page_of <- function(fit, ..., name = "clinic.v2.html") {
  folder <- withr::local_tempdir()
  file <- label_report(fit, file.path(folder, name), ...)
  paste(readLines(file, encoding = "UTF-8"), collapse = "\n")
}

all_of <- function(page, pattern) regmatches(page, gregexpr(pattern, page, perl = TRUE))[[1]]

data_of <- function(page) all_of(page, "(?s)(?<=id=\"report\">).*?(?=</script>)")

test_that("every row listed can be answered, and nothing is answered before", {
  fit <- toy_fit()
  page <- page_of(fit, n = 7)
  expect_length(all_of(page, "<fieldset class=\"answer\">"), 7)
  rows <- mislabelled(fit)$row[1:7]
  expect_equal(
    all_of(page, "(?<=<legend><span class=\"unseen\">Row )[0-9]+"), as.character(rows)
  )
  expect_equal(
    all_of(page, "<input [^>]*>"),
    sprintf(
      "<input type=\"radio\" name=\"answer-%d\" value=\"%s\">", rep(rows, each = 3),
      c("right", "wrong", "open")
    )
  )
  expect_length(all_of(page, "<input[^>]*checked|<option[^>]*selected|<textarea[^>]*>[^<]"), 0)
  expect_match(page, "<form id=\"answers\" autocomplete=\"off\">", fixed = TRUE)
  expect_match(page, "<p role=\"status\"", fixed = TRUE)
  # of two classes the other one is the true one
  for (row in rows) {
    card <- between(page, paste0("Row ", row, ": "), "Can")
    recorded <- as.character(toy()$class[row])
    other <- setdiff(levels(toy()$class), recorded)
    expect_match(card, paste0("Right, it is <b>", recorded), fixed = TRUE)
    expect_match(card, paste0("Wrong, it is <b>", other), fixed = TRUE)
  }
  three <- gpc(
    Species ~ Petal.Length + Petal.Width, iris[c(1:15, 51:65, 101:115), ], epsilon = 0.05,
    kernel = held()
  )
  page <- page_of(three, n = 1)
  recorded <- as.integer(mislabelled(three)$label[1])
  expect_equal(
    all_of(between(page, "<select", "</select>"), "<option[^/]*</option>"),
    c("<option value=\"\">which class?</option>", sprintf(
      "<option value=\"%d\">%s</option>", 1:3, levels(iris$Species)
    )[-recorded])
  )
})

test_that("the data of the script are those of the fit", {
  fit <- toy_fit(epsilon = "average", hyper = "integrate")
  d <- transform(toy(), record = sprintf("R%02d", 1:40))
  data <- data_of(page_of(fit, n = 5, data = d, id = "record"))
  found <- mislabelled(fit)
  array <- function(name) strsplit(between(data, paste0("\"", name, "\":["), "]"), ",")[[1]]
  expect_equal(as.integer(array("row")), found$row[1:5])
  expect_equal(array("id"), sprintf("\"%s\"", d$record[found$row[1:5]]))
  expect_equal(as.integer(array("recorded")), as.integer(found$label[1:5]))
  expect_equal(as.numeric(array("p")), found$probability[1:5], tolerance = 1e-14)
  expect_equal(as.numeric(array("some")), found$if_some[1:5], tolerance = 1e-14)
  total <- between(data, "\"total\":{", "}")
  expected <- attr(found, "expected")$count
  expect_equal(as.numeric(between(total, "expected\":", ",")), expected, tolerance = 1e-14)
  expect_equal(as.numeric(sub(".*:", "", total)), sum(found$if_some), tolerance = 1e-14)
  expect_match(data, "\"identifier\":\"record\"", fixed = TRUE)
  expect_match(data, "\"saved\":\"clinic.v2-answers.csv\"", fixed = TRUE)
  expect_match(data_of(page_of(toy_fit())), "\"identifier\":null", fixed = TRUE)
  # a column that tells the rows apart stands in the titles by itself, and so in the file
  plain <- data_of(page_of(fit, n = 5, data = d))
  expect_equal(between(plain, "\"id\":[", "]"), between(data, "\"id\":[", "]"))
  expect_match(plain, "\"identifier\":\"record\"", fixed = TRUE)
})

test_that("JSON holds any text, and none that ends its element", {
  hostile <- c("</script>", "\"\\\n\t'", "\u2028\u2029&", "\u00e9\U1F600", "{{title}}", NA)
  expect_equal(
    json(list(a = I(hostile))), paste0(
      "{\"a\":[\"\\u003c/script\\u003e\",\"\\u0022\\\\\\u000a\\u0009\\u0027\",",
      "\"\\u2028\\u2029\\u0026\",\"\u00e9\U1F600\",\"{{title}}\",\"NA\"]}"
    )
  )
  expect_equal(
    json(list(x = I(c(0.1, NA, 1e300)), y = NULL, z = list(t = TRUE, n = 1L), e = I(character()))),
    "{\"x\":[0.1,null,1e+300],\n\"y\":null,\n\"z\":{\"t\":true,\n\"n\":1},\n\"e\":[]}"
  )
})

test_that("names of classes, rows and columns do not leave the data block", {
  d <- toy()
  levels(d$class) <- c("</script><script>alert(1)</script>", "\"\\ \n</p>{{row}}")
  d[["<b>&\nid"]] <- paste0("<!-- ", 1:40, " \u2028 ' \" \\ \n</script>")
  page <- page_of(toy_fit(data = d), data = d, id = "<b>&\nid", n = 40)
  expect_length(all_of(page, "<script|</script"), 4)
  expect_no_match(data_of(page), "[<>&]")
  expect_match(page, "Row [0-9]+, &lt;!-- [0-9]+", perl = TRUE)
  expect_match(page, "{{row}}", fixed = TRUE)
})

test_that("answers are kept by the rows and labels they are about", {
  key <- function(...) between(data_of(page_of(...)), "\"key\":\"", "\"")
  fit <- toy_fit()
  first <- key(fit)
  expect_equal(key(toy_fit(epsilon = 0.1), n = 3), first) # of another fit to the same rows
  file <- withr::local_tempfile()
  saveRDS(fit, file)
  expect_equal(key(readRDS(file)), first)
  other <- toy()
  other$a[7] <- other$a[7] + 1e-9
  flipped <- toy()
  flipped$class[7] <- setdiff(levels(flipped$class), flipped$class[7])
  others <- c(
    key(toy_fit(data = other)), key(toy_fit(data = flipped)), key(fit, title = "second"),
    key(fit, id = 40:1),
    key(suppressMessages(update(fit, checked = data.frame(row = 3, label = toy()$class[3]))))
  )
  expect_false(anyDuplicated(c(first, others)) > 0)
})

test_that("rows that are known are not asked, copies once", {
  fit <- toy_fit(subset = c(1:40, 3, 3, 30))
  expect_length(all_of(page_of(fit, n = 50), "<fieldset"), 40)
  known <- suppressMessages(update(fit, checked = data.frame(row = 3, label = toy()$class[3])))
  expect_length(all_of(page_of(known, n = 50), "<fieldset"), 39)
  all <- toy_fit(trusted = 1:40)
  page <- page_of(all)
  expect_length(all_of(page, "<fieldset"), 0)
  expect_match(page, "the class of every row is known", fixed = TRUE)
})

test_that("the page says how its answers are taken in", {
  code <- function(...) gsub("&quot;", "\"", between(page_of(..., n = 2), "<code>", "</code>"))
  fit <- toy_fit()
  expect_equal(code(fit, name = "a.html"), paste0(
    "fit &lt;- update(fit, checked = \"a-answers.csv\")\nlabel_report(fit, \"a.html\")"
  ))
  patients <- transform(toy(), record = 40:1)
  # through a function of a test the expressions are its own
  folder <- withr::local_tempdir()
  file <- label_report(fit, file.path(folder, "b.html"), data = patients, id = "record", n = 2)
  page <- paste(readLines(file, encoding = "UTF-8"), collapse = "\n")
  expect_equal(gsub("&quot;", "\"", between(page, "<code>", "</code>")), paste0(
    "fit &lt;- update(fit, checked = \"b-answers.csv\", id = patients[\"record\"])\n",
    "label_report(fit, \"b.html\", data = patients, id = \"record\")"
  ))
})
