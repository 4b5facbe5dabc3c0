# The bugs that tools/mutate.R plants: name, file, old text, new text, and the
# tests that must fail, `r` (a filter on tests/testthat) and `c` (programs of
# tools/ctest). The old text must stand exactly once in the file, or in all of
# the files where a pattern stands for them.

# Positive and unlabelled -----------------------------------------------------

mutant(
  "the other class is the one that is labelled", "R/fit-classes.R",
  "if (first) \"second\" else \"first\"", "if (first) \"first\" else \"second\"",
  r = "answer-unlabelled"
)
mutant(
  "the prevalence without the rows that are labelled", "R/answer-unlabelled.R",
  "prevalence <- (labelled + wrong)", "prevalence <- wrong", r = "answer-unlabelled"
)

mutant(
  "probabilities of a row go to another when rows are visited in order", "R/latent.R",
  "reports$soft <- reports$soft[turn, , drop = FALSE]", "reports$soft <- reports$soft",
  r = "data-soft"
)
mutant(
  "probabilities are lost when a check comes in", "R/noise-known.R",
  "rbind(certain, reports$soft[kept, , drop = FALSE])",
  "rbind(certain, NA * reports$soft[kept, , drop = FALSE])", r = "data-soft"
)

# Classes in an order ---------------------------------------------------------

mutant(
  "classes in an order: parts of the tilted density without what is between them", "src/cuts.c",
  "to.w += w * (p[t].m2 + dd);", "to.w += w * p[t].m2;", r = "cuts", c = "cuts"
)
mutant(
  "classes in an order: thresholds move with the level below alone", "src/cuts.c",
  "lik->L[IDX(i, c, lik->n)] - lik->L[IDX(i, c + 1, lik->n)]", "lik->L[IDX(i, c, lik->n)]",
  r = "cuts", c = "cuts"
)
mutant(
  "classes in an order: widths don't move the middle", "R/native.R",
  "unname(hyper$width) * (above - sum(out$by_cut) / 2)", "unname(hyper$width) * above", r = "cuts"
)
mutant(
  "classes in an order: the gradient in a rate is that of equal shares", "R/noise-coordinates.R",
  "moved <- array(slope * as.vector(noise_whereto(model, Z)), ",
  "moved <- array(slope * rep(even_share(size[2]), each = size[1]), ",
  r = "noise-coordinates|kernel-ordered"
)
mutant(
  "classes in an order: new rows under the thresholds of the first node", "R/fit-truth.R",
  "object$spec$df, width[[k]])", "object$spec$df, width[[1]])", r = "kernel-ordered"
)

# Faces, prediction -----------------------------------------------------------

mutant(
  "the two rates swapped in predict(noise = TRUE)", "R/fit-left-out.R",
  "at_k(p, k) %*% omega[[k]]", "at_k(p, k) %*% t(omega[[k]])", r = "answer-predict"
)
mutant(
  "names of rows that na.exclude took out", "R/fit-new.R",
  "names[omitted] <- names(omitted)", "names[omitted] <- omitted",
  r = "answer-predict"
)
mutant(
  "rows with NA take the values of others", "R/fit-new.R",
  "rep(NA_integer_, nrow(new$X))",
  "rep(1L, nrow(new$X))", r = "answer-predict"
)
mutant(
  "rows of further batches are numbered from 1", "R/shard-write.R",
  "found$row <- state$read + found$row", "found$row <- found$row", r = "shard-answer"
)
mutant(
  "a level that is new has no variance in SQL", "R/fit-sql.R",
  "s2 <- c(sql_quadratic(fit$weights$C, x), if (length(novel)) unknown)",
  "s2 <- sql_quadratic(fit$weights$C, x)", r = "answer-sql"
)
mutant(
  "quotation marks in names of columns", "R/data-sql.R",
  "gsub(mark, strrep(mark, 2), enc2utf8(text), fixed = TRUE)", "enc2utf8(text)", r = "answer-sql"
)
mutant(
  "scale of the latent t without kappa", "R/answer-predict.R",
  "scale = sqrt(kappa * drop(s2))",
  "scale = sqrt(drop(s2))", r = "answer-predict"
)
mutant(
  "wrong rows after the first block of new ones", "src/glue-predict.c",
  "r->Xnew + IDX(first, j, r->rows)", "r->Xnew + IDX(0, j, r->rows)",
  r = "answer-predict"
)
mutant(
  "prior variance at new points without the nugget", "src/kernel.c",
  "v[i] = k->variance + k->bias + k->nugget;", "v[i] = k->variance + k->bias;",
  r = "native-predict"
)
mutant(
  "the linear part has no variance of its own at new points", "src/kernel.c",
  "v[i] += x[i] * x[i];", "v[i] += 0;", r = "kernel"
)
mutant(
  "what the linear part gains the other does not lose", "R/native.R",
  "(1 - share) * hyper$variance", "hyper$variance", r = "kernel"
)
mutant(
  "the gradient of lengthscales takes the linear part along", "src/kernel-grad.c",
  "n, to - from, k->p, -1, in->line", "n, to - from, k->p, 0, in->line", r = "adjoint"
)
mutant(
  "columns of the linear part unweighted at inducing inputs", "src/inducing.c",
  "sqrt(kernel->linear * kernel->weight[j])", "sqrt(kernel->linear)", r = "kernel"
)
mutant(
  "new inputs not centred as the training ones", "src/kernel.c",
  "mean = like->centre[j];", "mean = like->centre[0];",
  r = "answer-predict", c = "kernel"
)
mutant(
  "negative sites narrow the prediction", "src/predictive.c",
  "sum += w[IDX(a, j, nn)] * w[IDX(a, j, nn)];",
  "sum -= w[IDX(a, j, nn)] * w[IDX(a, j, nn)];", c = "predictive"
)
mutant(
  "update(df =) keeps the criterion", "R/fit-edit.R",
  "if (identical(spec$criterion, default_criterion(spec$df))) kept$criterion <- NULL", "", r = "fit-update"
)
mutant(
  "the rates of a changed spec stay those that were usual", "R/fit-edit.R",
  "kept$epsilon <- NULL", "NULL", r = "fit-spec"
)
mutant(
  "the optimum has another prior than what is averaged over", "R/fit-gpc.R",
  "integrate = learns_by_nodes(spec),", "integrate = spec$hyper == \"integrate\",", r = "learn-average"
)
mutant(
  "factor levels further apart than one mismatch", "R/data-coding.R",
  "rep(ifelse(unname(numeric), 1, 1 / 2), widths)", "rep(1, sum(widths))", r = "data-blueprint|data-new|kernel-resolve"
)
mutant(
  "median heuristic without the number of columns", "R/kernel-resolve.R",
  "sqrt(g) * vapply(", "vapply(", r = "kernel-resolve"
)
mutant(
  "l without the factor 2", "R/native.R",
  "l <- 1 / (2 * as.double(hyper$lengthscale)^2)",
  "l <- 1 / as.double(hyper$lengthscale)^2", r = "answer-predict|cases"
)

# Answers ---------------------------------------------------------------------

mutant(
  "calibration error unweighted", "R/answer-scores.R",
  "error = sum(table$n * abs(table$predicted - table$observed)) / length(event)",
  "error = mean(abs(table$predicted - table$observed))", r = "answer-scores"
)
mutant(
  "Wilson's interval without its second term", "R/answer-scores.R",
  " + z2^2 / (4 * n^2)", "", r = "answer-scores"
)
mutant(
  "standard error of a mean, not of a sum", "R/answer-loo.R",
  "sqrt(length(x)) * stats::sd(x)", "stats::sd(x) / sqrt(length(x))",
  r = "answer-loo"
)
mutant(
  "labels of readers that are called wrong are called rows", "R/answer-called.R",
  "is.null(found$reader)", "TRUE", r = "answer-readers"
)
mutant(
  "false-discovery rate not cumulated", "R/answer-called.R",
  "cumsum(1 - p) / seq_along(p)",
  "1 - p", r = "answer-called"
)
mutant(
  "rows are called wrong while it is open whether any label is", "R/answer-called.R",
  "!is.null(test) && !is_called(test)", "FALSE", r = "answer-noise-test"
)
mutant(
  "flips take nothing of what labels say", "R/answer-power.R",
  "(rep(omega[, v], each = nrow(p)) - q[, v])", "(rep(omega[, v] > 0, each = nrow(p)) - q[, v])",
  r = "answer-power"
)
mutant(
  "noise models without such rates make them no rarer", "R/answer-power.R",
  "share <- sum(prior[holding]) / sum(prior)", "share <- 1", r = "answer-power"
)
mutant(
  "a checked row whose label was wrong counts as a false alarm", "R/answer-called.R",
  "drawn$row[!drawn$wrong]", "drawn$row", r = "answer-called"
)
mutant(
  "rows of a draw may be left out as it suits", "R/noise-drawn.R",
  "length(row) == size[1], \"have", "TRUE, \"have", r = "answer-called"
)
mutant(
  "the unseen label is wrong where it is right", "R/answer-suspicion.R",
  "rowSums(replace(unseen, cbind(rows, said$y), 0))",
  "unseen[cbind(rows, said$y)]", r = "answer-mislabelled"
)
mutant(
  "nodes keep their weights when rows are absorbed", "R/fit-complete.R",
  "within <- log(nodes$table$weight) + log_evidence - nodes$table$log_evidence",
  "within <- log(nodes$table$weight)", r = "fit-truth|fit-absorb"
)
mutant(
  "a fixed point that a cold start does not find is given up", "R/fit-complete.R",
  "if (all(vapply(out, is.null, NA))) {", "if (FALSE) {", r = "fit-absorb"
)
mutant(
  "a call given to parsnip is run", "R/meet-parsnip.R",
  "must(!length(runs), name, \"be a value\"",
  "must(TRUE, name, \"be a value\"", r = "meet-parsnip"
)
mutant(
  "a label stays in the weights of the nodes that answer without it", "R/noise-truth.R",
  "exp(ratio - row_log_sum(ratio))",
  "exp(ratio + truth$log_z)", r = "fit-truth"
)
mutant(
  "the variance of an average without that between nodes", "R/answer-predict.R",
  "latent$s2 + (latent$m - as.vector(mean))^2",
  "latent$s2", r = "fit-truth"
)
mutant(
  "one wrong label found by a check is none", "R/noise-reports.R",
  "certain_class(reports)[report_corrected(reports)]",
  "certain_class(reports)[report_corrected(reports)[-1]]", r = "fit-truth"
)
mutant(
  "checked rows count as they were found", "R/answer-noise-matrix.R",
  "recorded[reports$row[by_source]] <- reports$value[by_source]",
  "reports$value[by_source]", r = "fit-truth"
)
mutant(
  "a label that is known is one of many reports", "R/noise-truth.R",
  "joint[known, , ] <- log(diag(size[2]))[y[known], ]",
  "joint[known, , ] <- joint[known, , ]", r = "fit-truth"
)
mutant(
  "few nodes all weigh the same", "R/fit-few.R",
  "weight = weight[weight > 0])", "weight = shares(weight[weight > 0]^0))", r = "fit-few"
)
mutant(
  "noise models left out of what nodes say of a label", "R/noise-truth.R",
  "mean_over(part$loo, left_out_weight(part))", "mean_over(part$loo, part$weight)",
  r = "fit-truth"
)
mutant(
  "interval of the wrong count leaves its tails out once", "R/answer-wrong-count.R",
  "sum(below < 1 - tail)", "sum(below < 1 - 2 * tail)", r = "answer-wrong-count"
)
mutant(
  "covariance of t weights without df/(df - 2)", "R/answer-coefficients.R",
  "if (is.finite(df)) df / (df - 2) else 1", "1",
  r = "answer-weights"
)
mutant(
  "Gaussian evidence of a t process is its own", "R/fit-ep.R",
  "refit_ep(object, df = Inf, sites", "refit_ep(object, sites",
  r = "answer-evidence"
)
mutant(
  "the second order of what is no fixed point", "R/fit-ep.R",
  "if (nowhere || is.null(ep$log_evidence))", "if (is.null(ep$log_evidence))", r = "second-order"
)

