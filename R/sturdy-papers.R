#' The papers' own tools
#'
#' Functions that come with the papers whose results this package reproduces. No fit needs
#' them, and nobody who looks for wrong labels does. They have help pages of their own, which
#' are listed here and not in the index of the package.
#'
#' @section The t-exponential family:
#' As in Futami, Sato and Sugiyama (2017) and Ding, Qi and Vishwanathan (2011):
#' * [exp_q()], [ln_q()], [q_product()], [q_quotient()]: the operations of q-algebra;
#' * [mvt()], [mvt_natural()], [mvt_from_natural()], [mvt_log_partition()],
#'   [mvt_escort()]: the multivariate Student-t as a member of the family;
#' * [categorical()], [escort()]: distributions over finitely many outcomes, and escort
#'   distributions;
#' * [q_entropy()], [tsallis_entropy()], [renyi_entropy()], [q_divergence()]: entropies and
#'   the divergence.
#'
#' What they are used for is in the article *Reproducing the papers*, and the formulas in the
#' article *The mathematics*; [sturdy-package] says where articles are.
#'
#' @name sturdy-papers
#' @inherit sturdy-package references
NULL
