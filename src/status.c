/* What: one sentence per status code, in the words that users meet. */
#include "status.h"

const char *status_sentence(int status) {
  switch (status) {
  case EP_CONVERGED:
    return "EP converged.";
  case EP_MAX_SWEEPS:
    return "EP stopped at the sweep limit before it converged.";
  case EP_SITES_SKIPPED:
    return "EP stopped with sites left out because their cavity is improper.";
  case EP_INTERRUPTED:
    return "EP was interrupted.";
  case EP_NO_ADJOINT:
    return "EP converged, but its gradient system could not be solved.";
  case EP_STALLED:
    return "EP stalled: its residual stopped falling.";
  case EP_NOT_PD:
    return "The posterior precision is not positive definite.";
  case EP_IMPROPER:
    return "The starting sites leave an improper cavity.";
  case EP_BAD_ARG:
    return "A size or a parameter is out of range.";
  case EP_NO_EVIDENCE:
    return "The t-EP evidence is not defined at these sites.";
  default:
    return "Unknown status.";
  }
}
