/* What: interrupts for a process that was started to hear none. A shell has
 *       what it starts in the background, as workers are, ignore SIGINT, and
 *       from R 4.4 on R leaves it so. */
#include "glue.h"
#include <R_ext/GraphicsEngine.h> /* R_interrupts_pending */
#include <signal.h>

#ifdef _WIN32

SEXP glue_hear_interrupts(SEXP hear_) {
  (void)hear_;
  return Rf_ScalarLogical(FALSE);
}

#else

static void heard(int what) {
  (void)what;
  R_interrupts_pending = 1;
}

/* hear_: from now on, or as before, which drops what is pending. Whether there
 * was something to change. */
SEXP glue_hear_interrupts(SEXP hear_) {
  const int hear = WHOLE(hear_);
  struct sigaction now;
  sigaction(SIGINT, NULL, &now);
  const int changes = now.sa_handler == (hear ? SIG_IGN : heard);
  if (changes) {
    now.sa_handler = hear ? heard : SIG_IGN;
    sigaction(SIGINT, &now, NULL);
    if (!hear) R_interrupts_pending = 0;
  }
  return Rf_ScalarLogical(changes);
}

#endif
