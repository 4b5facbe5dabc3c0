# Makes inst/extdata/colon.csv.gz from the set `Colon` of the R package plsgenomics (1.5-3, GPL >= 2):
#
#   Rscript data-raw/colon.R <its source, unpacked>
#
# Ten principal components of the logarithms of 2,000 genes, each tissue brought to mean 0 and
# variance 1 first and each gene then. The sign of a component, which is arbitrary, is that of its
# largest entry.

source <- file.path(commandArgs(TRUE)[1], "data", "Colon.rda")
load(source)
genes <- t(scale(t(log2(Colon$X))))
colnames(genes) <- NULL
components <- prcomp(genes, scale. = TRUE, rank. = 10)$x
largest <- apply(abs(components), 2, which.max)
components <- sweep(components, 2, sign(components[cbind(largest, 1:10)]), "*")
data <- data.frame(
  signif(components, 10),
  class = factor(Colon$Y, levels = 1:2, labels = c("normal", "tumour"))
)
file <- "inst/extdata/colon.csv"
write.csv(data, file, row.names = FALSE, quote = FALSE)
system2("sha256sum", file)
system2("gzip", c("-9n", file))
