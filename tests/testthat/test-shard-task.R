# What a shard answers, and what goes with it.

test_that("an error of a shard has no rows of it with it, nor have its causes", {
  withr::defer(rm(list = "run 1", envir = shard_cache))
  rows <- sin(1:1e5)
  refused <- function(rows) stop("no such table")
  source <- list(connect = function() do.call(refused, list(rows)))
  expect_gt(length(serialize(caught(source$connect()), NULL)), 8e5) # its call has them
  answer <- shard_task(list(shard = 1L, about = list(source = source)), list(run = "run", verb = "head"))
  expect_lt(length(serialize(answer, NULL)), 1e5)
  expect_match(conditionMessage(answer$failure), "`connect` stopped with an error.")
  expect_identical(conditionMessage(answer$failure$parent), "no such table")
})

test_that("features that were made of another prior are made anew", {
  team <- new_team(shards(shard_data(30), 1))
  withr::defer(team$close())
  molded <- mold_shards(team, class ~ ., TRUE, stats::na.omit)
  prior <- bpm_prior(bpm_spec(nugget = 1), molded$blueprint)
  state <- shard_cache[[paste(team$run, 1)]]
  features <- function(scale) {
    prior$scale[] <- scale
    team$log$prior <- features_over(30, NULL, prior, prior_hyper(prior))
    team$ask("begin")
    state$blocks[[1]]$Phi
  }
  expect_equal(features(4), 2 * features(1))
})
