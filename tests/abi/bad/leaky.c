/* Nothing is ever freed: one block for all, one for each worker. */
#include "good.h"

BAD_SOURCE("leaky")

static const struct rl_host *host;
static int leaky_open(const struct rl_open *open, void **shared, struct rl_error *error) {
    (void)error;
    host = open->host;
    *shared = host->alloc(host->self, 64, 0, 0);
    return *shared == NULL;
}
static int leaky_worker_open(void *shared, const struct rl_worker *worker, void **self, struct rl_error *error) {
    (void)shared;
    (void)error;
    *self = host->alloc(host->self, 64, 0, worker->index);
    return *self == NULL;
}

static void spoil(void) {
    ops.open = leaky_open;
    ops.worker_open = leaky_worker_open;
}
