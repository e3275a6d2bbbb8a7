/* kqueue for tests on Linux: as much of the interface as the kqueue backend uses, over epoll. README.md says what it does and does not.
 * The numbers are those of the real systems, so that a test can spell either.
 */
#ifndef RINGLOAD_TESTS_KQUEUE_SHIM_EVENT_H
#define RINGLOAD_TESTS_KQUEUE_SHIM_EVENT_H

#include <stdint.h>
#include <time.h>

#define RL_KQUEUE_SHIM 1

struct kevent {
    uintptr_t ident; /* the descriptor */
    int16_t filter;
    uint16_t flags;
    uint32_t fflags; /* out, with EV_EOF: the error of the socket, or 0 */
    intptr_t data;   /* out: octets to read, or room to write; errno with EV_ERROR */
    void *udata;
};

#define EVFILT_READ (-1)
#define EVFILT_WRITE (-2)

#define EV_ADD 0x0001u
#define EV_DELETE 0x0002u
#define EV_ENABLE 0x0004u
#define EV_DISABLE 0x0008u
#define EV_ONESHOT 0x0010u
#define EV_CLEAR 0x0020u
#define EV_RECEIPT 0x0040u
#define EV_DISPATCH 0x0080u
#define EV_ERROR 0x4000u
#define EV_EOF 0x8000u

#ifdef __cplusplus
extern "C" {
#endif

int kqueue(void);
int kevent(int kq, const struct kevent *changes, int nchanges, struct kevent *events, int nevents, const struct timespec *timeout);

/* Of this shim alone: which of two events of one descriptor comes first, for all queues of the process. The real systems promise none. */
void kqueue_shim_read_first(int yes);

#ifdef __cplusplus
}
#endif

#endif
