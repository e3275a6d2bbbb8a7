// The system's socket addresses and the functions on them, whatever the headers are called there.
//
// The one place outside the backends from which the system's socket headers come. On Windows they bring the rest of windows.h along;
// the build defines NOMINMAX and WIN32_LEAN_AND_MEAN for every file.
#pragma once

#if defined(_WIN32)
#include <winsock2.h>
#include <ws2tcpip.h>
#else
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#endif