# Learning --------------------------------------------------------------------

mutant(
  "every optimum counts as reached from a cold start", "R/learn-optimum.R",
  "if (final) learn_is_cold(mode) else", "if (final) TRUE else",
  r = "learn-objective"
)
mutant(
  "slope of the rate without 1 - 2 epsilon", "R/noise-rates.R",
  "slope * e * (1 - 2 * e))", "slope * e)", r = "learn-objective|adjoint"
)
mutant(
  "the prior left out of what is maximised", "R/learn-objective.R",
  "penalised = out$value + prior$value", "penalised = out$value",
  r = "learn-objective"
)
mutant(
  "gradient of the log prior has the wrong sign", "R/learn-coordinates.R",
  "gradient = -precision * (z - mean)", "gradient = precision * (z - mean)",
  r = "learn-objective"
)
mutant(
  "prior of the rate without its Jacobian", "R/noise-rates.R",
  "sum(log(2 * b * e) + b * log1p(-2 * e))",
  "sum(log(2 * b) + (b - 1) * log1p(-2 * e))", r = "learn-laplace"
)
mutant(
  "Laplace's method divides by (2 pi)^(d/2)", "R/learn-second.R",
  "sum(mode$penalised, mode$second) + length(values)",
  "sum(mode$penalised, mode$second) - length(values)", r = "learn-laplace"
)
mutant(
  "skewness without the side of the label", "src/likelihood.c",
  "(tilted_shape){.skewness = t->side * third / (w * sqrt(w))",
  "(tilted_shape){.skewness = third / (w * sqrt(w))", r = "second-order", c = "second-order"
)
mutant(
  "fourth cumulant without the mixture's lower part", "src/likelihood.c",
  "w0 * (3 + down * down * (6 + down * down))", "w0 * 3", c = "second-order"
)
mutant(
  "second order with squares for cubes of correlations", "src/second-order.c",
  "const double cube = r * r * r;", "const double cube = r * r;",
  r = "second-order", c = "second-order"
)
mutant(
  "copies of a row that go with no other copy, in second order", "src/second-order.c",
  "return times * (times - 1) / 2", "return 0 * times", r = "noise-times"
)
mutant(
  "copies of a row without what they differ by", "src/latent.h",
  ".A = A + (w - 1) * own", ".A = A", r = "noise-times"
)
mutant(
  "the sites of a row that stands for several count once", "src/fixpoint.c",
  "to->next.nu *= c.times", "to->next.nu *= 1", r = "noise-times"
)
mutant(
  "an evidence without the determinants of copies", "src/latent.c",
  "sum += (post->times[i] - 1)", "sum += 0 * (post->times[i] - 1)", r = "noise-times"
)
mutant(
  "an offset that the evidence knows nothing of", "src/criterion.c",
  "h += post->offset[i] * (site[i].nu", "h += 0 * post->offset[i] * (site[i].nu", r = "data-offset"
)
mutant(
  "an offset is lost where rows are picked", "R/data-offset.R",
  "row_offset(x) else row_offset(x)[i]", "row_offset(x) else rev(row_offset(x)[i])",
  r = "data-offset"
)
mutant(
  "a gradient that does not know that an offset moves with the nugget", "R/native.R",
  "sum(out$by_offset * offset) / 2", "0", r = "data-offset"
)
mutant(
  "a Matern kernel whose slopes are its values", "src/kernel-shape.c",
  "G[i] = scale * row->times[slope](s[i], alpha)", "G[i] = scale * row->times[0 * slope](s[i], alpha)",
  r = "kernel-shape", c = "kernel"
)
mutant(
  "rows of a cosine kernel at their own length", "src/kernel.c",
  "if (unit) to[i] /= in->length[i];", "", r = "kernel-shape"
)
mutant(
  "paths of a rational quadratic with one lengthscale", "R/answer-paths.R",
  "stats::rgamma(n, columns$alpha) / columns$alpha", "rep(1, n)", r = "kernel-shape"
)
mutant(
  "labels of repeated rows are counted once", "R/noise-likelihood.R",
  "p <- reports$times * p", "p <- p", r = "noise-times"
)
mutant(
  "columns of low rank without rho of their rows", "src/latent-lowrank.c",
  "to[IDX(i - first, l, n - first)] *= lr->rho[i];", ";", r = "second-order", c = "second-order"
)
mutant(
  "the largest class and the others go together", "src/argmax.c",
  "k == c || m == c ? -both : both;", "both;", c = "second-order"
)
mutant(
  "nodes weighed by EP's own evidence", "R/learn-nodes.R",
  "o$log_evidence <- corrected_evidence(o)", "o$log_evidence <- o$log_evidence",
  r = "second-order"
)
mutant(
  "modes weighed by EP's own evidence", "R/learn-second.R",
  "is.finite(out$second)) mode$second <- second_taken(out)", "FALSE) mode$second <- 0",
  r = "learn-average|learn-laplace"
)
mutant(
  "rows that change are weighed by EP's own evidence", "R/fit-complete.R",
  "-Inf else corrected_evidence(o)", "-Inf else o$log_evidence", r = "fit-truth"
)
mutant(
  "shares not made smaller where nodes are drawn twice", "R/learn-nodes.R",
  "component$share * part / (before + n)", "component$share", r = "learn-points"
)
mutant(
  "corners have no mirror images", "R/learn-points.R",
  "rep((1 - 2 * (k %% 2)) * radius, each = d)", "rep(radius, each = d)", r = "learn-points"
)
mutant(
  "axes of nodes turned round by rounding", "R/learn-curvature.R",
  "e$vectors * rep(sign(largest), each = nrow(H))", "e$vectors", r = "learn-average"
)
mutant(
  "a curvature that differences do not tell is the prior's in silence", "R/learn-curvature.R",
  "    H[told$at, told$at] <- told$H\n", "    H[told$at, told$at] <- diag(length(told$at))\n",
  r = "learn-curvature"
)
mutant(
  "an EP far from a fixed point tells the curvature", "R/ep-follow.R",
  "&& ends_below(out, residual)", "&& TRUE", r = "learn-curvature"
)
mutant(
  "a search on all rows ends after 20 steps", "R/learn-stages.R",
  "(stage_hasty(problem)), gain)", "(stage_hasty(problem)), gain, 20L)",
  r = "learn-stages"
)
mutant(
  "a search that stopped short says that it converged", "R/learn-result.R",
  "short <- !isTRUE(left <= stage_near)", "short <- FALSE", r = "learn-stages"
)
mutant(
  "curvature not grown with the rows", "R/learn-curvature.R",
  "prior + times * (H - prior)", "H", r = "learn-newton"
)
mutant(
  "gradient of log l taken for that of log lengthscale", "R/native.R",
  "-2 * ", "-1 * ", r = "adjoint"
)
mutant(
  "the gradient skips a neighbour on wide data", "src/kernel-grad.c",
  "for (int i = j + 1; i < n; i++) {\n      const double q",
  "for (int i = j + 2; i < n; i++) {\n      const double q", r = "adjoint", c = "kernel"
)
mutant(
  "gradient of the bias without the diagonal", "src/kernel-grad.c",
  "grad->bias = k->bias * (sum_w + trace);", "grad->bias = k->bias * sum_w;",
  c = "kernel"
)
mutant(
  "adjoint without the path through the mean", "src/adjoint.c",
  "-SA[i] - m * Cm[i] +", "-SA[i] +", c = "adjoint"
)
mutant(
  "symmetric part of the kernel gradient not halved", "src/*.c",
  "(g[i] * bj + bi * g[j]) / 2", "(g[i] * bj + bi * g[j])", c = "adjoint"
)
mutant(
  "gradient of a prior scale without the shrinkage of log|C|", "src/*.c",
  "dots->D * (1 - lr->M[IDX(j, j, k)])", "dots->D",
  r = "fit-weights|adjoint"
)

# EP --------------------------------------------------------------------------

