# A complete analysis: five thyroid tests of 215 patients, normal or ill, with 10 % of the labels
# flipped on purpose. Are labels wrong, how many, which; what a check of the first ones changes;
# and what it does to predictions of other patients. tools/demo.sh calls this script.

library(sturdy)

heading <- function(text) cat("\n", text, "\n", strrep("-", nchar(text)), "\n", sep = "")
started <- proc.time()[["elapsed"]]
options(width = 80)

# Data ------------------------------------------------------------------------

patients <- sturdy_data("newthyroid")
truth <- factor(patients$class != "normal", labels = c("normal", "ill"))
patients$patient <- sprintf("P%03d", seq_len(nrow(patients)))
set.seed(1)
here <- sort(sample(nrow(patients), 150))
others <- patients[-here, ]
true_others <- truth[-here]
patients <- data.frame(patients[here, ], row.names = NULL)
truth <- truth[here]
labels <- flip_labels(truth, rate = 0.10, seed = 1)
patients$class <- labels
flipped <- attr(labels, "flipped")

heading("The table")
cat(sprintf(
  "%d patients, five tests each; %d of the labels were flipped. Nobody tells the fit.\n\n",
  nrow(patients), length(flipped)
))
print(utils::head(patients, 3), row.names = FALSE)

# The fit -----------------------------------------------------------------------

heading("fit <- gpc(class ~ . - patient, data = patients)")
fit <- gpc(class ~ . - patient, data = patients)
print(fit)

heading("mislabelled(fit, fdr = 0.1, given = \"some\"): which?")
suspects <- mislabelled(fit, fdr = 0.1, given = "some", id = patients$patient)
print(suspects, n = 8)
cat(sprintf(
  "\nOf these %d labels %d were flipped.\n", nrow(suspects), sum(suspects$row %in% flipped)
))

# The page ------------------------------------------------------------------------

heading("label_report(fit, \"sturdy-demo.html\", data = patients, id = \"patient\")")
page <- file.path(getwd(), "sturdy-demo.html")
label_report(fit, page, data = patients, id = "patient")
cat("Open this page in a browser:\n\n    ", page, "\n\n", sep = "")
cat("It shows which records to check, takes the answers, and saves them as a file.\n")

# Answers ---------------------------------------------------------------------------

heading("review(fit, n = 10), and update(fit, checked = ) with what the records say")
checks <- review(fit, n = 10)
cat(sprintf("Of the ten rows to check %d labels are wrong.\n\n", sum(checks$row %in% flipped)))
after <- update(fit, checked = data.frame(row = checks$row, label = truth[checks$row]))
print(after)

# A picture ---------------------------------------------------------------------------

heading("plot(fit)")
picture <- if (isTRUE(capabilities("png"))) "sturdy-demo.png" else "sturdy-demo.pdf"
if (endsWith(picture, "png")) {
  type <- if (isTRUE(capabilities("cairo"))) "cairo" else getOption("bitmapType")
  grDevices::png(picture, width = 1200, height = 1000, res = 150, type = type)
} else {
  cat("This R cannot write PNG files; the picture is a PDF.\n")
  grDevices::pdf(picture)
}
plot(fit)
invisible(grDevices::dev.off())
cat("What each test says of the probability of ", levels(truth)[2], ":\n\n    ",
  file.path(getwd(), picture), "\n",
  sep = ""
)

# Other patients ----------------------------------------------------------------------

heading("65 other patients, whose labels are right")
plain <- update(fit, epsilon = 0)
scores <- function(fit) {
  p <- predict(fit, others, type = "prob")
  c(
    "wrong class" = 100 * mean(predict(fit, others) != true_others),
    "log score" = mean(log(p[cbind(seq_along(true_others), as.integer(true_others))]))
  )
}
print(round(rbind(
  "labels may be wrong" = scores(fit), "every label taken as right" = scores(plain)
), 2))
cat("\nwrong class: in percent. log score: mean log probability of the true class.\n")

cat(sprintf("\nDone in %.0f s.\n", proc.time()[["elapsed"]] - started))
