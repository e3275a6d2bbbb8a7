/* The same header under the spelling wolfSSL uses: names of files are
 * case-sensitive where Windows programs are cross-compiled. */
#include <wincrypt.h>
