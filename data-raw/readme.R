# Makes README.md and its picture from README.Rmd, with the installed package:
#
#   Rscript data-raw/readme.R
#
# from the root of the repository.

stopifnot(file.exists("README.Rmd"), file.exists("DESCRIPTION"))
source("vignettes/fewer-colours.R")
knitr::opts_chunk$set(fig.process = fewer_colours, error = FALSE) # one stops here
knitr::knit("README.Rmd", "README.md", quiet = TRUE, envir = new.env())
