# Arguments that nobody should give. Each case takes one of the valid calls of
# fuzz-calls.R, replaces or adds one or two of its arguments and says what came:
# a value, an error of a class of ours, R's own matching of arguments, an error of
# the user's own code; or else, all of which count against the package: an error or
# a warning of no class, a NaN that nothing explains, more than 5 seconds of CPU. A tenth of the
# calls are those of fuzz-large.R: right arguments, and more than 300 rows (60 seconds; fits of
# several classes that take longer are counted apart).

args <- commandArgs(FALSE)
folder <- dirname(sub("^--file=", "", grep("^--file=", args, value = TRUE)[1]))
source(file.path(folder, "helper.R"))
source(file.path(folder, "fuzz-objects.R"))
source(file.path(folder, "fuzz-calls.R"))
source(file.path(folder, "fuzz-large.R"))

campaign <- campaign_start("fuzz", cases = 20000, seconds = 3600)
fuzz_folder <- tempfile("fuzz-")
dir.create(fuzz_folder)
setwd(fuzz_folder) # "text" is also a fine name of a file
grDevices::pdf(NULL)
options(cli.num_colors = 1L, sturdy.max_memory = 5e8)
mem.maxVSize(4000) # megabytes: what tries to take more is an error, not a dead machine
objects <- list2env(fuzz_objects(), parent = globalenv())

# Nothing is forgotten ---------------------------------------------------------

base_name <- function(name) sub("[0-9]+$", "", name)

every_name <- function() {
  methods <- getNamespaceInfo("sturdy", "S3methods")
  delayed <- methods[grepl("::", methods[, 1], fixed = TRUE), , drop = FALSE]
  methods <- setdiff(methods[, 3], delayed[, 3])
  generics <- unique(getNamespaceInfo("sturdy", "S3methods")[, 1])
  c(methods, setdiff(getNamespaceExports("sturdy"), generics))
}
forgotten <- setdiff(every_name(), base_name(names(fuzz_calls)))
campaign_figure(campaign, "functions and methods without a call", length(forgotten), 0)
if (length(forgotten)) print(forgotten)

# Values ----------------------------------------------------------------------

nested_list <- function(depth) Reduce(function(x, k) list(x), seq_len(depth), list())
nested_call <- function(depth, fun) {
  Reduce(function(x, k) call(fun, x), seq_len(depth), quote(u))
}
nested_sum <- function(depth) Reduce(function(x, k) call("+", x, quote(u)), seq_len(depth))
as_formula <- function(right) {
  stats::as.formula(call("~", quote(class), right), env = globalenv())
}
forged <- function(object, ...) {
  change <- list(...)
  object[names(change)] <- change
  object
}
methods::setClass("Fuzz", methods::representation(x = "numeric"))
closed <- file(tempfile(), "w")
close(closed)
empty_file <- tempfile()
invisible(file.create(empty_file))
binary_file <- tempfile()
writeBin(as.raw(sample(0:255, 4000, TRUE)), binary_file)
latin_file <- tempfile()
writeBin(as.raw(c(0x75, 0x2c, 0xe9, 0x0a, 0x31, 0x2c, 0xff, 0x0a)), latin_file)

