/* What: what the core asks of the program that it is linked into. */
#ifndef STURDY_HOST_H
#define STURDY_HOST_H

/* Called between pieces of work of a fraction of a second, never from a second
 * thread. Whoever links the core supplies it; it need not return (a longjmp):
 * the core owns nothing. */
void core_poll(void);

#endif