mutant(
  "continuation switched off", "R/ep-follow.R",
  "if (!status %in% ep_path_from || over()) {", "if (TRUE) {", r = "ep-engine|answer-diagnostics|fit-model"
)
mutant(
  "paths are followed when time is over", "R/ep-follow.R",
  "step <= ep_follow_step[[\"least\"]] || over()) break", "step <= ep_follow_step[[\"least\"]]) break", r = "learn-objective-budget"
)
mutant(
  "nodes that time cut short stand for all", "R/learn-nodes.R",
  "    if (learn_is_over(problem)) {\n      return(NULL)\n    }\n", "", r = "learn-objective-budget"
)
mutant(
  "a slow node ends where its way does", "R/learn-nodes.R",
  "  out[slow[ended(finer)]] <- finer[ended(finer)]\n", "", r = "learn-nodes"
)
mutant(
  "half of the way is taken for a node", "R/learn-nodes.R",
  "  out[half] <- run(half, function(k, par) out[[k]]$sites)\n", "", r = "learn-nodes"
)
mutant(
  "kappa inverted", "R/ep-engine.R",
  "exp(-out$log_det / df)", "exp(out$log_det / df)", r = "ep-engine"
)
mutant(
  "m not refined", "src/latent-kernel.c",
  "r[i] -= m[i];", "r[i] = 0;", r = "ep-engine|edge", c = "latent-kernel ep"
)
mutant(
  "cavities without a digit count as proper", "src/fixpoint.c",
  "if (post->prior[i] > 0 && !(A > least)) return EP_IMPROPER;", "(void)least;",
  r = "ep-engine"
)
mutant(
  "EP gives up where it is, not at the best sites", "src/ep.c",
  "memcpy(L->st->site, L->work->best, bytes);", "(void)0;", r = "ep-engine"
)
mutant(
  "the last step without the determinant's second order", "src/latent-kernel.c",
  "step[i].tau * (A - out[i] / 2)", "step[i].tau * A", c = "ep"
)
mutant(
  "b of the last step is no solution", "src/latent-kernel.c",
  "by[i] - site[i].tau * out[i]", "by[i] + site[i].tau * out[i]", c = "ep"
)
mutant(
  "EP starts from cavities of half the log variance", "R/learn-objective.R",
  "log_var = log(end$cavity$var))", "log_var = log(end$cavity$var) / 2)", r = "learn-nodes"
)
mutant(
  "EP with case weights starts from cavities", "R/learn-objective.R",
  " && is.null(problem$latent$reports$times)", "", r = "learn-nodes"
)
mutant(
  "how cavities move at a mode is how sites do", "R/learn-curvature.R",
  "unlist(learn_even(problem, end))", "unlist(end$sites)", r = "learn-nodes"
)
mutant(
  "the start of a node is not called near", "R/learn-nodes.R",
  "problem$search_control$near <- TRUE", "problem$search_control$near <- FALSE", r = "learn-nodes"
)
mutant(
  "rates of the two labels swapped", "src/likelihood.c",
  "levels_make(L[i], L[IDX(i, 1, n)], lik.q)", "levels_make(L[IDX(i, 1, n)], L[i], lik.q)",
  r = "likelihood|answer-mislabelled", c = "likelihood"
)
mutant(
  "slope of w has the wrong sign", "src/likelihood.c",
  "(t->mu * t->mu - t->w);", "(t->w - t->mu * t->mu);", c = "likelihood"
)
mutant(
  "probabilities of the true classes swapped", "src/likelihood.c",
  "(k ? 1 : -1)", "(k ? -1 : 1)", r = "ep-engine|latent", c = "likelihood"
)
mutant(
  "slopes of lo and hi by their size, not by their side", "src/likelihood.c",
  "s->side > 0 ? k : 1 - k", "k", c = "likelihood adjoint"
)
mutant(
  "slope of a report without what the others of its row say", "R/noise-likelihood.R",
  "part <- part * rest", "part <- part",
  r = "noise-reports"
)
mutant(
  "a rate of 0 that a check disproves rules its row out", "R/noise-likelihood.R",
  "  factors[left_out, ] <- 1\n", "", r = "noise-reports"
)
mutant(
  "a trusted label that is checked counts for the rates", "R/noise-known.R",
  "kept <- reports$source > 0L | !reports$row %in% at", "kept <- rep(TRUE, length(reports$row))",
  r = "noise-known"
)
mutant(
  "a number that names a row is taken for the position of another", "R/data-checked.R",
  "!length(twofold)", "TRUE", r = "data-rows"
)
mutant(
  "the name of a row is taken for the position of another", "R/data-checked.R",
  "if (!told)", "if (FALSE)", r = "data-rows"
)
mutant(
  "identifiers of other rows where NA left rows out", "R/data-rows.R",
  "value = value[data$rows]", "value = value[seq_along(data$rows)]", r = "data-rows"
)
mutant(
  "an identifier of several rows is that of the first", "R/data-checked.R",
  "!length(shared)", "TRUE", r = "data-rows"
)
mutant(
  "predictions for a bootstrap sample in the order of the table", "R/answer-performance.R",
  "length(readings) > 1", "FALSE", r = "answer-performance"
)
mutant(
  "nodes keep their weights when labels of new rows are known", "R/answer-performance.R",
  "length(complete)) * colSums(said$log_z)", "length(complete)) * 0", r = "answer-performance"
)
mutant(
  "labels of new rows count for more than those of the fit", "R/answer-performance.R",
  "new_share(object, length(complete))", "1", r = "answer-performance"
)
mutant(
  "a review takes a learned rate for known", "R/answer-review.R",
  "wrong_density(object, left)", "wrong_density(object, left, node_truth(object))",
  r = "answer-review"
)
mutant(
  "sums over reports in the order of the table", "R/latent.R",
  "reports[parts] <- lapply(reports[parts], `[`, turn)\n", "", r = "ep-starts|latent-inducing"
)
mutant(
  "the easy end of EP's path says as much as the labels", "R/ep-follow.R",
  "* (1 - s)^3", "* (1 - s)^2", r = "latent"
)
mutant(
  "precision times mean by the form that cancels below 0", "src/site.c",
  ".nu = t->z < 0 ?", ".nu = t->z < 1e9 ?", c = "site"
)
mutant(
  "means of the parts that differ from that of what is left add no variance",
  "src/likelihood-classes.c", "between = rest * shift * shift;", "between = 0 * rest;",
  c = "likelihood-classes"
)
mutant(
  "exponents of the evidence overflow at a small df", "src/criterion.c",
  "return largest > 300 ? largest : 0;", "return 0 * largest;", c = "criterion"
)
mutant(
  "cavity scale with u^(1/df), not its inverse", "src/site.c",
  "base * exp(-log(u) / df)", "base * exp(log(u) / df)", c = "site"
)
mutant(
  "power of the projection inverted", "src/site.c",
  "{ return 1 / (1 + 1 / df); }", "{ return 1 + 1 / df; }",
  c = "site"
)
mutant(
  "t-EP evidence without log|I + K T|", "src/criterion.c",
  "         log_det / 2;", "         0;", c = "criterion"
)
mutant(
  "terms of shards added without their units", "R/shard-pass.R",
  "a[1] * exp(a[3] - shift) + b[1] * exp(b[3] - shift)", "a[1] + b[1]", r = "shard-rounds"
)
mutant(
  "quadratic terms of one shard only", "R/shard-pass.R", "a[2] + b[2]", "a[2]",
  r = "shard-rounds"
)
mutant(
  "evidence of shards at df = Inf whatever df is", "R/shard-rounds.R",
  "log_det, lik$df) else", "log_det, Inf) else", r = "shard-rounds"
)
mutant(
  "a step of the rounds is taken from where it began", "R/shard-rounds.R",
  "c(team$number, team$points)", "team$points", r = "shard-rounds"
)
mutant(
  "rows that another worker reads need not be those of the first", "R/shard-task.R",
  "check_same_rows(identical(state$digest, item$digest))", "NULL", r = "shard-cluster"
)
mutant(
  "causes of an error of a shard keep their calls", "R/shard-task.R",
  "if (!is.null(cnd$parent)) cnd$parent", "if (FALSE) cnd$parent", r = "shard-task"
)
mutant(
  "files that messages may name go with the others", "R/shard-team.R",
  "setdiff(team$written, kept)", "team$written", r = "shard-team"
)
mutant(
  "an engine that has nothing once has nothing at all", "R/shard-cluster.R",
  "if (any(left %in% answered)) 0 else in_vain + 1", "in_vain + 1", r = "shard-cluster"
)
mutant(
  "any version of the package will do at a worker", "R/shard-cluster.R",
  "!identical(found, version)", "FALSE", r = "shard-cluster"
)
mutant(
  "answers of a node to whom has asked before are taken", "R/shard-socket.R",
  "if (identical(got$tag, tag)) answers", "answers", r = "shard-cluster"
)
mutant(
  "a difference of nothing ends Anderson's steps", "src/anderson.c",
  "unit[j] = size == 0 ? 0 : 1 / sqrt(size);", "unit[j] = 1 / sqrt(size);", c = "parallel"
)
mutant(
  "a row with an improper cavity is left alone", "src/parallel.c",
  "(ep_site){-x.tau / 2, -x.nu / 2}", "(ep_site){0, 0}", c = "parallel"
)
mutant(
  "EP never stalls", "src/ep-state.c",
  "if (sweep - w->since > w->patience) return EP_STALLED;", "", c = "parallel"
)
mutant(
  "rows elsewhere do not count in the rounding error", "src/latent-lowrank.c",
  ".n_terms = rows->n_terms,", ".n_terms = rows->n,", c = "shard"
)
mutant(
  "negative sites added as positive ones", "src/factor-signed.c",
  "*= -root[a] * root[b]", "*= root[a] * root[b]", c = "factor-signed"
)
mutant(
  "GMRES forgets the sign of a rotation", "src/gmres.c",
  "s->g[j + 1] = -r * s->g[j];", "s->g[j + 1] = r * s->g[j];", c = "gmres"
)
mutant(
  "rows are not put back in their order", "R/ep-starts.R",
  "back <- order(visit)", "back <- seq_along(visit)", r = "ep-starts"
)
mutant(
  "the order of the rows is that of the table", "R/data-order.R",
  "in_golden_steps(radix_order(keys))",
  "in_golden_steps(seq_along(keys[[1]]))", r = "ep-starts"
)
mutant(
  "the worse fixed point is kept", "R/ep-starts.R",
  "value >= max(value) - 1e-6", "value <= min(value) + 1e-6", r = "ep-starts"
)
mutant(
  "no rival is reported", "R/ep-starts.R",
  "if (any(others)) {", "if (FALSE) {", r = "ep-starts"
)

# Filter and streams ----------------------------------------------------------

