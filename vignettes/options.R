# What all vignettes share: how chunks look, and pictures of twice the pixels of an
# ordinary screen.
knitr::opts_chunk$set(
  collapse = TRUE, comment = "#>", fig.width = 6, fig.height = 4, dpi = 96,
  fig.retina = 2, out.width = "100%", dev = "png",
  dev.args = if (capabilities("cairo")) list(type = "cairo")
)

# all are knitted in one session: what another one has set is not meant for this
options(sturdy.hyper = NULL)
