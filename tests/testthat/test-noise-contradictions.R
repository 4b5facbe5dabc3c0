# Rows alike in every input with different labels.

# six rows of a table again, each with the other label
contradicted <- function(near = 0) {
  d <- toy()
  again <- d[1:6, ]
  again$class <- factor(ifelse(again$class == "yes", "no", "yes"), levels(d$class))
  again$a <- again$a + near * diff(range(d$a))
  rbind(d, again)
}
said_of <- function(code) {
  found <- NULL
  withCallingHandlers(code, sturdy_message = function(cnd) {
    if (inherits(cnd, "sturdy_message_contradictions")) found <<- c(found, list(cnd$rows))
    rlang::cnd_muffle(cnd)
  })
  unlist(found)
}
partners <- c(41:46, rep(NA, 34), 1:6)

test_that("rows alike in every input with different labels are named, and near ones", {
  for (near in c(0, 0.9e-6, -0.9e-6)) {
    d <- contradicted(near)
    expect_equal(said_of(fit <- gpc(class ~ a + b, d, kernel = held(), epsilon = 0.05)), which(!is.na(partners)))
    found <- mislabelled(fit)
    expect_equal(found$contradicts, partners[found$row])
  }
  expect_null(said_of(gpc(class ~ a + b, contradicted(1.1e-6), kernel = held(), epsilon = 0.05)))
  expect_null(said_of(fit <- gpc(class ~ a + b, toy(), kernel = held(), epsilon = 0.05)))
  expect_null(mislabelled(fit)$contradicts)
})

test_that("groups of alike rows are those of all pairs compared", {
  X <- withr::with_seed(1, matrix(sample(0:1, 120, TRUE) + runif(120, 0, 0.7e-6), 40))
  near <- as.matrix(dist(X, "maximum")) <= alike_width
  group <- alike_groups(columns_apart(X), alike_width)
  expect_equal(unname(outer(group, group, "==")), unname(near))
  # what lies between two rows in one column alone does not join them
  expect_length(unique(alike_groups(list(c(0, 0.9e-6, 1.8e-6, 1), c(0, 1, 0, 1)), alike_width)), 4)
})

test_that("matrices, several classes and linear boundaries have them, and what is known counts", {
  d <- contradicted()
  X <- as.matrix(d[c("a", "b")])
  expect_length(said_of(bpm(X, d$class, epsilon = 0.05)), 12)
  three <- factor(c("no", "yes", "third")[1 + (d$class == "yes") + (seq_len(46) %% 7 == 0)])
  expect_length(said_of(gpc(X, three, kernel = held(), epsilon = 0.05)), 12)
  expect_length(said_of(stc(X, d$class, df = 4, kernel = held(), epsilon = 0.05)), 12)
  expect_length(said_of(gpc(X, d$class, kernel = held(), epsilon = 0.05, trusted = c(1:3, 41:42))), 8)
  # coarse inputs: classes overlap, and no row stands out
  coarse <- data.frame(u = rep(0:1, 20), y = rep(c("p", "p", "q", "q"), 10))
  expect_null(said_of(gpc(y ~ u, coarse, kernel = held(), epsilon = 0.05)))
  expect_null(said_of(fit <- gpc(class ~ 1, d, epsilon = 0.05)))
  # another offset is another row
  d$away <- rep(0:1, c(40, 6))
  expect_null(said_of(gpc(class ~ a + b + offset(away), d, kernel = kernel_iso(fixed = TRUE, nugget = 1), epsilon = 0.05)))
  # scores are no inputs
  expect_null(said_of(stage <- second_stage(rep(c(0.2, 0.8), 23), d$class, epsilon = 0.05)))
  expect_null(mislabelled(stage)$contradicts)
})

test_that("a report shows each pair side by side first", {
  d <- contradicted()
  said_of(fit <- gpc(class ~ a + b, d, kernel = held(), epsilon = 0.05))
  file <- withr::local_tempfile(fileext = ".html")
  label_report(fit, file, n = 3)
  page <- paste(readLines(file, encoding = "UTF-8"), collapse = "\n")
  rows <- as.integer(sub(".*Row ", "", regmatches(page, gregexpr("<h3>Row [0-9]+", page))[[1]]))
  first <- rows[seq_len(contradict_most)]
  expect_equal(partners[first[c(TRUE, FALSE)]], first[c(FALSE, TRUE)])
  expect_false(anyDuplicated(rows) > 0)
  expect_match(page, "Alike in every input, with different labels")
  expect_match(page, "Row 1 is alike in every input, and recorded as", fixed = TRUE)
})

test_that("the print of contradicting rows keeps to its lines", {
  d <- contradicted()
  d$class <- factor(d$class, labels = c("benign", "malignant"))
  suppressMessages(fit <- gpc(class ~ a + b, d, kernel = held(), epsilon = "average"))
  lines <- withr::with_options(list(width = 80), capture.output(print(mislabelled(fit))))
  head <- grep("^ +row", lines, value = TRUE)
  expect_match(head, "contradicts.*fdr$")
  expect_lte(max(nchar(lines)), 80)
})
