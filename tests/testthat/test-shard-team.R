# A team, and the files of its run.

test_that("where what is known of shards can't be written no folder is left behind", {
  folder <- withr::local_tempdir()
  local_mocked(write_made = function(value, file) abort_sturdy("No room.", "file"))
  expect_error(
    bpm(class ~ ., shards(shard_data(40), 2, checkpoint = folder), cluster = lapply),
    class = "sturdy_error_file"
  )
  expect_identical(dir(folder), character())
})

test_that("files are those of numbers that messages may name", {
  team <- new_team(shards(shard_data(40), 2), lapply)
  withr::defer(team$close())
  mold_shards(team, class ~ ., TRUE, stats::na.omit)
  made <- function() sort(as.integer(unique(sub(".*-", "", dir(team$folder, "^[0-9]")))))
  begun <- function() {
    sites <- list(tau = numeric(20), nu = numeric(20))
    team$ask("hold", each = rep(list(list(value = sites)), 2))
    team$number
  }
  expect_identical(made(), 0L)
  first <- begun()
  team$sites <- first
  second <- begun()
  team$points <- second
  begun() # of no use to anyone: gone with the next
  team$ask("head")
  expect_equal(made(), c(0, first, second))
  team$points <- NULL
  team$ask("head")
  expect_equal(made(), c(0, first))
})
