# Overlap of the classes: test log loss of bpm(), whose nugget and epsilon are learned, of
# bpm() without a nugget, and of glm(), on four ordinary tables; means over random thirds
# held out.
#
#   Rscript linear.R [splits]

args <- grep("^--file=", commandArgs(FALSE), value = TRUE)
source(file.path(dirname(sub("^--file=", "", args[1])), "helper.R"))
splits <- as.integer(c(commandArgs(TRUE), sized("10", "1"))[1])

tables <- lapply(stats::setNames(nm = c("pima", "titanic", "birthwt", "infert")), real_table)

loss <- function(p, class) -mean(log(pmax(ifelse(as.integer(class) == 2, p, 1 - p), 1e-15)))

one_split <- function(data, seed) {
  set.seed(seed)
  test <- sample.int(nrow(data), round(nrow(data) / 3))
  train <- data[-test, ]
  new <- data[test, ]
  control <- ep_control(restarts = 0)
  seconds <- system.time(fit <- quiet(bpm(class ~ ., train, control = control)))
  # of many copies of few rows EP has no fixed point without a nugget
  none <- tryCatch(
    quiet(bpm(class ~ ., train, nugget = 0, control = control)), sturdy_error_no_posterior = function(cnd) NULL
  )
  glm <- suppressWarnings(stats::glm(class ~ ., stats::binomial(), train))
  ours <- function(fit) {
    if (is.null(fit)) NA else loss(predict(fit, new, type = "response", noise = TRUE), new$class)
  }
  c(
    bpm = ours(fit), without = ours(none), epsilon = mean(fit$epsilon), nugget = fit$prior$nugget,
    glm = loss(suppressWarnings(stats::predict(glm, new, type = "response")), new$class),
    converged = fit$ep$status == "converged", seconds = sum(seconds[1:2])
  )
}

machine <- machine_line()
print_machine(machine)
rows <- lapply(sized(names(tables)[lengths(tables) > 0], "infert"), function(name) {
  data <- tables[[name]]
  mean <- rowMeans(vapply(seq_len(splits), function(k) one_split(data, k), numeric(7)))
  data.frame(
    data = name, n = nrow(data), splits = splits, as.list(mean),
    ratio = mean[["bpm"]] / mean[["glm"]]
  )
})
bench_save(do.call(rbind, rows), "linear", machine)