bad <- with(objects, list(
  null = NULL, na = NA, na_real = NA_real_, na_text = NA_character_, nan = NaN,
  inf = Inf, minus_inf = -Inf, minus_one = -1, zero = 0, half = 0.5, one = 1L, two = 2,
  tiny = 1e-300, small = 1e-10, huge = 1e300, large = 2^31 - 1, larger = 2^53,
  million = 1e6L, hundred = 100, true = TRUE, false = FALSE,
  no_text = character(), empty_text = "", text = "text", long_text = strrep("x", 1e6),
  braces = "{stop('evaluated')}", percent = "%s%n", bytes = "\xff\xfe", letters = letters,
  none = list(), list3 = list(3), pair = list(a = 1, b = "x"), numbers = c(1, 2),
  named = c(neg = 0.1, pos = 0.6), nameless = stats::setNames(c(0.1, 0.2), c(NA, "")),
  twice = c(a = 1, a = 2), many = rep(0.1, 1e5), no_number = numeric(),
  bool = c(TRUE, NA, FALSE), fails = function(...) stop("the user's own code"),
  nothing = function(...) NULL, mean = mean, primitive = sum, frame = globalenv(),
  formula = class ~ u, one_sided = ~u, no_formula = class ~ 0, self = class ~ class,
  odd_formula = class ~ u:w + poly(v, 2) + offset(u), unknown = class ~ zzz,
  tilde = class ~ (u ~ v), deep_calls = as_formula(nested_call(6000, "(")),
  deep_log = as_formula(nested_call(3000, "log")), deep_sum = as_formula(nested_sum(6000)),
  deep_left = stats::as.formula(call("~", nested_call(6000, "-"), quote(u))),
  symbol = quote(x), deep_call = nested_call(6000, "("), call = quote(f(x)),
  expression = expression(1, x), deep_list = nested_list(6000),
  factor = factor(letters[1:3]), no_level = factor(character()), na_factor = factor(NA),
  frame0 = data.frame(), rows0 = d[0, ], cols0 = d[, 0], d = d, one_row = d[1, ],
  bad_names = stats::setNames(d, c("u", "u", NA, "class")), nameless_frame = unname(d),
  list_frame = data.frame(u = I(as.list(1:16)), class = d$class),
  matrix_frame = data.frame(u = I(matrix(0, 16, 2)), class = d$class),
  na_frame = transform(d, u = NA_real_), inf_frame = transform(d, u = Inf),
  huge_frame = transform(d, u = u * 1e300), tiny_frame = transform(d, u = u * 1e-300),
  dates = transform(d, u = Sys.Date() + 1:16), X = X, t_X = t(X), gram = gram,
  text_matrix = matrix("a", 16, 2), na_matrix = matrix(NA_real_, 16, 2),
  empty_matrix = matrix(0, 0, 0), cols0_matrix = matrix(0, 16, 0),
  array = array(0, c(2, 2, 2)), twice_matrix = cbind(a = 1:16, a = 1), y = d$class,
  y_text = c("no", "yes"), date = Sys.Date(), time = Sys.time(),
  difftime = as.difftime(1, units = "secs"), complex = 1i, raw = as.raw(1),
  version = package_version("1.0"), s4 = methods::new("Fuzz", x = 1), table = table(d$w),
  series = stats::ts(1:16), posixlt = as.POSIXlt(Sys.time()),
  integer64 = structure(3e-323, class = "integer64"), odd = structure(1, class = "odd"),
  folder = tempdir(), nowhere = file.path(tempdir(), "no", "where"), closed = closed,
  empty_file = empty_file, binary_file = binary_file, latin_file = latin_file,
  con = con, m = m, f_gpc = f_gpc, f_adf = f_adf, selected = f_selected,
  lm = stats::lm(u ~ v, d), found = found, source = dbi_source(con, "SELECT nothing FROM x"),
  kernel = structure(list(), class = c("kernel_ard", "sturdy_kernel")),
  kernel_text = forged(held, lengthscale = "a"), kernel_nan = forged(held, nugget = NaN),
  kernel_type = forged(held, type = "x"), kernel_atom = structure(1, class = "sturdy_kernel"),
  kernel_fixed = forged(held, fixed = 3), kernel_prior = forged(held, prior = list(3)),
  prior = structure(list(bias = "a"), class = "sturdy_prior"),
  prior_list = forged(weak_prior(), bias = list(meanlog = NaN, sdlog = -1)),
  control = structure(list(), class = "sturdy_control"),
  control_text = forged(quiet, tol = "a"), control_nan = forged(quiet, damping = NaN),
  control_huge = forged(quiet, max_sweeps = 1e10, restarts = 1e10, block = -1),
  control_atom = structure(1, class = "sturdy_control"),
  spec = structure(list(), class = c("gpc_spec", "sturdy_spec")),
  spec_list = list(forged(two$a, df = "a", kernel = 3)), spec_odd = list(forged(two$b, scale = NA)),
  spec_atom = structure(1, class = "sturdy_spec"),
  spec_type = list(structure(list(scale = TRUE), class = c("x_spec", "sturdy_spec"))),
  specs = list(two$a, two$a), natural = natural,
  mvt_forged = structure(list(mu = "a"), class = "sturdy_mvt"),
  natural_forged = structure(list(theta1 = 1), class = "sturdy_mvt_natural"),
  sites = list(tau = rep(1, 16), nu = rep(NaN, 16)), sites_far = list(tau = rep(-1e300, 16),
    nu = rep(1e300, 16)), learn = "learn", missing = quote(expr = )
))
objects$bad <- bad

# Cases -----------------------------------------------------------------------

spec_arguments <- list(
  gpc = names(formals(gpc_spec)), bpm = names(formals(bpm_spec)),
  stc = union(names(formals(gpc_spec)), names(formals(stc_spec)))
)

