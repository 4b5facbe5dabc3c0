# Labels with flip rates as the likelihoods that the engine takes.

# y -1/+1, with one rate or (neg, pos); or classes 1..C with a noise matrix
likely <- function(y, epsilon) {
  two <- !is.matrix(epsilon)
  label_likelihood(if (two) 1 + (y > 0) else y, as_omega(epsilon, if (two) 2 else ncol(epsilon)))
}

# of all rows of a latent, at these rates
latent_likely <- function(latent, epsilon) {
  report_likelihood(latent$reports, as_omega(
    epsilon, latent$classes, length(latent$reports$sources), latent_share(latent)
  ))
}

# derivatives in the rates (neg, pos) from those in the likelihoods
rate_gradient <- function(slope, y) {
  reports <- label_reports(1 + (y > 0), 2)
  by <- report_slope(reports, as_omega(0.1, 2), slope)[1, , ]
  c(by[1, 2] - by[1, 1], by[2, 1] - by[2, 2])
}

# one rate, or a rate for each true class, as a noise matrix
rate_matrix <- function(epsilon, classes) as_omega(epsilon, classes)[1, , ]

# labels as latents take them
plain_labels <- function(y) list(y = 1 + (y > 0), reports = label_reports(1 + (y > 0), 2))
