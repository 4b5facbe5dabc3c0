#' Glossary
#'
#' The words this package uses, one for each thing.
#'
#' \describe{
#'   \item{event}{The second level of the response; probabilities are of it.}
#'   \item{latent function}{The function `f` whose sign is the class. It has a
#'     Gaussian process prior in [gpc()] and a Student-t process prior in [stc()].}
#'   \item{kernel}{The prior covariance (or scale) of `f`: [kernel_ard()].}
#'   \item{hyperparameters}{The kernel's `lengthscale`, `variance`, `bias` and
#'     `nugget`, and `epsilon`.}
#'   \item{epsilon}{The probability that a recorded label is the wrong one. Below
#'     1/2.}
#'   \item{df}{Degrees of freedom of the Student-t process; `Inf` is the Gaussian
#'     process.}
#'   \item{EP}{Expectation propagation: each likelihood factor is replaced by a
#'     *site* of Gaussian (or q-exponential) form, fitted in turn until nothing
#'     changes. t-EP is EP in the t-exponential family.}
#'   \item{site}{The stand-in of one likelihood factor, with natural parameters
#'     `tau` (precision) and `nu` (precision times mean). A negative `tau` belongs to
#'     a label that the other rows contradict.}
#'   \item{cavity}{The posterior of one latent value with its own site taken out:
#'     what all other rows say about the row.}
#'   \item{tilted distribution}{Cavity times the exact likelihood factor.}
#'   \item{escort distribution}{A density to the power q, normalised; t-EP matches
#'     its moments.}
#'   \item{sweep}{One pass over all sites.}
#'   \item{damping}{The fraction of a full site update that is taken.}
#'   \item{residual}{The largest change of a site in a sweep; 0 at the fixed point.}
#'   \item{scaled coordinates}{t-EP keeps its posterior up to one global scale
#'     `kappa = exp(-log_det / df)`: `f` has location `sqrt(kappa) m` and scale matrix
#'     `kappa C`. Nothing in a class probability depends on it. At `df = Inf`,
#'     `kappa = 1`.}
#'   \item{Z1, Zp}{The normaliser of a tilted distribution, and the predictive
#'     probability of the label from its cavity. Equal at `df = Inf`.}
#'   \item{log evidence}{The log marginal likelihood of the labels, as EP
#'     approximates it: [log_evidence()].}
#'   \item{leave-one-out}{The log probability of each label predicted from its
#'     cavity: [loo()].}
#'   \item{criterion}{What learning maximises: log evidence or leave-one-out.}
#'   \item{median heuristic}{The median distance between rows as a starting
#'     lengthscale: [kernel_ard()].}
#' }
#'
#' @inherit sturdy-package references
#' @name sturdy-glossary
#' @aliases glossary
NULL
