# Data to try the models on: what is shipped, labels flipped on purpose, and a
# simulated set with outliers.

# The classes of each set, in the order of the factor levels.
data_levels <- list(
  pima = c("neg", "pos"),
  ionosphere = c("bad", "good"),
  sonar = c("R", "M"),
  newthyroid = c("normal", "hyper", "hypo"),
  synth = c("0", "1"),
  colon = c("normal", "tumour")
)

#' Data sets for classification
#'
#' Reads one of the six data sets that come with the package. Rows are in the
#' order of the source, the features come first and the last column, `class`,
#' is a factor.
#'
#' | name         | rows x features | classes, in level order                | notes |
#' |:-------------|:----------------|:---------------------------------------|:------|
#' | `pima`       | 768 x 8         | `neg` 500, `pos` 268                   | zeros in `glucose`, `pressure`, `triceps`, `insulin` and `mass` stand for missing values |
#' | `ionosphere` | 351 x 34        | `bad` 126, `good` 225                  | `V2` is constant; rows 103 and 249 are equal |
#' | `sonar`      | 208 x 60        | `R` (rock) 97, `M` (mine) 111          | sorted by class and angle: split at random, not in file order |
#' | `newthyroid` | 215 x 5         | `normal` 150, `hyper` 35, `hypo` 30    | three classes; the usual task is `normal` against the rest |
#' | `synth`      | 1250 x 2        | `0` 625, `1` 625                       | a further column `set` marks the 250 `train` and 1000 `test` rows |
#' | `colon`      | 62 x 10         | `normal` 22, `tumour` 40               | principal components of 2,000 genes; nine labels are doubted in the literature |
#'
#' In a fit the *second* level of a two-level factor is the event.
#'
#' # Doubted labels
#' `colon` has tissues of Alon et al. (1999). Malossini, Blanzieri and Ng (2006) list nine whose
#' labels others doubt: the tumours of patients 2, 30, 33, 36 and 37, and the normal tissues of patients 8,
#' 12, 34 and 36. These are taken here for rows 3, 45, 49, 56, 57, 16, 24, 51
#' and 55: the tumours come in the order of the patients, and of the 22 normal tissues those of
#' patients 34 and 36 are numbers 18 and 20. That reading could not be compared with the papers.
#'
#' @param name One of `"pima"`, `"ionosphere"`, `"sonar"`, `"newthyroid"`,
#'   `"synth"` and `"colon"`.
#' @return A data frame: the features, for `synth` the factor `set`, and the
#'   factor `class` as the last column.
#' @source Pima Indians diabetes, ionosphere and sonar are the UCI sets as in
#'   the R package mlbench 2.1-3 (GPL-2), new thyroid (Coomans) the UCI set as
#'   in mclust 6.0.0 (GPL >= 2), and synth is Ripley's two-class mixture, the
#'   sets `synth.tr` and `synth.te` of MASS 7.3-58.2 (GPL-2 or GPL-3). colon is made
#'   from `Colon` of plsgenomics 1.5-3 (GPL >= 2). Checksums are in `system.file("extdata", "README.md", package = "sturdy")`.
#' @references
#' Alon, U., Barkai, N., Notterman, D. A., Gish, K., Ybarra, S., Mack, D. and Levine, A. J. (1999)
#' Broad patterns of gene expression revealed by clustering analysis of tumor and normal colon
#' tissues probed by oligonucleotide arrays. *Proceedings of the National Academy of Sciences* 96,
#' 6745-6750. \doi{10.1073/pnas.96.12.6745}
#'
#' Malossini, A., Blanzieri, E. and Ng, R. T. (2006) Detecting potential labeling errors in
#' microarrays by data perturbation. *Bioinformatics* 22, 2114-2121.
#' \doi{10.1093/bioinformatics/btl346}
#'
#' Ripley, B. D. (1996) *Pattern Recognition and Neural Networks*. Cambridge
#' University Press.
#'
#' Coomans, D., Broeckaert, I., Jonckheer, M. and Massart, D. L. (1983)
#' Comparison of multivariate discriminant techniques for clinical data -
#' application to the thyroid functional state. *Methods of Information in
#' Medicine* 22, 93-101.
#' @seealso [flip_labels()] to mislabel some rows on purpose.
#' @export
#' @examples
#' thyroid <- sturdy_data("newthyroid")
#' str(thyroid)
#'
#' # the task of the papers: normal against rest
#' table(thyroid$class != "normal")
sturdy_data <- function(name) {
  name <- check_choice(if (!missing(name)) name, names(data_levels), "name")
  path <- system.file("extdata", paste0(name, ".csv.gz"), package = "sturdy", mustWork = TRUE)
  data <- utils::read.csv(path, colClasses = c(class = "character"))
  if (name == "synth") data$set <- factor(data$set, levels = c("train", "test"))
  data$class <- factor(data$class, levels = data_levels[[name]])
  data
}

