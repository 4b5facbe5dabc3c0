# Every method that answers a user about a fit first checks that it is one. They are
# known by their dots: generics have them, what methods share inside the package does
# not. (This file is read after those of the methods, in the order of the names.)

for (name in ls(pattern = "^[a-zA-Z_]+[.](sturdy_model|bpm)$")) {
  method <- get(name)
  # a handler of vetiver has the fit within its argument
  if ("..." %in% names(formals(method)) && names(formals(method))[1] != "vetiver_model") {
    object <- as.name(names(formals(method))[1])
    body(method) <- call("{", call("check_model", object), body(method))
    assign(name, method)
  }
}
rm(name, method, object)
