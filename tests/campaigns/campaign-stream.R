# Long streams of ordinary rows: none stops, the posterior stays finite and positive
# definite, and predictions stay as good as they were. `cases` is the number of rows
# of each of the 16 streams:
#
#   sh tools/run.sh ../tests/campaigns/campaign-stream.R 1e7 10000

this <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1])
source(file.path(dirname(this), "helper.R"))
campaign <- campaign_start("stream", cases = 2e5, seconds = 240)

batch <- 1e4
# `least` is the error of the best rule. What the prequential error may be above it,
# by df, is about 1.5 times what it is.
settings <- list(
  overlap = list( # classes that overlap, at the default epsilon
    label = function(x) x + rnorm(batch) > 0, epsilon = 0.01, least = 0.25,
    above = c("1" = 0.13, "3" = 0.11, "10" = 0.09, "Inf" = 0.065)
  ),
  flips = list( # what the model assumes
    label = function(x) xor(x > 0, runif(batch) < 0.1), epsilon = 0.1, least = 0.1,
    above = c("1" = 0.03, "3" = 0.01, "10" = 0.002, "Inf" = 0.002)
  ),
  noise = list( # nothing to learn
    label = function(x) runif(batch) < 0.5, epsilon = 0.01, least = 0.5,
    above = c("1" = 0.005, "3" = 0.005, "10" = 0.005, "Inf" = 0.005)
  ),
  factor = list( # and a factor without influence: no row shows one direction
    label = function(x) x + rnorm(batch) > 0, epsilon = 0.01, least = 0.25,
    above = c("1" = 0.15, "3" = 0.14, "10" = 0.12, "Inf" = 0.1), factor = TRUE
  )
)

rows_of <- function(setting) {
  x <- rnorm(batch)
  d <- data.frame(a = x, b = rnorm(batch), class = setting$label(x))
  if (!is.null(setting$factor)) {
    d$f <- sample(c("u", "v", "w"), batch, TRUE, c(0.5, 0.4, 0.1))
  }
  d
}

stream <- function(setting, df) {
  set.seed(campaign$seed)
  left <- campaign$cases / batch
  source <- function() {
    left <<- left - 1
    if (left >= 0 && !campaign_over(campaign)) rows_of(setting)
  }
  tryCatch(
    bpm_stream(class ~ ., source, df = df, epsilon = setting$epsilon, progress = FALSE),
    error = function(cnd) {
      message("df ", df, ": row ", cnd$row, ": ", conditionMessage(cnd))
    }
  )
}

# log2 of the widest over the narrowest direction, in units of the prior: 40 along the
# rows absorbed, some more across them, 53 would be none
condition <- function(fit) {
  root <- sqrt(fit$prior$scale[fit$prior$group])
  widths <- eigen(fit$weights$C / outer(root, root), TRUE, TRUE)$values
  suppressWarnings(log2(max(widths) / min(widths)))
}

stopped <- broken <- 0
for (name in names(settings)) {
  setting <- settings[[name]]
  for (df in c(1, 3, 10, Inf)) {
    if (campaign_over(campaign)) break
    fit <- stream(setting, df)
    if (is.null(fit)) {
      stopped <- stopped + 1
      next
    }
    figure <- function(label, value, ...) {
      campaign_figure(campaign, paste0(name, ", df ", df, ": ", label), value, ...)
    }
    filter <- fit$filter
    numbers <- c(coef(fit), confint(fit), fit$weights$C, filter$log_scale, filter$log_score)
    broken <- broken + !all(is.finite(numbers))
    mean <- coef(fit)[c("a", "b")]
    figure("rows", filter$rows)
    figure(
      "error above the least", filter$errors / filter$rows - setting$least,
      setting$above[[as.character(df)]]
    )
    figure("log loss, a row", -filter$log_score / filter$rows)
    figure("degrees from the truth", acos(mean[["a"]] / sqrt(sum(mean^2))) * 180 / pi)
    figure("log2 of the condition", condition(fit), 48)
    figure("log scale, a row", filter$log_scale / filter$rows)
  }
}
campaign_figure(campaign, "streams that stopped", stopped, 0)
campaign_figure(campaign, "streams with numbers that are not finite", broken, 0)
campaign_end(campaign)
