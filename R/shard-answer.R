# What a fit over shards answers without its rows.

label_counts.sharded <- function(object) object$shards$counts

latent_training.sharded <- function(object, call) check_by_ep(object, call)

check_by_ep.sharded <- function(object, call = rlang::caller_env()) {
  abort_sturdy(
    c(
      "The fit keeps no rows: they are where its shards are.",
      i = "{.code predict(fit, rows)} and {.code mislabelled(fit, rows)} take the shards."
    ),
    "no_sites", call = call
  )
}