mutant(
  "scale of the filtered weights the wrong way", "src/adf.c",
  "a->log_scale += log(r);", "a->log_scale -= log(r);", r = "adf"
)
mutant(
  "scale of a stream never taken out", "src/adf.c",
  "a->most > 0x1p64 || a->most < 0x1p-64", "a->most > 0x1p640 || a->most < 0",
  r = "adf", c = "adf"
)
mutant(
  "mean of a wide direction not cut back", "src/adf.c",
  "u[j] /= sqrt(1 + g * width[j])", "u[j] /= 1", c = "adf"
)
mutant(
  "mean of the filtered weights not rescaled", "src/adf.c",
  "F77_CALL(dscal)(&k, &root, a->mu, &inc);", "(void)root;", r = "adf"
)
mutant(
  "prequential probability of the label, not of the event", "src/adf.c",
  "pt(t.side * t.z, lik->df, 1, 0)", "pt(t.z, lik->df, 1, 0)", r = "adf|drift"
)
mutant(
  "history of a stream drops its latest line", "R/stream-filter.R",
  "history[seq(2, nrow(history), by = 2), ]",
  "history[seq(1, nrow(history) - 1, by = 2), ]", r = "stream-batch"
)
mutant(
  "what is taken out of a stream is not in log_scale", "src/adf.c",
  "a->log_scale += 2 * e * M_LN2;", "(void)0;", r = "adf"
)
mutant(
  "filtered weights not in the size of the prior", "R/answer-coefficients.R",
  "else exp(at$weights$log_scale)", "else 1", r = "adf"
)
mutant(
  "coefficients of the latent function, not on the probit scale", "R/answer-coefficients.R",
  "if (probit) 1 / at$prior$nugget", "if (probit) 1", r = "answer-coefficients"
)
mutant(
  "emmeans without the covariance of the grid", "R/meet-emmeans.R",
  "V = coefficient_covariance(nodes)", "V = diag(diag(coefficient_covariance(nodes)))", r = "meet-emmeans"
)
mutant(
  "centring left out of the intercept", "R/answer-coefficients.R",
  "constant = -coding$center / coding$scale", "constant = 0", r = "answer-coefficients"
)
mutant(
  "coefficients of an average without the spread between nodes", "R/answer-weights.R",
  "nodes$sd^2 + (nodes$mean - mean)^2)", "nodes$sd^2)", r = "answer-coefficients"
)
mutant(
  "a resumed stream reads its rows again", "R/stream-checkpoint.R",
  "passed <- passed + reader$pass(rows - passed)", "passed <- rows", r = "stream-checkpoint"
)
mutant(
  "length of a checkpoint compared, digest not", "R/stream-sealed.R",
  "identical(seal(kind, payload), bytes[line])",
  "identical(seal(kind, payload)[1:35], bytes[1:35])",
  r = "stream-checkpoint"
)
mutant(
  "sites of other rows are taken for those of these", "R/shard-sites.R",
  "!identical(held$rows, state$digest) || any", "any", r = "shard-sites"
)
mutant(
  "rows that change between two passes are not noticed", "R/shard-read.R",
  "identical(known$digest, rows_digest(data))", "TRUE", r = "shard-source"
)
mutant(
  "rows of shards are counted without those left out", "R/shard-read.R",
  "state$read + which(whole)[new$rows]", "state$read + seq_along(new$rows)", r = "shard-answer"
)
mutant(
  "rows of shards are kept that lack a value of a column that is dropped", "R/shard-read.R",
  "if (is.null(needed))", "if (TRUE)", r = "shard-source"
)
mutant(
  "a cell of scores of shards is one row", "R/fit-label-stage.R",
  "with_times(label_reports(cells$kind, 2L), cells$times)", "label_reports(cells$kind, 2L)",
  r = "shard-answer"
)
mutant(
  "rows of shards are judged by the first stage", "R/shard-write.R",
  "stage <- object$label_stage", "stage <- NULL", r = "shard-answer"
)
mutant(
  "a shard without rows is no shard", "R/shard-read.R",
  "Reduce(add, parts[lengths(parts) > 0])", "Reduce(add, parts)", r = "shard-source"
)
mutant(
  "S of a checkpoint need not be positive definite", "R/stream-state.R",
  ", is.matrix(chol(C))", "", r = "stream-checkpoint"
)
mutant(
  "the size of a state need not be that of the model", "R/stream-state.R",
  'stopifnot(lengths(state[c("mean", "C")]) == lengths(fit$weights[c("mean", "C")]))', "", r = "stream-checkpoint"
)
mutant(
  "resuming leaves the files of killed runs", "R/stream-checkpoint.R",
  "if (resume) remove_files(unfinished(checkpoint))", "", r = "stream-checkpoint"
)
mutant(
  "a stream is resumed whatever it begins with", "R/stream-checkpoint.R",
  "encoding_digest(model) == state$encoding", "TRUE", r = "stream-checkpoint"
)
mutant(
  "a file takes its name although not all of it is there", "R/files.R",
  "to_disk(identical(flushed, 0L) && file.size(fresh) == size)", "", r = "files"
)
mutant(
  "a * in the name of a folder is any other folder", "R/files.R",
  "expand = FALSE)", "expand = TRUE)", r = "files"
)

# Exact evidence and the family -----------------------------------------------

mutant(
  "a stuck trajectory does not turn back", "src/bounce.c",
  "b->v[j] = -b->v_old[j];", "b->v[j] = b->v_old[j];", c = "bounce"
)
mutant(
  "half the energy gained at a wall", "src/bounce.c",
  "(is_wrong ? 2 : -2)", "(is_wrong ? 1 : -2)", c = "bounce"
)
mutant(
  "a rise of the barriers counted from zero", "src/bounce.c",
  "sum -= b->wrong[k] * (to[k] - from[k]);",
  "sum -= b->wrong[k] * to[k];\n  (void)from;", c = "ais"
)
mutant(
  "a class that becomes the largest takes no part in the kick", "src/bounce-classes.c",
  "kick(b, k, of_k, -by);", "(void)of_k;", c = "bounce-classes"
)
mutant(
  "classes that share no kernel are drawn by the first", "src/ais.c",
  "s->own ? (size_t)s->n * (size_t)s->r : 0", "0", r = "exact-problem"
)
mutant(
  "the losses of classes are their likelihoods", "R/exact-problem.R",
  "log(most) - log(L)", "most - L", r = "exact-problem"
)
mutant(
  "standard error of AIS falls as 1/n", "R/exact-ais.R",
  "/ mean(w) / sqrt(length(w))", "/ mean(w) / length(w)", r = "exact-ais"
)
mutant(
  "escort keeps the scale matrix", "src/student.c",
  "isinf(df) ? 1 : df / (df + 2)", "1", r = "family-student", c = "family"
)
mutant(
  "a variance that is not a number is none", "src/predictive.c",
  "sum < least ? least : sum", "sum > least ? sum : least", c = "predictive"
)
mutant(
  "a sum of powers below the least double is 0", "src/divergence.c",
  "if (s > LEAST_SUM) return log(s);", "return log(s);", c = "family", r = "family-categorical"
)
mutant(
  "outcomes of small probability drop out of the divergence", "R/family-categorical.R",
  "log(r) - log(p))", "log(r / p))", r = "family-categorical"
)
mutant(
  "q-entropy of a coin not divided by the sum of powers", "src/divergence.c",
  "? tsallis : tsallis / power_sum(prob, q)", "? tsallis : tsallis",
  r = "family-divergence", c = "family"
)

# Selection -------------------------------------------------------------------

mutant(
  "differences from the best have the wrong sign", "R/select-model.R",
  "if (known) loo - best else", "if (known) best - loo else",
  r = "select-model"
)

# Specs and fits ----------------------------------------------------------------

mutant(
  "t-EP learns by its evidence", "R/fit-spec.R",
  "if (is.finite(df)) \"loo\" else \"evidence\"", "\"evidence\"", r = "fit-stc|fit-bpm"
)
mutant(
  "subset ignored", "R/data-formula.R",
  "  unname(picked[!is.na(picked)])\n", "  seq_len(n)\n", r = "fit-gpc"
)
mutant(
  "a new level agrees with all others a little", "R/data-coding.R",
  "<- novel_indicator(ncol(X))", "<- 0", r = "fit-gpc"
)
mutant(
  "an input that update() left out keeps its columns", "R/fit-stored.R",
  "X <- molded$data$X[, columns, drop = FALSE]",
  "X <- molded$data$X[, seq_len(sum(columns)), drop = FALSE]", r = "fit-update"
)
mutant(
  "rows that gpc() takes in are the first of it", "R/fit-absorb.R",
  "y = c(data$y, new$y)", "y = c(new$y, data$y)", r = "fit-absorb"
)
mutant(
  "absorbed rows counted from one", "R/fit-absorb.R",
  "data$n_given + new$rows", "new$rows", r = "fit-absorb"
)
mutant(
  "a filter forgets the evidence of EP", "R/fit-filter.R",
  "list(object$ep$log_evidence, ", "list(0, ",
  r = "fit-absorb"
)
mutant(
  "deviance residuals of the other label", "R/answer-residuals.R",
  "log(p[cbind(seq_along(code), code)])",
  "log(p[cbind(seq_along(code), 3 - code)])", r = "answer-residuals"
)
mutant(
  "a fixed point that was lost is a stall", "R/ep-follow.R",
  "gone <- eased$lost && !certain && !ends_below(out, ep_near_residual)", "gone <- FALSE",
  r = "ep-engine|fit-stc|edge|published"
)
mutant(
  "a stall nearby is called no fixed point", "R/ep-follow.R",
  "gone <- eased$lost && !certain && !ends_below(out, ep_near_residual)", "gone <- TRUE",
  r = "ep-engine|edge"
)
mutant(
  "gradient trusted although its system was not solved", "R/learn-objective.R",
  "solved <- there && identical(out$gradient_status, 0L)", "solved <- there", r = "learn-objective"
)

# What is refused ---------------------------------------------------------------

mutant(
  "levels of text in the order of the locale", "R/data-features.R",
  "sort(unique(enc2utf8(v)), method = \"radix\")", "sort(unique(enc2utf8(v)))",
  r = "data-outcome"
)
mutant(
  "limits of control groups ignored", "R/checks-memory.R",
  "process_room(root), cgroup_room(root),", "process_room(root),", r = "checks-memory"
)
mutant(
  "limits of the groups above ignored", "R/checks-memory.R",
  ", accumulate = TRUE)", ")", r = "checks-memory"
)
mutant(
  "a column's name in the place of a formula is R's to refuse", "R/checks.R",
  "missing || !is.symbol(name) || exists(", "TRUE || exists(", r = "checks"
)
mutant(
  "what is asked without a fit is R's to refuse", "R/fit-own.R",
  "check_given(missing(object), arg)", "check_given(FALSE, arg)", r = "checks"
)
mutant(
  "methods take any object for a fit", "R/fit-check.R",
  "  if (!is.null(wrong)) {", "  if (FALSE) {", r = "fit-check"
)
mutant(
  "what is recorded, from nodes that its own label has weighted", "R/noise-truth.R",
  "recorded = as_slices(lapply(parts, recorded_prob)),",
  "recorded = as_slices(lapply(parts, function(part) mean_over(recorded_each(part), part$weight))),",
  r = "fit-truth"
)
# Own dense kernels ------------------------------------------------------------

