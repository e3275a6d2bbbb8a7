/* A library to be loaded before liburing (LD_PRELOAD): rings and submissions fail when the test says so. Threads: counters are each thread's own.
 *
 *   RL_FAULT_RING="N:ERRNO"              from the Nth ring on that threads beside the first one make, counted over all of them
 *   RL_FAULT_ENTER="AFTER:EVERY:ERRNO"   after so many calls of a thread, every so many calls fail; EVERY 1: all of them
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

struct io_uring;
struct io_uring_params;

static atomic_long rings;
static _Thread_local long enters;

/* By name: the backend brings liburing along where RTLD_NEXT does not look. */
static void *next(const char *name) {
    void *const library = dlopen("liburing.so.2", RTLD_NOW);
    return library == NULL ? NULL : dlsym(library, name);
}

static int is_first_thread(void) { return syscall(SYS_gettid) == getpid(); }

int io_uring_queue_init_params(unsigned entries, struct io_uring* ring, struct io_uring_params* params);
int io_uring_queue_init_params(unsigned entries, struct io_uring* ring, struct io_uring_params* params) {
    static int (*real)(unsigned, struct io_uring*, struct io_uring_params*);
    long from;
    int error;
    const char* fault = getenv("RL_FAULT_RING");
    if (fault != NULL && sscanf(fault, "%ld:%d", &from, &error) == 2 && !is_first_thread()) {
        if (atomic_fetch_add(&rings, 1) + 1 >= from) return -error;
    }
    if (real == NULL) *(void**)&real = next("io_uring_queue_init_params");
    return real(entries, ring, params);
}

int io_uring_enter2(unsigned fd, unsigned submit, unsigned least, unsigned flags, sigset_t* mask, size_t size);
int io_uring_enter2(unsigned fd, unsigned submit, unsigned least, unsigned flags, sigset_t* mask, size_t size) {
    static int (*real)(unsigned, unsigned, unsigned, unsigned, sigset_t*, size_t);
    long after, every;
    int error;
    const char* fault = getenv("RL_FAULT_ENTER");
    if (fault != NULL && sscanf(fault, "%ld:%ld:%d", &after, &every, &error) == 3 && !is_first_thread()) {
        if (++enters > after && enters % every == 0) return -error;
    }
    if (real == NULL) *(void**)&real = next("io_uring_enter2");
    return real(fd, submit, least, flags, mask, size);
}
