#include "ringload/plugin.hpp"
