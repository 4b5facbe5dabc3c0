# As fit-check.R: what each field of a fit with several classes must be.

class_model_fields <- list(
  spec = function(spec, all) is_spec(spec) && spec_model(spec) == "gpc",
  blueprint = function(blueprint, all) {
    is_blueprint(blueprint) && length(blueprint$levels) > 2
  },
  data = function(data, all) is_data(data, all$blueprint),
  omega = function(omega, all) {
    classes <- length(all$blueprint$levels)
    are_numbers(omega, classes^2) && identical(dim(omega), c(classes, classes)) &&
      all(omega >= 0) && all(abs(rowSums(omega) - 1) < 1e-8)
  },
  epsilon = function(epsilon, all) {
    are_numbers(epsilon) && length(epsilon) %in% c(1, length(all$blueprint$levels))
  },
  kernel = function(kernel, all) {
    kernels <- length(kernel$nugget)
    columns <- if (kernel$type == "iso") 1 else length(all$blueprint$columns)
    inherits(kernel, "sturdy_kernel") && kernels %in% c(1, length(all$blueprint$levels)) &&
      are_numbers(kernel$lengthscale, kernels * columns, above = 0) &&
      are_numbers(unlist(kernel[c("variance", "bias", "nugget")]), 3 * kernels)
  },
  ep = function(ep, all) {
    ep$status %in% names(ep_statuses) && are_strings(ep$message, 1) &&
      (!has_numbers(ep$b) || is_class_ep(ep, length(all$data$y), length(all$blueprint$levels)))
  },
  nodes = function(nodes, all) {
    is.null(nodes) || is.data.frame(nodes$models) && is.data.frame(nodes$table) &&
      are_numbers(nodes$table$weight) && length(nodes$omega) == nrow(nodes$table) &&
      are_numbers(nodes$flipped, length(all$data$y))
  }
)

is_class_ep <- function(ep, n, classes) {
  sized <- function(x) is.numeric(x) && identical(dim(x), c(n, classes))
  sized(ep$sites$tau) && sized(ep$sites$nu) && sized(ep$true_class) && sized(ep$loo_class) &&
    length(ep$flipped) == n && length(ep$loo) == n && ncol(ep$b) == classes
}
