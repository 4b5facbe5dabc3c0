# mlr3: the learner "classif.sturdy".

#' The learner of mlr3
#'
#' With mlr3 and sturdy loaded, `mlr3::lrn("classif.sturdy")` is a learner of two classes
#' ([gpc()], or [stc()] at a finite `df`) or several ([gpc()]).
#'
#' @details
#' Its parameters are arguments of [gpc_spec()] and [stc_spec()]: `kernel` (`"ard"`, `"iso"` or
#' a kernel), `epsilon`, `hyper`, `inducing`, `df`, `criterion`, `scale`, `control`. Ranges for
#' tuning are `epsilon` in 0 to 0.5, `inducing` from 1, `df` above 0. The fit is
#' `learner$model`. Besides there are `rates` and `trusted`, each a one-sided formula or the names of
#' columns of the task's data, features or not: `lrn("classif.sturdy", rates = ~ clinic)`. Features
#' that they name are no inputs of the fit.
#'
#' Probabilities are those of the true class, with a column for each; the positive class of
#' the task decides what measures such as `"classif.auc"` take for the event. In what the
#' fit prints the event is the second level of the target.
#'
#' `learner$oob_error()`, of the measure `"oob_error"`, is the share of recorded labels that
#' are predicted wrongly by the other rows, and `learner$loglik()` the sum of the log
#' probabilities of recorded labels given the other rows: both by leave-one-out, see [loo()],
#' without fitting again. Missing values are for mlr3's pipelines to fill in; there are no
#' weights.
#' @name sturdy-mlr3
#' @aliases classif.sturdy LearnerClassifSturdy mlr_learners_classif.sturdy
#' @return `mlr3::lrn("classif.sturdy")` is an R6 object that inherits from `mlr3::LearnerClassif`.
#' @seealso [gpc()], [stc()], [loo()]
#' @examplesIf interactive() && rlang::is_installed("mlr3")
#' d <- data.frame(x = c(-2, -1, 1, 2), y = factor(c("no", "no", "yes", "yes")))
#' task <- mlr3::as_task_classif(d, target = "y")
#' learner <- mlr3::lrn("classif.sturdy", epsilon = 0.05, hyper = "optimum")
#' learner$predict_type <- "prob"
#' learner$train(task)
#' learner$predict(task)
#' learner$loglik()
NULL

#' Enter the learner in mlr3's dictionary, its class made when mlr3 is there
#' @noRd
meet_mlr3 <- function() mlr3::mlr_learners$add("classif.sturdy", function() make_learner_class()$new())

utils::globalVariables(c("self", "super")) # of the class

make_learner_class <- function() {
  R6::R6Class("LearnerClassifSturdy",
    inherit = mlr3::LearnerClassif,
    public = list(
      initialize = function() {
        super$initialize(
          id = "classif.sturdy", param_set = learner_parameters(),
          predict_types = c("response", "prob"),
          feature_types = c("logical", "integer", "numeric", "character", "factor", "ordered"),
          properties = c("twoclass", "multiclass", "oob_error"), packages = "sturdy",
          label = "Gaussian process classification with wrong labels",
          man = "sturdy::sturdy-mlr3"
        )
      },
      loglik = function() {
        structure(
          loo(self$model)$estimates["elpd_loo", "Estimate"],
          df = NA_integer_, nobs = stats::nobs(self$model), class = "logLik"
        )
      },
      oob_error = function() mean(row_missed(self$model)) # the share that the other rows get wrong
    ),
    private = list(
      .train = function(task) learner_fit(task, self$param_set$get_values(tags = "train")),
      .predict = function(task) learner_answer(self, task),
      .extract_loglik = function() self$loglik(),
      .extract_oob_error = function() self$oob_error()
    )
  )
}

learner_parameters <- function() {
  rate <- list("average", "learn", "learn2", "matrix")
  any <- paradox::p_uty(tags = "train")
  paradox::ps(
    kernel = paradox::p_uty(default = "ard", tags = "train"),
    epsilon = paradox::p_dbl(0, 0.5, special_vals = rate, tags = "train"),
    hyper = paradox::p_fct(c("integrate", "optimum"), tags = "train"),
    inducing = paradox::p_int(1L, special_vals = list("auto"), default = "auto", tags = "train"),
    df = paradox::p_dbl(0, Inf, default = Inf, tags = "train"),
    criterion = paradox::p_fct(c("evidence", "loo"), tags = "train"),
    scale = paradox::p_lgl(default = TRUE, tags = "train"),
    rates = any, trusted = any, units = any, control = any
  )
}

learner_fit <- function(task, values) {
  named <- unlist(lapply(values[c("rates", "trusted", "units")], function(v) {
    if (inherits(v, "formula")) all.vars(v) else if (is.character(v)) v
  }))
  columns <- c(task$target_names, task$feature_names)
  columns <- union(columns, intersect(named, task$col_info$id))
  data <- as.data.frame(task$data(cols = columns))
  formula <- task$formula()
  environment(formula) <- globalenv()
  do.call(gp_class_fit, c(list(formula, data = data), values), quote = TRUE)
}

learner_answer <- function(learner, task) {
  new <- as.data.frame(task$data(cols = task$feature_names))
  if (learner$predict_type == "response") {
    list(response = stats::predict(learner$model, new))
  } else list(prob = all_levels(stats::predict(learner$model, new, type = "prob"), task$class_names))
}
