# What all vignettes share: how chunks look, and pictures of one and a half times the pixels
# of an ordinary screen.
# all are knitted in one session: what another one has set is not meant for this
options(sturdy.hyper = NULL, digits = 7, width = 78)
source("fewer-colours.R", local = TRUE)
knitr::opts_chunk$set(
  collapse = TRUE, comment = "#>", fig.width = 6, fig.height = 4, dpi = 96,
  fig.retina = 1.5, out.width = "100%", dev = "png", fig.process = fewer_colours,
  dev.args = if (capabilities("cairo")) list(type = "cairo")
)
# what the console shows, which these pages explain; tables as tables
knitr::opts_chunk$set(render = function(x, ...) {
  if (inherits(x, c("knitr_kable", "knit_asis"))) return(knitr::knit_print(x, ...))
  knitr::normal_print(x, ...)
})
