/* The release has no such file; without this one a system-wide wolfSSL's
 * options.h would be found instead. */
#ifndef WOLFSSL_USER_SETTINGS
#error "compile with the arguments of wolfssl_dep"
#endif
#include "user_settings.h"