mutant(
  "the last panel of B is not scaled", "src/dense-product.c",
  "for (int c = 0; c < width; c += 2) { /* widths are even */",
  "for (int c = 0; c < width - 2; c += 2) { /* widths are even */",
  c = "dense"
)
mutant(
  "a tile across the diagonal writes above it", "src/dense-product.c",
  "!(t->lower && i < j + wide - 1))", "!(t->lower && i < j))", c = "dense"
)
mutant(
  "symmetric matrices packed from the wrong triangle", "src/dense-product.c",
  "A.at[(i >= l ? i : l) * A.row + (i >= l ? l : i) * A.col];",
  "A.at[(i <= l ? i : l) * A.row + (i <= l ? l : i) * A.col];", c = "dense"
)
mutant(
  "a unit diagonal is read", "src/dense-solve.c",
  "unit ? 1 : T.at[i * (T.row + T.col)];", "unit > 1 ? 1 : T.at[i * (T.row + T.col)];",
  c = "dense"
)
mutant(
  "a pivot of zero or NaN is let through", "src/dense-solve.c",
  "if (!(column[j] > 0)) return 1;", "if (column[j] < 0) return 1;", c = "dense"
)
mutant(
  "all nodes are predicted by the first one's weights", "src/glue-predict.c",
  "&kernel, b + IDX(0, node, n), first", "&kernel, b, first", r = "native-predict"
)
mutant(
  "negative sites read the empty triangle", "src/predictive.c",
  "pos[a] > neg[b] ? pos[a] : neg[b]", "pos[a]", c = "predictive", r = "native-predict"
)
mutant(
  "what is left of a column is not taken to exp()", "src/column-loops.h",
  "if (i >= n) return;\n  double rest[LANES]", "return;\n  double rest[LANES]", c = "kernel"
)
mutant(
  "the grid of all classes ends too early", "src/argmax-grid.c",
  "const double left = exp(-drop);", "const double left = exp(-drop / 3);",
  c = "likelihood-classes"
)
mutant(
  "classes that share a grid share their hazard with themselves", "src/argmax-grid.c",
  "const double others = G[j] - q,", "const double others = G[j],", c = "likelihood-classes"
)
mutant(
  "what is left of an array has no hazard", "src/column-loops.h",
  "  memcpy(d + i, rest[3], left);\n", "", c = "likelihood-classes"
)
mutant(
  "an integral of a search ends too early", "src/argmax.c",
  "rough = {1.0, 24}", "rough = {1.0, 8}", c = "likelihood-classes"
)
mutant(
  "subnormal values of exp() are 0", "src/dense-tile.c",
  "#define EXP_LEAST -746.0", "#define EXP_LEAST -708.0", c = "kernel"
)
mutant(
  "forked processes choose threads", "src/glue-dense.c",
  "if (e->threads > 1 && is_fork()) e->threads = 1;", "",
  r = "native-blas"
)
mutant(
  "all threads pack into the panels of one", "src/dense-product.c",
  "multiply_part(&s, p, thread_number());", "multiply_part(&s, p, 0);", c = "dense"
)
mutant(
  "likelihoods of rows in the order of their reports", "R/noise-likelihood.R",
  "else order(reports$row)", "else seq_along(reports$row)",
  r = "noise-reports"
)
mutant(
  "weights of a signed update without their sign", "src/matrix.c",
  "update(core_dense(), n, b, alpha, gamma,", "update(core_dense(), n, b, fabs(alpha), gamma,",
  r = "native-blas"
)

# Pictures, tables, the report ------------------------------------------------

mutant(
  "a picture of the first nodes", "R/show-picture-fit.R", "if (all) choose_nodes(x, few_gap_pictured)",
  "if (all) list(node = 1:3, weight = rep(1 / 3, 3))", r = "show-picture-fit"
)
mutant(
  "one lengthscale: the weakest inputs first", "R/show-picture-fit.R", "order(-move)",
  "order(move)", r = "show-picture-fit"
)
mutant(
  "rings around labels that are probably right", "R/show-picture-fit.R",
  "which(row_flipped(x) > 0.5)", "which(row_flipped(x) < 0.5)", r = "show-picture-fit"
)
mutant(
  "weights that are least certain first", "R/show-picture-fit.R",
  "order(-abs(table$estimate) /", "order(abs(table$estimate) /",
  r = "show-picture-fit"
)
mutant(
  "the band of a count ends at a rank", "R/show-picture-answers.R",
  "boxes(expected$lower + 0.5, -Inf", "boxes(expected$lower, -Inf", r = "show-picture-answers"
)
mutant(
  "a noise matrix upside down", "R/show-picture-answers.R",
  "place <- size + 1 - c(row(values))", "place <- c(row(values))", r = "show-picture-answers"
)
mutant(
  "points named by their rank, not their row", "R/show-picture-answers.R",
  "c(named[\"row\"], lapply(id", "c(named[\"rank\"], lapply(id", r = "show-picture-answers"
)
mutant(
  "a small page loses its key before its note", "R/show-draw.R",
  "c(\"\", \"note\", \"key\", \"title\")", "c(\"\", \"key\", \"note\", \"title\")",
  r = "show-draw"
)
mutant(
  "the evidence of t-EP in glance()", "R/show-tidy.R",
  "if (tep) NA_real_ else if (is_average(x))", "if (is_average(x))", r = "show-tidy"
)
mutant(
  "augment() shifts rows where some were left out", "R/show-tidy.R",
  "fit_place(x$data, seq_len(n))", "pmin(seq_len(n), nobs(x))", r = "show-tidy"
)
mutant(
  "scores of a unit are the mean of its rows' probabilities", "R/data-units.R",
  "mean(if (scores) log(plain) else plain)", "mean(plain)", r = "data-units"
)
mutant(
  "a checked row stands for itself, not for its unit", "R/data-checked.R",
  "fit_place(data, row)", "match(row, data$rows)", r = "data-units"
)
mutant(
  "folds are dealt out to rows, not to units", "R/data-cross-fit.R",
  "check_folds(folds, y[first])[of]", "check_folds(folds, y[first])[seq_along(of)]", r = "data-units"
)
mutant(
  "nodes that were left out are counted", "R/fit-complete.R",
  "nodes$models$nodes <- nrow(nodes$table) # those", "# those", r = "fit-nodes"
)
mutant(
  "an end that is 0 is printed as a bound", "R/words.R", "which(p > 0 & p < 0.001)",
  "which(p < 0.001)", r = "answer-interval"
)
mutant(
  "a report lists labels that are trusted", "R/show-report-rows.R",
  "which(!report_known(object$data$reports)[place] & ", "which(", r = "show-report"
)
mutant(
  "text may end the data block of a report", "R/show-html.R",
  "strsplit(\"\\\"<>&'", "strsplit(\"\\\">&'", r = "show-report-answers"
)
mutant(
  "two reports share the answers", "R/show-report-answers.R",
  "data[c(\"X\", \"y\", \"rows\")]", "data[\"rows\"]", r = "show-report-answers"
)
mutant(
  "an answer that leaves the class open is a check", "R/data-checked.R",
  "checked <- checked[checks, ]", "checks <- TRUE", r = "data-answers"
)
mutant(
  "answers to another table are taken in", "R/data-answers.R",
  "!paste(match(row, data$rows), code) %in% known", "is.na(code)", r = "data-answers"
)
mutant(
  "ends of lines in identifiers as a file has them", "R/data-rows.R",
  "trimws(unix_lines(as.character(id)))", "trimws(as.character(id))", r = "data-answers"
)
mutant(
  "neighbours that agree are those that disagree", "R/show-report-rows.R",
  "near[near != label]", "near[near == label]", r = "show-report"
)
mutant(
  "a report shows columns of other rows where NA left rows out", "R/show-report.R",
  "plain[object$data$rows, order", "plain[seq_along(object$data$rows), order",
  r = "show-report"
)
mutant(
  "all fits of a call start from the sites of the first", "src/glue-fit.c",
  "job_of(&post[k], VECTOR_ELT(runs_, k))", "job_of(&post[k], VECTOR_ELT(runs_, 0))",
  r = "glue-team"
)
mutant(
  "threads of a team pack into the panels of the first", "src/glue-team.c",
  "team.engine + my_number", "team.engine", r = "glue-team"
)
mutant(
  "what is expected counts from the beginning", "R/learn-progress.R",
  "total <<- done + passes + passes_end", "total <<- passes + passes_end", r = "progress"
)
mutant(
  "a fit within another works in its memory", "src/glue-memory.c",
  "kept.lent = 1", "kept.lent = 0", r = "glue-team"
)
mutant(
  "memory of a large fit is not given back", "src/glue-memory.c",
  "if (!kept.all && !kept.lent", "if (0 && !kept.lent", r = "native"
)
mutant(
  "memory of a large fit is not kept while it is learned", "R/fit-molded.R",
  "native_keep_memory(TRUE)", "native_keep_memory(FALSE)", r = "native"
)
mutant(
  "what a short climb has learned is forgotten", "R/learn-modes.R",
  "look$learned <- look$opt$curvature", "look$learned <- NULL", r = "learn-newton"
)
mutant(
  "columns with groups are inputs, too, in other packages' formulas", "R/meet-parsnip.R",
  "names(data), c(beside, all.vars(formula[[2]]))", "names(data), all.vars(formula[[2]])",
  r = "meet-parsnip"
)
mutant(
  "an mlr3 learner finds groups among the features only", "R/meet-mlr3.R",
  "union(columns, intersect(named, task$col_info$id))", "columns", r = "meet-mlr3"
)
mutant(
  "a row of which a check was reported counts as one with its label alone", "R/noise-reports.R",
  "vapply(said, paste, \"\", collapse = \" \")", "vapply(said, function(s) s[1], 0)",
  r = "label-problem"
)
mutant(
  "the class whose labels alone are wrong is the other one", "R/noise-names.R",
  "noise_only <- c(first = 1L, second = 2L",
  "noise_only <- c(first = 2L, second = 1L", r = "noise-models|label-problem"
)
mutant(
  "the slope of a nugget is that in its log", "R/learn-coordinates.R",
  "slope[bent] * curve$slope(drop(root %*% z)[bent])", "slope[bent]", r = "learn-average"
)
mutant(
  "bounds of overlap are on the nugget", "R/kernel-overlap.R",
  "within <- log(variance * overlap_nugget(overlap, classes))", "within <- log(overlap)",
  r = "kernel-overlap"
)
mutant(
  "overlap is the share of labels that agree with the scores", "R/kernel-recalibration.R",
  "times * (1 - 1 / rowSums(q))", "times * (1 / rowSums(q))", r = "kernel-recalibration"
)
mutant(
  "bounds of overlap do not bound the slope", "R/fit-scores.R",
  "if (length(overlap) == 2) way$within <- sort(log(slopes))",
  "", r = "kernel-recalibration|fit-second-stage"
)
mutant(
  "rows after one without a score take its position", "R/data-scores.R",
  "table <- list(rows = seq_len(n),", "table <- list(rows = cumsum(!seq_len(n) %in% missing),", r = "fit-second-stage"
)
mutant(
  "scores of new rows are not probabilities", "R/data-new.R",
  "X[complete, ] <- score_rows(X[complete, , drop = FALSE], blueprint$floor, arg)",
  "X[complete, ] <- X[complete, ]", r = "fit-second-stage"
)
mutant(
  "labels of new rows count twice", "R/answer-mislabelled-new.R",
  "log_joint <- said$log_z", "log_joint <- 2 * said$log_z",
  r = "answer-mislabelled-new"
)
mutant(
  "labels of new rows do not weigh nodes for their number", "R/answer-mislabelled-new.R",
  "new_share(object, n) * colSums(recorded)", "0 * colSums(recorded)", r = "answer-mislabelled-new"
)
mutant(
  "new rows have the rates of the first group", "R/noise-known.R",
  "match(said, sources)", "rep(1L, length(said))", r = "answer-mislabelled-new"
)
mutant(
  "leave-one-out probabilities of a glm are fitted ones", "R/data-scorers.R",
  "- h / (1 - h) *", "- 0 *", r = "data-scorers"
)
mutant(
  "rows that a glm left out have no place", "R/data-scorers.R",
  "if (length(omitted)) class(omitted) <- \"exclude\"", "omitted <- NULL", r = "data-scorers"
)
mutant(
  "resamples of tune that are in sample count", "R/data-scorers.R",
  "each[!seen & lengths(each) > 0]", "each[lengths(each) > 0]", r = "data-scorers"
)
mutant(
  "of the candidates of a grid the worst is taken", "R/data-scorers.R",
  "names(which.min(loss))", "names(which.max(loss))", r = "data-scorers"
)
mutant(
  "a column of one class is that of the event", "R/data-scores.R",
  "length(event) == 1 && event %in% classes", "FALSE", r = "fit-second-stage"
)
mutant(
  "a score is left open by all rows, itself too", "R/fit-in-sample.R",
  "inverse %*% both / diag(inverse)", "inverse %*% both", r = "fit-in-sample"
)
mutant(
  "small scores of new rows are raised", "R/data-scores.R",
  "zero <- which(prob == 0)", "zero <- which(prob < floor)",
  r = "fit-second-stage"
)
mutant(
  "wrong labels could hide in a class without rows", "R/answer-power.R",
  "noticed_least <- 1", "noticed_least <- 0", r = "answer-power"
)