#' Flip some labels on purpose
#'
#' Changes exactly `round(rate * length(y))` labels, chosen at random without
#' replacement, to the other class, or with three classes or more to any other one alike. Classes
#' are those that occur in `y`; where only one does, the levels are.
#'
#' @param y The labels: a factor with two levels or more, a logical vector, or numbers
#'   that are all 0 or 1, or all -1 or +1.
#' @param rate The fraction to flip, between 0 and 1. As in [round()], a count
#'   that ends in exactly one half goes to the even digit.
#' @param seed A whole number for reproducible random numbers, or `NULL`, the default,
#'   to draw from R's current random number stream. With a seed the result does
#'   not depend on [RNGkind()], and the stream is left as it was.
#' @return `y` with the flipped labels, of the same type and with the same names. Its
#'   attribute `"flipped"` contains their positions, an increasing integer vector.
#' @export
#' @examples
#' y <- factor(rep(c("healthy", "ill"), each = 10))
#' noisy <- flip_labels(y, rate = 0.1, seed = 1)
#' attr(noisy, "flipped")
#' which(noisy != y)
flip_labels <- function(y, rate, seed = NULL) {
  levels <- flip_levels(y)
  rate <- check_number(rate, "rate", min = 0, max = 1)
  others <- length(levels) - 1L
  with_seed_or_stream(seed, {
    flipped <- sort(sample.int(length(y), round(rate * length(y))))
    step <- if (others > 1) sample.int(others, length(flipped), TRUE) else 1L
    y[flipped] <- levels[(match(y[flipped], levels) - 1L + step) %% (others + 1L) + 1L]
  })
  structure(y, flipped = flipped)
}

# The labels that there are, or of a single one those that there may be, of y's type
flip_levels <- function(y) {
  check_given(missing(y), "y")
  must(
    is.factor(y) || is.logical(y) || is.numeric(y), "y",
    "be a factor, a logical vector or numbers", got = y,
    more = c(i = "For text, use {.code factor(y)}.")
  )
  check_none_missing(which(is.na(y)), "y")
  codes <- if (is.numeric(y)) two_codes(y)
  refuse(length(codes) == 2 && length(y) > 0, c(
    "{.arg y} contains only 1, so its other class may be 0 or -1.",
    i = "Use a factor or a logical vector."
  ), "outcome_levels", arg = "y")
  levels <- if (is.factor(y)) levels(y) else if (is.logical(y)) c(FALSE, TRUE) else as.integer(levels(outcome_factor(y, "y")))
  must(length(levels) > 1, "y", "have two levels or more, not {nlevels(y)}", "outcome_levels")
  there <- levels[levels %in% y]
  if (length(there) > 1) there else levels
}

# Evaluates `code` with R's default generators started at `seed`, and puts the
# random number stream back as it was; with a NULL seed it just evaluates.
with_seed_or_stream <- function(seed, code) {
  if (is.null(seed)) {
    return(code)
  }
  seed <- check_count(seed, "seed", min = -.Machine$integer.max)
  global <- globalenv()
  if (!exists(".Random.seed", global, inherits = FALSE)) set.seed(NULL) # nothing has been drawn yet
  state <- get(".Random.seed", global)
  on.exit(assign(".Random.seed", state, envir = global))
  set.seed(seed, kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection")
  code
}
