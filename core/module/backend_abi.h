/* core/module/backend_abi.h - lockstep entry of backend modules. In-tree only: never installed, may change in any commit.
 *
 * A backend module instantiates the whole worker, so host and module must come from one build: build_id is compared byte for byte and
 * a mismatch is a refusal. Not to be confused with ringload/plugin.h, which is the stable ABI for third parties.
 */
#ifndef RINGLOAD_BACKEND_ABI_H
#define RINGLOAD_BACKEND_ABI_H

#include "ringload/plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RL_BACKEND_MAGIC 0x524c4245u /* "RLBE" */

/* What the probe found out: facts for `ringload list` and the report. */
struct rl_backend_caps {
    char switches[192];  /* "multishot, DEFER_TASKRUN, registered ring": what a run would use here */
    uint32_t batched_wait; /* 1: one wait can last until several completions are there, so --wait batch means something */
    char second_choice[128]; /* "" or why a backend below it does better here, so that --backend auto takes that one */
    char downgrade[256]; /* "" or a sentence: which better feature is missing and why */
    /* In: not "" if they are wanted, since finding them out takes time. Out: "" or lines: each feature of the system that matters, and
     * whether a run would use it. */
    char features[1024];
};

struct WorkerCtx; /* core/engine/worker_ctx.hpp */

struct rl_backend_module {
    uint32_t magic, size;
    const char *build_id;
    const char *name, *summary;
    int32_t priority; /* the larger wins for --backend auto, among those whose probe passes; below 0: only by name */
    uint32_t option_count;
    const struct rl_option *options; /* --io_uring.OPTION=VALUE */
    /* Creates and destroys the real thing. 0, or non-zero with the reason. Control thread. */
    int (*probe)(const struct rl_value *values, struct rl_backend_caps *out, struct rl_error *err);
    /* One worker, on the calling thread; returns when its part of the run is over. */
    int (*run_worker)(struct WorkerCtx *ctx, struct rl_error *err);
};

/* The one exported symbol of a backend module; in a static build each has its own name, listed in a generated table. */
typedef const struct rl_backend_module *(*rl_backend_entry_fn)(void);

#ifdef __cplusplus
}
#endif

#endif
