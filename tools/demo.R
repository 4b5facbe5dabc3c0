# A complete analysis: New Thyroid, normal against the rest, with half of the rows
# for training and 10 % of their labels flipped on purpose. Three classifiers are
# compared on the other half, the labels that look wrong are listed, and a class
# boundary is drawn. tools/demo.sh calls this script.

library(sturdy)

heading <- function(text) cat("\n", text, "\n", strrep("-", nchar(text)), "\n", sep = "")
started <- proc.time()[["elapsed"]]

# Data ------------------------------------------------------------------------

thyroid <- sturdy_data("newthyroid")
x <- thyroid[names(thyroid) != "class"]
y <- factor(ifelse(thyroid$class == "normal", "normal", "abnormal"),
  levels = c("normal", "abnormal")
)

set.seed(1)
training <- sort(sample(nrow(x), nrow(x) %/% 2))
x_train <- x[training, ]
x_test <- x[-training, ]
y_train <- flip_labels(y[training], rate = 0.10, seed = 1)
y_test <- y[-training]
flipped <- attr(y_train, "flipped")

heading("New Thyroid: normal against the rest")
cat(sprintf(
  "%d training rows, %d of their labels flipped; %d test rows, none flipped.\n",
  length(y_train), length(flipped), length(y_test)
))

# Three classifiers -----------------------------------------------------------

fits <- list(
  "gpc, epsilon = 0" = gpc(x_train, y_train, epsilon = 0),
  "gpc, epsilon learned" = gpc(x_train, y_train, epsilon = "learn"),
  "stc, df = 10" = stc(x_train, y_train)
)

# the probability that a fit gives to the true class of each test row
probability_of_truth <- function(fit) {
  prob <- predict(fit, x_test, type = "prob")
  prob[cbind(seq_along(y_test), match(y_test, colnames(prob)))]
}

score <- function(fit) {
  data.frame(
    error = 100 * mean(predict(fit, x_test) != y_test),
    log_score = mean(log(probability_of_truth(fit))),
    evidence = as.numeric(log_evidence(fit, method = "gaussian")),
    loo = glance(fit)$loo,
    # of both classes, which may have rates of their own
    epsilon = mean(flip_rates(fit)$rate)
  )
}

scores <- do.call(rbind, lapply(fits, score))
shown <- data.frame(
  "test error %" = sprintf("%.1f", scores$error),
  "log score" = sprintf("%.3f", scores$log_score),
  "log evidence" = sprintf("%.2f", scores$evidence),
  "leave-one-out" = sprintf("%.2f", scores$loo),
  "epsilon" = sprintf("%.3f", scores$epsilon),
  row.names = rownames(scores), check.names = FALSE
)
cat("\n")
print(shown)
cat(
  "\nlog score: mean log probability of the true class of a test row.",
  "log evidence: by Gaussian EP at the kernel of the fit, comparable between gpc and",
  "stc. leave-one-out: log probability of the training labels, flipped ones included.",
  "epsilon: learned rate of wrong labels, the mean of both classes.",
  sep = "\n"
)
for (name in names(fits)) {
  status <- fits[[name]]$ep$status
  if (status != "converged") cat("\n", name, ": ", fits[[name]]$ep$message, "\n", sep = "")
}

# Which labels are wrong? -----------------------------------------------------

heading("The ten most suspicious training labels (gpc, epsilon learned)")
suspects <- utils::head(mislabelled(fits[["gpc, epsilon learned"]]), 10)
really <- suspects$row %in% flipped
print(
  data.frame(
    row = suspects$row,
    label = suspects$label,
    "probability wrong" = sprintf("%.3f", suspects$probability),
    "really flipped" = ifelse(really, "<- yes", ""),
    check.names = FALSE
  ),
  row.names = FALSE, right = FALSE
)
cat(sprintf("\n%d of these ten were flipped.\n", sum(really)))

# A class boundary -----------------------------------------------------------

heading("A class boundary in two dimensions")
synth <- sturdy_data("synth")
synth <- synth[synth$set == "train", c("xs", "ys", "class")]
synth$class <- flip_labels(synth$class, rate = 0.10, seed = 1)
boundary <- gpc(class ~ xs + ys, data = synth)

picture <- if (isTRUE(capabilities("png"))) "sturdy-demo.png" else "sturdy-demo.pdf"
if (endsWith(picture, "png")) {
  type <- if (isTRUE(capabilities("cairo"))) "cairo" else getOption("bitmapType")
  grDevices::png(picture, width = 1200, height = 1000, res = 150, type = type)
} else {
  cat("This R cannot write PNG files; the picture is a PDF.\n")
  grDevices::pdf(picture)
}
plot(boundary)
invisible(grDevices::dev.off())
cat(
  "Ripley's mixture, 250 rows, 10 % of the labels flipped: ",
  file.path(getwd(), picture), "\n",
  sep = ""
)

cat(sprintf("\nDone in %.0f s.\n", proc.time()[["elapsed"]] - started))
