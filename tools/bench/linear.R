# Overlap of the classes: test log loss of bpm(), whose nugget and epsilon are learned, of
# bpm() without a nugget, and of glm(), on four ordinary tables; means over random thirds
# held out.
#
#   Rscript linear.R [splits]

args <- grep("^--file=", commandArgs(FALSE), value = TRUE)
source(file.path(dirname(sub("^--file=", "", args[1])), "helper.R"))
splits <- as.integer(c(commandArgs(TRUE), "10")[1])

from_package <- function(name, package) {
  if (!requireNamespace(package, quietly = TRUE)) {
    message("skipped: ", name, " needs the package ", package)
    return(NULL)
  }
  found <- new.env()
  utils::data(list = name, package = package, envir = found)
  found[[name]]
}

with_class <- function(data, column) {
  if (!is.null(data)) {
    data$class <- factor(data[[column]])
    if (column != "class") data[[column]] <- NULL
  }
  data
}

titanic <- as.data.frame(datasets::Titanic)
pima <- rbind(from_package("Pima.tr", "MASS"), from_package("Pima.te", "MASS"))
tables <- list(
  Mroz = with_class(from_package("Mroz", "carData"), "lfp"),
  OJ = with_class(from_package("OJ", "ISLR"), "Purchase"),
  Titanic = with_class(titanic[rep(seq_len(nrow(titanic)), titanic$Freq), -5], "Survived"),
  Pima = with_class(pima, "type")
)

loss <- function(p, class) -mean(log(pmax(ifelse(as.integer(class) == 2, p, 1 - p), 1e-15)))

one_split <- function(data, seed) {
  set.seed(seed)
  test <- sample.int(nrow(data), round(nrow(data) / 3))
  train <- data[-test, ]
  new <- data[test, ]
  control <- ep_control(restarts = 0)
  seconds <- system.time(fit <- bpm(class ~ ., train, control = control))
  none <- suppressWarnings(bpm(class ~ ., train, nugget = 0, control = control))
  glm <- suppressWarnings(stats::glm(class ~ ., stats::binomial(), train))
  ours <- function(fit) loss(predict(fit, new, type = "response", noise = TRUE), new$class)
  c(
    bpm = ours(fit), without = ours(none), epsilon = fit$epsilon, nugget = fit$prior$nugget,
    glm = loss(suppressWarnings(stats::predict(glm, new, type = "response")), new$class),
    converged = fit$ep$status == "converged", seconds = sum(seconds[1:2])
  )
}

machine <- machine_line()
print_machine(machine)
rows <- lapply(names(tables)[lengths(tables) > 0], function(name) {
  data <- tables[[name]]
  mean <- rowMeans(vapply(seq_len(splits), function(k) one_split(data, k), numeric(7)))
  data.frame(
    data = name, n = nrow(data), splits = splits, as.list(mean),
    ratio = mean[["bpm"]] / mean[["glm"]]
  )
})
bench_save(do.call(rbind, rows), "linear", machine)
