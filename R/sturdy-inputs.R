#' Inputs and response
#'
#' Which columns, formulas and classes [gpc()] and [stc()] take, and what they make of them.
#' [bpm()] has a section of its own on what is different there.
#'
#' @section Inputs:
#' Numeric columns enter the kernel through squared differences. Factor, character
#' and logical columns enter through whether two rows have the same level: contrasts
#' are not used, and all levels are treated alike.
#'
#' Dates, date-times (`POSIXct`) and differences of times are numbers inside, and are shown as what
#' they are. Dates in text are names: [as.Date()] reads them.
#'
#' Some columns are left out with a message: constant ones, and identifiers of more than ten
#' rows. These are text or factors with a value of their own in (nearly) every row, and whole
#' numbers, all different, that go up or down from row to row and leave few out, or whose name ends in `id`; a
#' single input is none, unless it is text that differs in every row. A number that is no identifier stays in as
#' `I(number / 2)`. Of columns that are copies of each other, or linear in
#' others (a sum), the later one is left out, too; `I(sqrt(total))`, say, stays. Text or levels that look like numbers with a decimal comma are an
#' error.
#'
#' In new data, a level that did not occur in training is allowed, with a message: to
#' the kernel it differs from every known level, as these do from each other. [absorb()]
#' and [posterior_sample()] refuse it, because several new levels would count as one.
#'
#' With more than 400 columns [kernel_ard()], where it is asked for, gives a warning: the ratios of
#' the lengthscales are then found in a few steps and held, and what they have in common is learned.
#'
#' @section Formulas:
#' A term may be a variable, a transformation such as `log(x)` or
#' `poly(x, 2)`, or a product of numeric variables. Interactions with factors are an
#' error, because the kernel lets all inputs interact. The intercept of the formula
#' has no effect: the `bias` of the kernel plays that part. Every input must be a
#' column of `data`, and functions in the formula must be in the workspace or in a
#' package, where [predict()][predict.sturdy_model] finds them; local ones are an error.
#' Rows may have [case weights][case-weights]. An [`offset()`][case-weights] in
#' the formula is a known part of the latent mean.
#'
#' @section Response:
#' A factor or text with two classes (for [gpc()] up to 20), a logical vector, or numbers 0/1 or
#' -1/+1. Of two classes the second level is the event, whose probability the fit models: that of a
#' factor as it stands, of text the later one in the order of the C locale (capitals before small
#' letters, plain letters before others) whatever the locale of the session, and `TRUE` or 1. Unused
#' levels are dropped with a message. Of an ordered factor with three classes or more the order is used, see
#' [ordered-classes]. A row whose label is missing takes no part in the fit, and
#' [predict()][predict.sturdy_model] without `newdata` answers for it, too; a message says so.
#' Where several people or tests labelled the rows, see [readers()]; where only one class is ever
#' recorded, `unlabelled` of [noise_prior()].
#'
#' @section Rows:
#' Rows that lack an input are left out, with a message that names the columns. `row` in what is
#' printed and returned counts the rows of the table that was given.
#'
#' Leave out **copies** of rows, as joins and double entry make them: a wrong label and its copy confirm
#' each other, and neither looks wrong. Where rows are alike in a measurement and in all else, a
#' message says how many. Repeated measurements of one patient are no copies, but they share what is
#' particular to the patient; a fit takes them for different rows.
#'
#' @name inputs
#' @aliases sturdy-inputs
#' @seealso [gpc()], [conditions][sturdy-conditions]
#' @examples
#' d <- data.frame(
#'   id = sprintf("p%02d", 1:40), dose = rep(c(1, 2, 4, 8), 10), site = rep(c("n", "s"), 20)
#' )
#' d$class <- factor(d$dose > 2, labels = c("no", "yes"))
#' d$dose[7] <- NA
#' # the identifier is dropped, row 7 left out; both are said
#' fit <- gpc(class ~ ., d, hyper = "optimum", epsilon = 0.05)
#' nobs(fit)
NULL
