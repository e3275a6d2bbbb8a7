// The system's socket addresses and the functions on them, whatever the headers are called there.
//
// The one place outside the backends from which the system's socket headers come. On Windows they bring the rest of windows.h along;
// the build defines NOMINMAX and WIN32_LEAN_AND_MEAN for every file.
#pragma once

#if defined(_WIN32)
#include <winsock2.h>
#include <ws2tcpip.h>
// Words that are ours as well and that these headers take for macros.
#undef far
#undef near
#undef SearchPath
#else
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#endif
