/* What: registration of the entry points. */
#include "glue-family.h"
#include "glue.h"
#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>

/* by way of void (*)(void), the one type that compilers let be cast to any */
#define ENTRY(name, n)                                                         \
  { #name, (DL_FUNC)(void (*)(void))glue_##name, n }

static const R_CallMethodDef entries[] = {ENTRY(ep_fit, 2),
                                          ENTRY(gp_fit, 3),
                                          ENTRY(classes_fit, 4),
                                          ENTRY(classes_prob, 2),
                                          ENTRY(gp_predict, 6),
                                          ENTRY(gram, 3),
                                          ENTRY(cholesky, 2),
                                          ENTRY(solve_lower, 3),
                                          ENTRY(product, 3),
                                          ENTRY(dense_names, 0),
                                          ENTRY(dense_use, 2),
                                          ENTRY(dense_threads, 0),
                                          ENTRY(dense_speed, 2),
                                          ENTRY(tilted, 3),
                                          ENTRY(weight_fit, 4),
                                          ENTRY(inducing_fit, 5),
                                          ENTRY(shard_features, 3),
                                          ENTRY(shard_point, 2),
                                          ENTRY(shard_gram, 2),
                                          ENTRY(shard_pass, 4),
                                          ENTRY(shard_view, 4),
                                          ENTRY(shard_gradient, 5),
                                          ENTRY(parallel_steps, 4),
                                          ENTRY(parallel_watch, 4),
                                          ENTRY(evidence, 3),
                                          ENTRY(weight_predict, 3),
                                          ENTRY(inducing_predict, 5),
                                          ENTRY(adf, 7),
                                          ENTRY(ais, 6),
                                          ENTRY(ais_move, 8),
                                          ENTRY(exp_q, 2),
                                          ENTRY(ln_q, 2),
                                          ENTRY(q_product, 3),
                                          ENTRY(q_quotient, 3),
                                          ENTRY(bernoulli_renyi, 2),
                                          ENTRY(bernoulli_tsallis, 2),
                                          ENTRY(bernoulli_q_entropy, 2),
                                          ENTRY(bernoulli_q_divergence, 3),
                                          ENTRY(mvt_natural, 3),
                                          ENTRY(mvt_from_natural, 3),
                                          ENTRY(mvt_escort, 2),
                                          ENTRY(mvt_entropy, 3),
                                          ENTRY(mvt_q_divergence, 5),
                                          {NULL, NULL, 0}};

void R_init_sturdy(DllInfo *dll);
attribute_visible void R_init_sturdy(DllInfo *dll) {
  R_registerRoutines(dll, NULL, entries, NULL, NULL);
  R_useDynamicSymbols(dll, FALSE);
  R_forceSymbols(dll, TRUE);
  glue_dense_load();
}
