#include "ringload/plugin.h"
