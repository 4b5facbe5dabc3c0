# The names of noise models, and what they are called: none (no label is wrong), one (rate), two or, of several
# classes, each (a rate for each), first and second or alone1, alone2, .. (a rate in one class only), matrix.

# Rates that go by one class alone
noise_only <- c(first = 1L, second = 2L)
alone_most <- 12L    # classes up to which each may be the only one that is recorded wrongly
whereto_nearest <- 4L # of more classes, to how many each may go
by_class_most <- 40L # classes up to which rates may differ by class
first_most <- 30L    # coordinates of the noise up to which a first stage of several classes learns it

# As they are told
noise_order <- c("none", "one", "two", "first", "second", "each", "matrix", paste0("alone", seq_len(alone_most)))

#' The true class that alone is recorded wrongly under a noise model, or `NA`
#' @noRd
noise_alone <- function(name) {
  k <- suppressWarnings(as.integer(sub("^alone", "", name)))
  unname(ifelse(name %in% names(noise_only), noise_only[name], k))
}

#' Do rates differ by class?
#' @noRd
is_by_class <- function(names) !names %in% c("none", "one", "given")

# What noise models are called in sentences, but for those of one class alone: see model_words()
noise_words <- c(
  none = "no wrong labels", one = "one rate", two = "a rate for each class", each = "a rate for each class",
  matrix = "a noise matrix", given = "the rates given"
)

#' What noise models are called, with the names of the classes
#' @noRd
model_words <- function(models, levels) {
  words <- unname(noise_words[models])
  one <- noise_alone(models)
  alone <- !is.na(one)
  words[alone] <- paste0("a rate in true ", quoted_empty(levels[one[alone]]), " only")
  words
}