mutant(
  "a check rules out only that no label is wrong", "R/noise-models.R",
  "disputed || length(misread) > 0, another)", "disputed || length(misread) > 0, FALSE)", r = "noise-models|answer-review"
)

# The label stage ----------------------------------------------------------------

mutant(
  "a row that stands for several counts once", "src/label.c",
  "total += often * log_z;", "total += log_z;", c = "label"
)
mutant(
  "rows that contradict their scores far out have no likelihood", "src/label.c",
  "#define LEAST_Z 1e-250", "#define LEAST_Z -1.0", c = "label-far"
)
mutant(
  "scores far below 0 lose their digits", "src/label.c",
  ": 2 * SOFT * SOFT / (root - row->B[c]);", ": (row->B[c] + root) / 2;", c = "label-far"
)
mutant(
  "scores that are made to sum to 1 have slopes as if they were not", "src/label.c",
  "(row->d[c] - row->plus[c] / sum * all) / root;", "row->d[c] / root;", c = "label"
)
mutant(
  "slopes in overlap vanish where the scores do", "src/label.c",
  "in_logs ? exp(fmin(row->log_q[c] - log_z, MOST_LOG))",
  "in_logs ? row->q[c] / exp(log_z)", c = "label-far"
)
mutant(
  "the posterior far out is that without overlap", "src/label.c",
  "exp(row->log_q[s] + log(u) + l - log_z);", "exp(row->log_q[s] + l - log_z);", c = "label-far"
)
mutant(
  "a row that can't be has slopes that are none", "src/label.c",
  "if (log_z == -INFINITY) return log_z;", "", c = "label-far"
)
mutant(
  "rows whose scores are of their class are unusual", "src/label.c",
  "right * fmax(1 - own / row.mixed[y[i]], 0);", "right * own / row.mixed[y[i]];", c = "label"
)
mutant(
  "weights of a group move those of all rows", "src/label.c",
  "return at->v && data->group && data->group[i] > 0\n             ? (ptrdiff_t)IDX(0, data->group[i] - 1, data->C)",
  "return at->v && data->group && i >= 0 ? (ptrdiff_t)0", c = "label"
)
mutant(
  "EP of several classes recovers to the damping that led up", "src/ep-state.c",
  "fmin(fmin(opt->damping, p->most), p->damping * 1.25)", "fmin(opt->damping, p->damping * 1.25)", c = "parallel"
)
mutant(
  "several classes are learned under one rate", "R/noise-models.R",
  "if (is.null(share) && classes * (sources + classes - 2) <= first_most) \"matrix\" else \"each\"", "\"one\"",
  r = "fit-label-stage"
)
mutant(
  "errors of many classes go anywhere alike in the first stage", "R/learn-average.R",
  "if (length(end)) problem$omega", "if (FALSE) problem$omega", r = "learn-average-classes"
)
mutant(
  "classes in an order are learned under one rate", "R/noise-models.R",
  "epsilon == \"learn\" || classes > 2", "epsilon == \"learn\" || !is.null(share) || classes > 2", r = "kernel-ordered"
)
mutant(
  "classes in an order have errors of no class alone", "R/kernel-noise.R",
  "one = 0.45, each = 0.1, alone = 0.15", "one = 0.6, each = 0.1, alone = 0", r = "kernel-ordered"
)
mutant(
  "of two classes that look alike one may be learned as errors of the other", "R/noise-models.R",
  "min(prior$most, rate_most_first)", "prior$most", r = "noise-models"
)
mutant(
  "noise that a matrix has taken out is put into the scores again", "R/fit-left-out.R",
  " &&\n    !any(is_by_class(nodes(object)$model))", "", r = "fit-label-stage"
)
mutant(
  "of many rows noise models are sought from the one without wrong labels alone", "R/label-learn.R",
  "if (end$value > value + label_lost) list(end)", "NULL", r = "answer-power"
)
mutant(
  "groups have weights that no slope leads to", "R/label-problem.R",
  "if (length(at$v)) gradient[at$v, ]", "if (FALSE) gradient[at$v, ]", r = "label-problem"
)
mutant(
  "scores err in all groups alike", "R/label-slopes.R", "label_group_sd <- 2 ", "label_group_sd <- 0.01 ",
  r = "answer-groups"
)
mutant(
  "a label stays in the weights of what is said of its row without it", "src/label.c",
  "(x > before ? 1 : less) / (1 + less)", "exp(x)", r = "label-rows", c = "label"
)
mutant(
  "a label stays in the weights of the points that answer without it", "src/label.c",
  "log_weight - fmax(log_z", "log_weight + fmax(log_z", c = "label"
)
mutant(
  "directions of overlap move each by itself", "src/label-overlap.c",
  "(apart == 0 ? 1 : -expm1(-apart) / apart)", "(apart == 0)", c = "label-overlap"
)
mutant(
  "singular noise has an inverse", "src/label-overlap.c",
  "fine >= DBL_EPSILON", "fine >= 0", c = "label-overlap"
)
mutant(
  "the second rate starts as if the first left all", "R/noise-rates.R",
  "most <- rate_most(priors, kind, e[, 1, ])\n    e[, kind, ]", "most <- priors[[kind]]$most\n    e[, kind, ]", r = "noise-rates"
)
mutant(
  "the noise is taken out of scores that have learned none", "R/label-problem.R",
  "way$kind == \"recorded\" && name", "way$kind != \"scores\" && name", r = "label-problem"
)
mutant(
  "without unusual rows there are some", "R/label-problem.R",
  "unusual <- if (plain || held) 0", "unusual <- if (held) 0", r = "label-problem"
)
mutant(
  "how much of the noise scores have learned has the slope of all of it", "R/label-taken-out.R",
  "colSums(by * (mean - as.vector(diag(size[2]))))", "colSums(by * mean)", r = "label-problem"
)
mutant(
  "the label stage takes no notice of weights", "R/label-reports.R",
  "kind = kinds$kind - 1L, times = reports$times,", "kind = kinds$kind - 1L, times = NULL,",
  r = "fit-second-stage"
)
mutant(
  "scores of a weighted fit lose their weights", "R/fit-second-stage.R",
  "times = fit$data$reports$times, own", "times = NULL, own", r = "fit-second-stage"
)
mutant(
  "a study of the labels does not count", "R/label-problem.R",
  "value = by$value + label_study(problem, now$omega) - colSums(Z^2) / 2",
  "value = by$value - colSums(Z^2) / 2", r = "label-problem"
)
mutant(
  "classes that look alike are sought from none that do alone", "R/label-problem.R",
  "if (nrow(pairs)) list(alike)", "NULL", r = "label-learn"
)
mutant(
  "points stand on one side of a mode", "R/label-learn.R",
  "matrix(rbind(x, -x), d)", "matrix(rbind(x, x), d)", r = "label-learn"
)
mutant(
  "the density of points without the volume of their ellipsoid", "R/label-learn.R",
  "- mode$log_det - d * log(label_wider)", "- d * log(label_wider)", r = "label-learn"
)
mutant(
  "the evidence counts points as if there were one", "R/learn-weights.R",
  "log_evidence = total - log(length(w))", "log_evidence = total", r = "label-learn"
)
mutant(
  "cells of scores hold each row once", "R/label-average.R",
  "times <- as.vector(rowsum(cells$times, of))",
  "times <- as.vector(rowsum(rep(1, length(of)), of))", r = "label-average"
)
mutant(
  "whether unusual rows hide wrong labels is asked where there are some", "R/label-average.R",
  "log_factor(models) < log(verdict_limits[2])", "log_factor(models) > log(verdict_limits[2])",
  r = "label-average"
)
mutant(
  "rows are told in the order of the table that is sorted", "R/label-rows.R",
  "back <- order(order)", "back <- seq_along(order)", r = "label-average"
)
mutant(
  "many rows are said at the step before", "R/label-rows.R",
  "floor(logit) - ends[1])", "floor(logit) - ends[1] - 1)", r = "label-rows"
)
mutant(
  "between steps of the score there is a line", "src/label-steps.c",
  "{-x * a / 6, (x + 1) * a / 2,", "{0, 1 - x,", c = "label-steps"
)
mutant(
  "columns of a table that leave ties are all that sorts it", "R/data-order.R",
  "if (all(differ)) return", "if (TRUE) return", r = "data-order"
)
mutant(
  "a field that is no number makes a column text", "R/stream-text.R",
  "if (NROW(data) == length(lines) && of_types) data", "if (NROW(data) == length(lines)) data", r = "stream-text"
)
mutant(
  "a Poisson distribution of many labels is not moved", "R/label-rows.R",
  "moved <- pmax(floor(said$wrong - said$variance), 0)", "moved <- 0 * said$wrong", r = "label-rows"
)
mutant(
  "new rows are recorded by the noise the other way round", "R/label-rows.R",
  "%*% mean_omega(nodes$omega[[used[k]]], share)",
  "%*% t(mean_omega(nodes$omega[[used[k]]], share))", r = "label-rows"
)

# Words of a verdict ------------------------------------------------------------

