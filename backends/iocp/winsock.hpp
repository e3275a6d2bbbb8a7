// The system's headers of this backend, in the one order in which they work, and what older ones lack. Windows 10 and later.
#pragma once

#include <winsock2.h>
#include <ws2tcpip.h>
// mswsock.h needs both before it.
#include <mswsock.h>
#include <windows.h>

#ifndef CREATE_WAITABLE_TIMER_HIGH_RESOLUTION
#define CREATE_WAITABLE_TIMER_HIGH_RESOLUTION 0x00000002  // KERNEL: since Windows 10 1803
#endif