# The arguments of a call that may be changed: for the generics of others not the one
# by which they choose a method, for then the call is not for us
arguments_of <- function(name) {
  call <- fuzz_calls[[name]]
  fun <- get0(base_name(name), asNamespace("sturdy"), mode = "function")
  given <- if (is.null(names(call))) rep("", length(call) - 1) else names(call)[-1]
  places <- as.list(seq_along(given) + 1)
  more <- setdiff(
    c(names(formals(fun)), spec_arguments[[sub("[.].*", "", name)]]), c(given, "...", "quit") # audit(quit = TRUE) ends R, as it should
  )
  first <- names(formals(fun))[1]
  if (length(given) && given[1] == "") more <- setdiff(more, first)
  foreign <- !verb_of(call) %in% getNamespaceExports("sturdy") ||
    verb_of(call) %in% c("tidy", "glance", "augment")
  c(if (foreign) places[-1] else places, as.list(more), list("unknown"))
}

verb_of <- function(call) {
  verb <- call[[1]]
  if (is.call(verb)) as.character(verb[[3]]) else as.character(verb)
}

mutate_call <- function(name) {
  call <- fuzz_calls[[name]]
  places <- arguments_of(name)
  inline <- stats::runif(1) < 0.25
  for (place in sample(places, min(length(places), sample(1:2, 1, prob = c(3, 1))))) {
    label <- sample(names(bad), 1)
    call[[place]] <- if (label == "missing") {
      quote(expr = )
    } else if (inline && !is.language(bad[[label]]) && !is.null(bad[[label]])) {
      bad[[label]] # as do.call() gives them
    } else {
      call("$", quote(bad), as.name(label))
    }
    known <- is.numeric(place) && !is.null(names(call)) && nzchar(names(call)[place])
    shown <- if (known) names(call)[place] else place
    attr(call, "labels") <- c(attr(call, "labels"), paste(shown, label))
  }
  call
}

has_nan <- function(x) {
  if (is.list(x)) any(vapply(unclass(x), has_nan, NA)) else is.double(x) && any(is.nan(x))
}
claims_too_much <- function(x) {
  fit <- if (inherits(x, "sturdy_ep")) x else if (inherits(x, "sturdy_model")) x$ep
  identical(fit$status, "converged") && anyNA(c(fit$log_evidence, unlist(fit$sites), fit$m))
}

r_own <- paste(
  c("is missing, with no default", "unused argument", "matched by multiple actual",
    "matches multiple formal", "the user's own code", "argument [0-9]+ is empty",
    "arguments passed to '[^']+' which requires"),
  collapse = "|"
)

budgets <- paste0(
  "^(max_sweeps|restarts|draws|se|max_moves|n|p|nsim|thin|replications|rows|control|tol) ",
  "(large|million|small|tiny|hundred|control_huge)$"
)

# For a call that is looked up in another package, or in R itself
foreign_error <- function(call, said) {
  # methods for packages that may not be here: they stand in fuzz-objects.R
  if (grepl("[.](sturdy_model|bpm)$", verb_of(call))) {
    return(grepl("there is no package called", said))
  }
  switch(verb_of(call),
    loo = !grepl("no applicable method", said),
    `$` = , `[[` = , `[` = , `[.offset_rows` = TRUE, # the rules of lists and matrices
    # what parsnip and dials say of their own arguments
    gp_class = , gp_df = , gp_epsilon = , gp_inducing = , gp_kernel = , update.gp_class = !grepl("sturdy", gsub("<[^>]*>", "", said)),
    `+` = grepl("non-numeric argument", said), # a kernel and a factor: R takes neither method
    FALSE
  )
}

