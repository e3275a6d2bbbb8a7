/* It refuses to be opened. */
#include "good.h"

BAD_SOURCE("open_fails")

static int refuse(const struct rl_open *open, void **shared, struct rl_error *error) {
    (void)open;
    (void)shared;
    memcpy(error->message, "cannot read list.txt: no such file; give another", 49);
    return -1;
}
static void spoil(void) { ops.open = refuse; }
