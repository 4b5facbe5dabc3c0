# Makes man/figures/report.png, the picture of a report in README.md: two places of the page,
# side by side. Needs chromium and pngquant.
#
#   Rscript data-raw/report-picture.R
#
# from the root of the repository, with the installed package.

stopifnot(file.exists("README.Rmd"))
library(sturdy)
patients <- sturdy_data("newthyroid")
truth <- factor(patients$class != "normal", labels = c("normal", "ill"))
patients$class <- flip_labels(truth, rate = 0.10, seed = 1)
folder <- tempfile()
dir.create(folder)
label_report(gpc(class ~ ., data = patients), file.path(folder, "report.html"), data = patients)
frame <- "<iframe src=\"report.html%s\" style=\"width:470px;height:640px;border:0\"></iframe>"
writeLines(
  c(
    "<body style=\"margin:0;background:#ccc;display:flex;gap:6px\">", sprintf(frame, ""),
    sprintf(frame, "#answers"), "</body>"
  ),
  file.path(folder, "both.html")
)
made <- file.path(folder, "report.png")
system2("chromium", c(
  "--headless=new", "--no-sandbox", "--hide-scrollbars", "--window-size=946,640",
  paste0("--screenshot=", made), paste0("file://", file.path(folder, "both.html"))
))
system2("pngquant", c("64", "--force", "--output", "man/figures/report.png", made))
stopifnot(file.exists("man/figures/report.png"))