mutant(
  "which class has more is said though either would do", "R/answer-verdict.R",
  "differ && side_told(models)", "differ",
  r = "answer-verdict"
)
mutant(
  "if some are wrong there may be none", "R/answer-wrong-count.R",
  "replace(density, 1, 0)", "density", r = "answer-verdict"
)
mutant(
  "a list to check that nobody edited confirms every suspect", "R/data-checked.R",
  "edited || !inherits(", "TRUE || !inherits(", r = "answer-review"
)
mutant(
  "a rate of a reader is cut off at one half", "R/noise-priors.R",
  "if (several && !readers) rate_most_class else 1)",
  "if (several && !readers) rate_most_class else 0.5)", r = "noise-models|answer-readers"
)
mutant(
  "labels of a row are wrong each by itself", "R/noise-count.R",
  "total - counts[, t] + 1", "counts[, t] + 1", r = "answer-readers"
)
mutant(
  "gold is one more reader", "R/data-readers.R",
  "source[ncol(codes)] <- 0L", "source[ncol(codes)] <- 1L", r = "data-readers"
)
mutant(
  "rows without a label are answered in the place of others", "R/fit-new.R",
  "order <- order(c(labelled, open$at))", "order <- seq_along(c(labelled, open$at))", r = "data-readers"
)
mutant(
  "the gradient of a rate leaves out that it cuts the other off", "R/noise-rates.R",
  "slope[, 1, ] - slope[, 2, ] * by_cut", "slope[, 1, ]", r = "noise-rates|label-problem"
)
mutant(
  "labels of new rows are told by the fit itself", "R/answer-mislabelled-new.R",
  "judge <- judged_by(object)", "judge <- object", r = "answer-mislabelled-new"
)
mutant(
  "the scores of a fit of two classes are of the class recorded", "R/fit-left-out.R",
  "recorded <- own_kind(object) == \"recorded\"", "recorded <- TRUE", r = "fit-second-stage|answer-noise-test"
)
mutant(
  "rows of unit length have a lengthscale for each column", "R/kernel-resolve.R",
  "isTRUE(blueprint$sphere) || are_unit_rows(X, blueprint)", "isTRUE(blueprint$sphere)", r = "learn-wide"
)
mutant(
  "a node that has lost a cavity decides of the row", "R/noise-truth.R",
  "lost_cavity <- log(300)", "lost_cavity <- Inf", r = "fit-truth"
)
mutant(
  "of many pairs each looks as much alike as one of three", "R/label-overlap.R",
  "(most(3) - most(classes))", "0", r = "label-overlap"
)
mutant(
  "points where the curvature tells the evidence are wider than it", "R/label-learn.R",
  "radius <- if (normal) 1 else", "radius <-", r = "label-learn"
)
mutant(
  "a curvature is kept however far the modes are apart", "R/label-learn.R",
  "if (sum(apart^2) < label_near)", "if (TRUE)", r = "label-learn"
)
mutant(
  "few points tell the mean of a number, but not how wide it is", "R/label-rows.R",
  "stats::qt(0.95, ess - 1)", "stats::qnorm(0.95)", r = "label-rows"
)

# What no test had noticed ------------------------------------------------------

mutant(
  "rows that stand for several tell the slope of overlap as one", "R/kernel-recalibration.R",
  "sum(times * (1 - 1 / rowSums(q))) / sum(times)", "mean(1 - 1 / rowSums(q))", r = "kernel-recalibration"
)
mutant(
  "a nugget starts on a bound of what is believed", "R/kernel-overlap.R",
  "min(0.1, diff(within) / 4)", "0", r = "kernel-overlap"
)
mutant(
  "distances within rounding are no ties", "R/kernel-resolve.R",
  "d[d > distance_of_ties * max(d, 0)]", "d[d > 0]", r = "kernel-resolve"
)
mutant(
  "one lengthscale has a factor in common with itself", "R/kernel-resolve.R",
  "kernel$prior$common <- 0", "kernel$prior$common <- 0.5", r = "learn-coordinates"
)
mutant(
  "widths of classes in units of the variance", "R/learn-coordinates.R",
  "c(bias = 1, width = 1 / 2)", "c(bias = 1, width = 1)", r = "learn-coordinates"
)
mutant(
  "a few weights have the shape that they alone say", "R/learn-weights.R",
  "k = (n * k + 5) / (n + 10)", "k = k", r = "learn-points"
)
mutant(
  "the largest weights are quantiles of another rule", "R/learn-weights.R",
  "(seq_len(tail) - 0.5) / tail", "seq_len(tail) / (tail + 1)", r = "learn-points"
)
mutant(
  "classes that look alike at most have a slope beyond", "R/label-problem.R",
  "(now$s < pairs_most) * ", "", r = "label-problem"
)
mutant(
  "any column of pairs is one of units", "R/data-units.R",
  "chance < log(units_chance) && ", "", r = "data-units"
)
mutant(
  "rows that lack a group are counted without those left out", "R/data-rows.R",
  "data$rows[is.na(value[data$rows])]", "which(is.na(value[data$rows]))", r = "data-rows"
)
mutant(
  "an error halves with twice the chains", "R/exact-ais.R",
  "((now$se / se)^2 - 1) * done", "((now$se / se) - 1) * done", r = "exact-ais"
)
mutant(
  "a fixed point that is as good is no other", "R/ep-starts.R",
  "worse > near | apart > near", "worse > near & apart > near", r = "ep-starts"
)
mutant(
  "the data of a call are those of the fit, whatever their rows are now", "R/meet-insight.R",
  "same(rows$X, x$data$X)", "TRUE", r = "meet-insight"
)
mutant(
  "rows without estimates are the last", "R/meet-marginaleffects.R",
  "full[complete, ] <- d", "full[seq_len(nrow(d)), ] <- d", r = "meet-marginaleffects"
)
mutant(
  "on the link scale there is no label stage", "R/meet-marginaleffects.R",
  "through <- type == \"response\" || !is.null(model$label_stage)", "through <- type == \"response\"",
  r = "meet-marginaleffects"
)
mutant(
  "no columns are one group", "R/meet-parsnip.R",
  "is.character(value) && length(value) > 0 &&", "is.character(value) &&", r = "meet-parsnip"
)
mutant(
  "ends of the first class change places", "R/meet-parsnip.R",
  "lower = cbind(1 - ends$upper, ends$lower)", "lower = cbind(1 - ends$lower, ends$lower)", r = "meet-parsnip"
)
mutant(
  "classes that no row has move the others", "R/meet-parsnip.R",
  "full[, colnames(prob)] <- prob", "full[, seq_len(ncol(prob))] <- prob", r = "meet-parsnip"
)
mutant(
  "draws of a t process have scales of their own", "R/answer-interval.R",
  "random$scale[draw] * at_draws(latent$m)", "at_draws(latent$m)", r = "answer-interval"
)
mutant(
  "rates of a candidate change places", "R/select-candidate.R",
  "epsilon_neg = rates[1], epsilon_pos = rates[2]", "epsilon_neg = rates[2], epsilon_pos = rates[1]",
  r = "select-candidate"
)
mutant(
  "an evidence that EP has not reached counts", "R/select-candidate.R",
  "if (converged) value else NA_real_", "value", r = "select-candidate"
)
mutant(
  "a candidate learns what it holds", "R/select-candidate.R",
  "sum(learned(fit))", "sum(!learned(fit))", r = "select-candidate"
)
mutant(
  "the band of a number of wrong labels ends within a rank", "R/show-picture-answers.R",
  "boxes(expected$lower + 0.5, -Inf, expected$upper + 0.5, Inf, \"band\")",
  "boxes(expected$lower, -Inf, expected$upper, Inf, \"band\")", r = "show-picture-answers"
)
mutant(
  "glance() has the rate that the fit has learned for its own use", "R/show-tidy.R",
  "shown_rate(judged_by(x))", "shown_rate(x)", r = "show-tidy"
)
mutant(
  "some rows have the offsets of others", "R/latent.R",
  "offset = labels$offset[rows]", "offset = labels$offset[seq_len(k)]", r = "latent"
)
mutant(
  "a common scale adds no variance of its own to a band", "R/show-picture-band.R",
  "outer(m[mine], random$scale)", "m[mine]", r = "show-picture-band"
)
mutant(
  "copies of rows with weights have equal shares of a site", "R/fit-copies.R",
  "share <- report_times(data$reports) / ", "share <- 1 / ", r = "fit-copies"
)
mutant(
  "inducing inputs of several classes stand by the mean of their lengthscales", "R/latent-classes.R",
  "exp(rowMeans(log(matrix(lengthscale, groups))))", "rowMeans(matrix(lengthscale, groups))",
  r = "latent-inducing"
)
mutant(
  "what the terms of a stream have learned may be others when it is resumed", "R/stream-state.R",
  "deparse(attr(blueprint$terms, \"predvars\"), control = \"hexNumeric\")", "\"\"", r = "stream-checkpoint"
)

# What no test had noticed of groups, audits, weights and the points of a stage ------------------