run_call <- function(call, limit = 5) {
  warned <- character()
  explained <- FALSE
  began <- sum(proc.time()[1:2])
  setTimeLimit(cpu = 1.2 * limit, transient = TRUE)
  on.exit(setTimeLimit())
  labels <- attr(call, "labels")
  attr(call, "labels") <- NULL
  result <- tryCatch(
    withCallingHandlers(
      {
        utils::capture.output({
          value <- eval(call, objects)
          # what a call accepts must be able to show itself and to predict
          if (inherits(value, "sturdy_model")) {
            print(value)
            if (is.null(value$ep$status) || value$ep$status == "converged") {
              predict(value, if (is.null(value$data)) objects$d)
            }
          }
        })
        silent <- !explained && (claims_too_much(value) || has_nan(value))
        if (silent) "NaN without status" else "value"
      },
      warning = function(cnd) {
        explained <<- TRUE
        # loo() of what is not ours is that of the package loo, a range is dials' to check
        ours <- !verb_of(call) %in% c("loo", "[", "[[", "$", "[.offset_rows", "gp_df", "gp_epsilon", "gp_inducing")
        if (!inherits(cnd, "sturdy_warning") && ours) warned <<- conditionMessage(cnd)
        invokeRestart("muffleWarning")
      },
      message = function(cnd) tryInvokeRestart("muffleMessage")
    ),
    error = function(cnd) cnd
  )
  setTimeLimit()
  said <- ""
  if (inherits(result, "error")) {
    said <- conditionMessage(result)
    result <- if (inherits(result, "sturdy_error")) {
      "classed error"
    } else if (grepl(r_own, said) || foreign_error(call, said) ||
      grepl("deep_", paste(labels, collapse = " ")) && grepl("C stack|nested too deeply|too deep", said)) {
      "error of R's matching or the user's code"
    } else {
      "unclassed error"
    }
  } else if (length(warned)) {
    said <- warned
    if (result == "value") result <- "unclassed warning"
  }
  # R carries a NaN that was given on
  given_nan <- any(grepl(" (nan|prior_list|many|na|.*_nan|sites|inf|minus_inf|huge)$", labels)) &&
    verb_of(call) %in% c("ln_q", "exp_q", "q_product", "q_quotient", "q_entropy",
      "q_divergence", "renyi_entropy", "tsallis_entropy", "escort",
      "vetiver_create_meta.sturdy_model") # keeps what it is given
  if (result == "NaN without status" && given_nan) result <- "value"
  if (sum(proc.time()[1:2]) - began > limit) {
    # so many sweeps, draws or moves were asked for, and the time limit could end them
    asked <- grepl(budgets, labels)
    result <- if (any(asked) && grepl("time limit", said)) "long, as asked" else "hang"
  }
  list(outcome = result, said = substr(said, 1, 300), labels = labels)
}

# Run -------------------------------------------------------------------------

set.seed(campaign$seed)
for (name in names(fuzz_calls)) { # they are valid, or refused on purpose
  first <- run_call(fuzz_calls[[name]])
  if (!first$outcome %in% c("value", "classed error")) {
    cat("base call", name, ":", first$outcome, first$said, "\n")
  }
}
unlink(list.files(), recursive = TRUE)
suppressWarnings(RNGkind("Mersenne-Twister", "Inversion", "Rejection"))

outcomes <- c(
  "value", "classed error", "error of R's matching or the user's code", "long, as asked",
  "slow fit of several classes", "unclassed error",
  "unclassed warning", "NaN without status", "hang"
)
counts <- stats::setNames(numeric(length(outcomes)), outcomes)
examples <- list()
done <- large <- 0
note <- function(case, name) {
  counts[case$outcome] <<- counts[case$outcome] + 1
  if (!case$outcome %in% outcomes[6:9]) return()
  # one example for each message and function
  key <- paste(case$outcome, base_name(name), gsub("[0-9]+", "#", substr(case$said, 1, 60)))
  if (is.null(examples[[key]])) {
    examples[[key]] <<- sprintf(
      "[%s] %s: %s\n    %s", case$outcome, name, paste(case$labels, collapse = ", "),
      substr(gsub("\n", " ", case$said), 1, 160)
    )
    cat(examples[[key]], "\n")
  }
}
rounds <- 0
while (done < campaign$cases && !campaign_over(campaign)) {
  if (large < done / 10) {
    rounds <- rounds + 1
    campaign_seed_case(campaign, rounds)
    cases <- large_round(objects, run_call)
    for (case in cases) note(case, paste("large table", rounds))
    large <- large + length(cases)
    done <- done + length(cases)
  } else {
    name <- names(fuzz_calls)[(done - large) %% length(fuzz_calls) + 1]
    note(run_call(mutate_call(name)), name)
    done <- done + 1
  }
  while (grDevices::dev.cur() == 1) grDevices::pdf(NULL)
  if (length(list.files())) unlink(list.files(), recursive = TRUE)
}

campaign_figure(campaign, "calls", done)
campaign_figure(campaign, "calls with more than 300 rows", large)
for (outcome in outcomes[1:5]) campaign_figure(campaign, outcome, counts[[outcome]])
for (outcome in outcomes[6:9]) campaign_figure(campaign, outcome, counts[[outcome]], 0)
campaign_end(campaign)
