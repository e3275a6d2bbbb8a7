// How a worker of this system waits for its sockets. All pollers are alike: open(), wake() from any thread, add() and remove() of a
// connection, rest() of the listening socket, wait(), and the i-th event as owner(i) and events(i). They tell of changes, not of states.
//
// A wait that is ended by wake() shows it as an event whose owner is the poller; that of the listening socket has no owner.
#pragma once

#if defined(_WIN32)
#include "tools/serve/poller_windows.hpp"
#else
#include "tools/serve/poller_epoll.hpp"
#endif