mutant(
  "with bounds of overlap scores have learned some of the noise", "R/label-problem.R",
  "learns <- noisy && is.null(way$within) && !held", "learns <- noisy && !held", r = "label-problem"
)
mutant(
  "scores beyond the rows of groups are of the last groups", "R/label-rows.R",
  "group <- c(group, integer(ncol(P) - length(group)))",
  "group <- c(integer(ncol(P) - length(group)), group)", r = "label-rows"
)
mutant(
  "no more labels are wrong than there are rows, whatever these stand for", "R/label-rows.R",
  "label_poisson(said, sum(report_times(reports)))", "label_poisson(said, reports$n)",
  r = "label-rows"
)
mutant(
  "the choice among pairs of readers costs nothing", "R/label-shared.R",
  " - log(rows[pairs]) / 2 - log(nrow(pairs))", " - log(rows[pairs]) / 2", r = "label-shared"
)
mutant(
  "counts by group take rows that stand for several once", "R/answer-groups.R",
  "labels_apart(report_times(reports))", "labels_apart(report_times(reports)^0)", r = "answer-groups"
)
mutant(
  "a group is one of the others that it is compared with", "R/answer-groups.R",
  "- at$wrong) / (sum(at$rows) - at$rows)", "- at$wrong) / sum(at$rows)", r = "answer-groups"
)
mutant(
  "labels that were trusted are part of the rates of groups", "R/answer-groups.R",
  "%in% reports$row[reports$source > 0L])", "%in% reports$row)", r = "answer-groups"
)
mutant(
  "labels that came in are cut at the rate of all that are listed", "R/answer-audit.R",
  "seq_len(sum(false_share(came$probability) <= fdr))",
  "seq_len(min(nrow(came), sum(false_share(listed$probability) <= fdr)))", r = "answer-audit"
)
mutant(
  "checks of what came in count as labels from before", "R/answer-audit.R",
  "before <- lapply(before, `[`, groups[before$row] == \"before\")", "before <- before",
  r = "answer-audit"
)
mutant(
  "an audit takes no notice of weights", "R/answer-audit.R",
  "times <- if (length(reports$times)) c(reports$times, rep(1, length(code)))", "times <- NULL",
  r = "answer-audit"
)
mutant(
  "of numbers of rows to draw from the smallest is taken", "R/answer-drawn.R",
  "best <- max(which(light >= among_near * max(light)))",
  "best <- min(which(light >= among_near * max(light)))", r = "answer-drawn"
)
mutant(
  "rows to check are drawn of the first of the table", "R/answer-review.R",
  "open <- order[said$source[order] > 0L]", "open <- which(said$source > 0L)", r = "answer-drawn"
)
mutant(
  "what labels told their scores takes no notice of weights", "R/answer-power.R",
  "told = max(sum(times * told_of_itself(object, open)), 0)",
  "told = max(sum(told_of_itself(object, open)), 0)", r = "answer-power"
)
mutant(
  "shards are as near to rest as the first of them", "R/shard-pass.R",
  "a$worst <- max(a$worst, b$worst)", "a$worst <- a$worst", r = "shard-rounds"
)
mutant(
  "classes of columns go to others where some are passed over", "R/stream-text.R",
  "seen[is.na(classes[!classes %in% \"NULL\"])]", "seen[is.na(classes)]", r = "stream-text"
)
mutant(
  "a column of missing values alone has a class when a stream is resumed", "R/stream-state.R",
  "replace(state$classes, state$classes == \"\", NA)", "state$classes", r = "stream-checkpoint"
)
mutant(
  "what was recorded of checked rows is of the groups of the first rows", "R/noise-known.R",
  "c(replace(source, known, 0L), source[before$row])",
  "c(replace(source, known, 0L), source[seq_along(before$row)])", r = "noise-known"
)
mutant(
  "readers start at rates of classes in the order of the table", "R/noise-models.R",
  "rowMeans(e) else e[, model$turn]", "rowMeans(e) else e", r = "noise-models"
)
mutant(
  "shares of sources take rows that stand for several once", "R/noise-reports.R",
  "rowsum(report_times(reports)[reports$row[open]],", "rowsum(rep(1, sum(open)),",
  r = "noise-reports"
)
mutant(
  "one rate cuts off the other below the most that this can be", "R/noise-rates.R",
  "    by_cut[most == priors[[2]]$most] <- 0\n", "", r = "noise-rates"
)
mutant(
  "nodes of given rates have lost cavities", "R/noise-truth.R",
  "setdiff(truth$model[duplicated(truth$model)], \"given\")",
  "truth$model[duplicated(truth$model)]", r = "fit-truth"
)
mutant(
  "some noise models alone have the weights that they have among all", "R/noise-truth.R",
  "truth$weight <- shares(truth$weight[mine])", "truth$weight <- truth$weight[mine]",
  r = "fit-truth"
)
mutant(
  "a column whose name differs by case alone is a step of a query", "R/data-sql.R",
  "startsWith(tolower(names), own)", "startsWith(names, own)", r = "answer-sql"
)
mutant(
  "scores anywhere count by their number", "R/fit-few.R",
  "rep(c(1, nrow(X) / nrow(anywhere)), c(nrow(X)", "rep(c(1, 1), c(nrow(X)",
  r = "fit-few"
)
mutant(
  "nodes pay again for what ratios of lengthscales have cost", "R/learn-nodes.R",
  "log_prior - prior_spent(problem$latent)", "log_prior", r = "learn-points"
)
mutant(
  "points stand around the mean of those before, however few these are", "R/learn-nodes.R",
  "component$centre <- trust * centre + (1 - trust) * component$centre",
  "component$centre <- centre", r = "learn-points"
)
mutant(
  "the length of a row for a cosine kernel is that of columns without weights", "src/kernel.c",
  "length[i] += k->weight[j] * x * x;", "length[i] += x * x;", r = "kernel-shape"
)

# Rooms that were cut: shards, streams, answers, what is shown, data ----------------------------------------

mutant(
  "an audit raises its alarm where labels that came in are wrong less often", "R/answer-audit.R",
  "(rate > at$wrong[1, ] / at$rows[1])", "(rate < at$wrong[1, ] / at$rows[1])", r = "answer-audit"
)
mutant(
  "rows that came in are those that were removed", "R/answer-audit.R",
  "0L else length(own$y) - sum(!is.na(place))", "0L else sum(is.na(place))", r = "answer-audit"
)
mutant(
  "intervals of groups hold one by one, not at once", "R/answer-groups.R",
  "stats::quantile(row_max(far), level,", "stats::quantile(far, level,", r = "answer-groups"
)
mutant(
  "an interval in closed form leaves out its tails twice", "R/answer-interval.R",
  "lapply(c((1 - level) / 2, (1 + level) / 2), function(p) bisect", "lapply(c(1 - level, level), function(p) bisect",
  r = "answer-interval|show-picture-band"
)
mutant(
  "the area under a curve takes the rank sum of one event more", "R/answer-measures.R",
  "n[1] * (n[1] + 1) / 2", "n[1] * (n[1] - 1) / 2", r = "answer-performance"
)
mutant(
  "a row is its own neighbour", "R/answer-nearest.R",
  "setdiff(order(-similarity[i, ]), rows[i])", "order(-similarity[i, ])", r = "answer-nearest"
)
mutant(
  "of intervals of a rate that with the lowest upper end is taken", "R/answer-rates.R",
  "which.min(upper - at)", "which.min(upper)", r = "answer-rates"
)
mutant(
  "readers agree by chance as if the other were like the first", "R/answer-readers.R",
  "chance <- sum(share(1) * share(2))", "chance <- sum(share(1)^2)", r = "answer-readers"
)
mutant(
  "rows to check remain among those that are left", "R/answer-review.R",
  "left <- sort(setdiff(open, places))", "left <- sort(open)", r = "answer-review"
)
mutant(
  "Wilson's interval is drawn to one half twice as much", "R/answer-scores.R",
  "centre <- (p + z2 / (2 * n)) / (1 + z2 / n)", "centre <- (p + z2 / n) / (1 + z2 / n)", r = "answer-scores"
)
mutant(
  "paths are led away from the labels by the draws of the prior", "R/answer-paths.R",
  "native_product(A, posterior - prior)", "native_product(A, posterior + prior)", r = "answer-paths"
)
mutant(
  "the standard error of minus twice a score is that of the score", "R/answer-loo.R",
  "SE = c(se, NA, 2 * se)", "SE = c(se, NA, se)", r = "answer-loo"
)
mutant(
  "a p value by checks does not count the row itself", "R/answer-drawn.R",
  "(1 + cumsum(right)) / (sum(!other) + 1)", "cumsum(right) / (sum(!other) + 1)", r = "answer-called"
)
mutant(
  "a filter may have got more labels wrong than it has seen", "R/fit-check.R",
  "filter$errors >= 0 && filter$errors <= filter$rows", "filter$errors >= 0", r = "fit-check"
)
mutant(
  "the evidence of a second stage is the sum of those of its noise models", "R/fit-scores.R",
  "log_sum(nodes$models$log_evidence + log(nodes$models$prior))", "log_sum(nodes$models$log_evidence)",
  r = "fit-second-stage|answer-evidence"
)
mutant(
  "new rows that were left out have no place among those given", "R/fit-absorb.R",
  "n_given = data$n_given + nrow(newdata)", "n_given = data$n_given + length(new$y)", r = "fit-absorb"
)
mutant(
  "inducing inputs keep their covariance when rows are absorbed", "R/fit-absorb.R",
  "if (!is.null(object$inducing)) object$inducing[\"C\"]", "if (FALSE) object$inducing[\"C\"]",
  r = "fit-absorb|latent-inducing"
)
mutant(
  "the call of a fit to other rows keeps the subset of the first ones", "R/fit-update.R",
  "if (\"data\" %in% names(changed)) old$subset <- NULL", "NULL", r = "fit-update"
)
mutant(
  "few nodes may be as far from all as the root of the gap", "R/fit-few.R",
  "while (left(v) > gap^2 && left(v) < before", "while (left(v) > gap && left(v) < before", r = "fit-few"
)
mutant(
  "a matrix of two classes has its rates swapped", "R/fit-classes.R",
  "c(neg = omega[[1, 2]], pos = omega[[2, 1]])", "c(neg = omega[[2, 1]], pos = omega[[1, 2]])", r = "fit-classes"
)
mutant(
  "a unit has the sum of its rows for inputs", "R/data-units.R",
  "mean <- function(v) rowsum(v, of) / tabulate(of)", "mean <- function(v) rowsum(v, of)", r = "data-units"
)
mutant(
  "any input with as many values as classes tells the labels", "R/data-doubts.R",
  "length(values) == classes && !anyDuplicated(unique(cbind(match(v, values), y))[, 1])",
  "length(values) == classes", r = "data-doubts"
)
mutant(
  "rows without a label are said to lack an input", "R/data-lost.R",
  "if (length(open)) given <- given[-open, , drop = FALSE]", "NULL", r = "data-doubts"
)
mutant(
  "equal values far down a chain are different ones", "R/data-order.R",
  "sorted[first][cumsum(first)] > most & c(TRUE, diff(sorted) > 0)", "sorted[first][cumsum(first)] > most",
  r = "data-order"
)
mutant(
  "a classifier is cross-fitted to the rows that it predicts, too", "R/data-cross-fit.R",
  "train <- !out & !is.na(y)", "train <- !is.na(y)", r = "data-cross-fit"
)
mutant(
  "of several offsets the first counts alone", "R/data-offset.R",
  "Reduce(`+`, lapply(parts, as.double))", "as.double(parts[[1]])", r = "data-offset"
)
mutant(
  "what is left of a weight is a label that is wrong as often as it is long", "R/noise-count.R",
  "p <- c(p, (times - floor(times)) * p)", "p <- c(p, times - floor(times))", r = "noise-times"
)
mutant(
  "wrong labels that checks have found speak against their own number", "R/noise-drawn.R",
  "stats::phyper(found - 1, wrong,", "stats::phyper(found, wrong,", r = "noise-drawn"
)
mutant(
  "labels that are drawn one by one stand for whole rows", "R/noise-times.R",
  "times = rep(times / size, size)", "times = rep(times, size)", r = "noise-times"
)
mutant(
  "readers who share errors have rates of their own beside these", "R/label-shared.R",
  " / max(1 - sum(same), 1e-12)", "", r = "label-shared"
)
mutant(
  "noise models share the points that are kept by their probabilities", "R/label-kept.R",
  "share <- sqrt(probability)", "share <- probability", r = "label-average"
)
mutant(
  "a cell of scores that is cut in two has all of its rows twice", "R/label-average.R",
  "times = c(times / (1 + wide), times[wide] / 2)", "times = c(times, times[wide])", r = "label-average"
)
