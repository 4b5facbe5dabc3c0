/* What: status codes of the core. 0 is success, a positive status comes with a
 *       usable result that deserves a note, a negative one with none. The words
 *       are R's. */
#ifndef STURDY_STATUS_H
#define STURDY_STATUS_H

enum ep_status {
  EP_CONVERGED = 0,
  EP_MAX_SWEEPS = 1,    /* residual still above tol */
  EP_SITES_SKIPPED = 2, /* the last sweep had improper cavities */
  EP_INTERRUPTED = 3,   /* the monitor asked to stop; R never does so */
  EP_NO_ADJOINT = 4,    /* no gradient; a status of its own */
  EP_STALLED = 5,       /* the residual stopped falling above tol */
  EP_NO_STEP = 6,       /* no step has a posterior that is no worse */
  EP_NOT_PD = -1,       /* (K^-1 + T) is not positive definite */
  EP_IMPROPER = -2,     /* a cavity is improper at the start */
  EP_BAD_ARG = -3,      /* sizes or parameters out of range */
  EP_NO_EVIDENCE = -4   /* 1 + exp(-D/v) R <= 0: evidence undefined */
};

#endif
