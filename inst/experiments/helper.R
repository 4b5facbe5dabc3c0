# What the experiments share: how figures look and where results go.

# Line colours that the colour-blind can tell apart (Okabe and Ito); with the
# line types they can be read in grey, too.
figure_colours <- c("#000000", "#D55E00", "#0072B2", "#009E73", "#CC79A7")
figure_lines <- c(1, 2, 4, 5, 6)

# Opens a PNG of the given size in inches; the caller closes it.
figure_png <- function(file, width, height) {
  type <- if (isTRUE(capabilities("cairo"))) "cairo" else getOption("bitmapType")
  grDevices::png(
    file,
    width = width, height = height, units = "in", res = 150, type = type
  )
  graphics::par(
    mar = c(4.1, 4.3, 2.6, 0.8), mgp = c(2.7, 0.7, 0), las = 1, tcl = -0.3,
    cex.main = 1, font.main = 1, lwd = 1.6
  )
}

# A folder for the results, made when it is not there
results_folder <- function(folder) {
  dir.create(folder, showWarnings = FALSE, recursive = TRUE)
  folder
}

# Numbers are kept to six digits: more would differ between machines.
save_results <- function(table, folder, name) {
  number <- vapply(table, is.double, logical(1))
  table[number] <- lapply(table[number], signif, digits = 6)
  utils::write.csv(
    table, file.path(results_folder(folder), paste0(name, ".csv")),
    row.names = FALSE
  )
}

# Arguments of the command line: replications and folder, both optional
script_arguments <- function(replications) {
  given <- commandArgs(TRUE)
  list(
    replications = if (length(given) > 0) as.integer(given[1]) else replications,
    folder = if (length(given) > 1) given[2] else "results"
  )
}
