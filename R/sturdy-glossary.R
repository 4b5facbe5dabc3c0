#' Glossary
#'
#' The terms of this package, one for each concept.
#'
#' \describe{
#'   \item{event}{The second level of the response, whose probability is modelled. Levels of
#'     text are in the order of the C locale. `print()` names the event of a fit.}
#'   \item{wrong label}{A recorded label that is not the true class of its row. What is said of a
#'     row is the probability that its label is wrong; in tables `probability` or `.flipped`.}
#'   \item{flip}{What makes a label wrong: the class was recorded as another one.}
#'   \item{spec}{A model with all its arguments, checked but not fitted: [gpc_spec()],
#'     [stc_spec()], [bpm_spec()]. A fit keeps its own in the field `spec`;
#'     [update()][update.sturdy_model] changes it and fits again.}
#'   \item{blueprint}{How the inputs of a fit are encoded: terms, levels, centre and
#'     scale. It contains no data.}
#'   \item{latent function}{The function `f` whose sign is the true class. It has a
#'     Gaussian process prior in [gpc()] and a Student-t process prior in [stc()]; in
#'     [bpm()] it is linear in the inputs.}
#'   \item{kernel}{The prior covariance (or scale) of `f`: [kernel_ard()].}
#'   \item{weights}{The coefficients of the latent function of [bpm()], the linear
#'     model.}
#'   \item{hyperparameters}{The kernel's `lengthscale`, `variance`, `bias` and
#'     `nugget`, or the prior scales of the weights of [bpm()]; and `epsilon`.}
#'   \item{epsilon, flip rate}{The share of labels, of all or of one true class, that are recorded
#'     wrongly: a rate of the process, not a probability of one row. One rate for all is below
#'     1/2; that of a class or of a reader may be above ([noise_prior()], [readers()]).}
#'   \item{row}{Named by its number: the position in the data given to the fit. Identifiers
#'     stand beside it.}
#'   \item{noise model}{What is assumed of wrong labels: none, one flip rate, a rate for
#'     each class, a matrix, or one in one class only; or given rates. See [label-noise].}
#'   \item{unusual row}{A row that contradicts its class although its label is right:
#'     [wrong-labels].}
#'   \item{overlap}{How often a label that is right contradicts the inputs: [noise_prior()].}
#'   \item{node}{A value of all hyperparameters and flip rates, with a weight. Where a fit
#'     averages, what it says is a weighted mean over its nodes. Those of a label stage are points.}
#'   \item{Bayes factor}{How many times as probable the recorded labels are if some are wrong as
#'     if none is: [noise_test()].}
#'   \item{trusted}{A row whose label is known to be right.}
#'   \item{df}{Degrees of freedom of the Student-t process, or of the prior of the
#'     weights; `Inf` is the Gaussian case.}
#'   \item{EP}{Expectation propagation: each likelihood factor is replaced by a
#'     *site* of Gaussian (or q-exponential) form. The sites are updated in turn until
#'     they no longer change, at a *fixed point*. t-EP is EP in the t-exponential family.}
#'   \item{ADF}{Assumed density filtering: EP in one pass. Each row updates the posterior
#'     once and is then dropped, so the result depends on the order of the rows.}
#'   \item{absorb}{To take further rows into a fit without learning: [absorb()].}
#'   \item{filter}{The counts that a [bpm()] keeps of the rows it has absorbed by ADF, in
#'     its field `filter`. Such a fit has the class `bpm_filtered` and keeps no rows.}
#'   \item{prequential}{Of predictions that are made for each row just before it is
#'     absorbed.}
#'   \item{site}{The approximation of one likelihood factor, with natural parameters
#'     `tau` (precision) and `nu` (precision times mean). A negative `tau` belongs to
#'     a label that the other rows contradict.}
#'   \item{cavity}{The posterior of one latent value without its own site: what all
#'     other rows say about the row.}
#'   \item{tilted distribution}{Cavity times the exact likelihood factor.}
#'   \item{escort distribution}{A density to the power q, normalised; t-EP matches
#'     its moments.}
#'   \item{sweep}{One pass over all sites.}
#'   \item{damping}{The fraction of a full site update that is taken.}
#'   \item{residual}{How far each site is from its update; 0 at a fixed point.}
#'   \item{scaled coordinates}{t-EP keeps its posterior up to one global scale
#'     `kappa = exp(-log_det / df)`: `f` has location `sqrt(kappa) m` and scale matrix
#'     `kappa C`. Nothing in a class probability depends on it. At `df = Inf`,
#'     `kappa = 1`.}
#'   \item{Z1, Zp}{The normaliser of a tilted distribution, and the predictive
#'     probability of the label from its cavity. Equal at `df = Inf`.}
#'   \item{log evidence}{The log marginal likelihood of the labels, as EP
#'     approximates it: [log_evidence()].}
#'   \item{integrated evidence}{The evidence integrated over the learned
#'     hyperparameters with their priors: [log_evidence()].}
#'   \item{leave-one-out}{Predicted from all other rows: the probability of each label by its
#'     cavity; the sum of their logs is [loo()]. In [mislabelled()] `loo` is that of the label stage.}
#'   \item{noise matrix}{The probability that a row of each true class (rows) is recorded as each
#'     class (columns): [noise_matrix()].}
#'   \item{first stage, label stage}{What a fit says of each row without its label, and what judges
#'     the labels by that: [averaging], [wrong-labels].}
#'   \item{second stage}{The label stage of scores by any classifier: [second_stage()].}
#'   \item{inducing inputs}{A hundred places, more or less, that stand for many rows:
#'     [many-rows].}
#'   \item{criterion}{What learning maximises, log evidence or leave-one-out; in
#'     [select_model()], what models are compared by.}
#'   \item{median heuristic}{The median distance between rows as a starting
#'     lengthscale: [kernel_ard()].}
#' }
#'

#' @name sturdy-glossary
#' @aliases glossary
NULL
