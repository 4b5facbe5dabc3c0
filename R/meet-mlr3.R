meet_mlr3 <- function() NULL
