// A contender that is no backend: the shortest loop over io_uring, for features that ringload does not use. With none of them it is the
// base that the others are compared with: one multishot receive for each connection, silent sends, one system call for each turn.
#pragma once

#include <memory>
#include <string>

#include "bench/backend/contender.hpp"

namespace rl::bench {

struct BareSwitches {
    bool fixed_files = false;      // descriptors are registered with the ring
    bool zero_copy = false;        // the kernel sends from our memory and notifies when it is done with it
    bool receive_bundles = false;  // one completion may cover several buffers
    bool send_bundles = false;     // one request sends all the buffers that are queued, from a buffer ring of each connection
};

std::unique_ptr<Contender> make_bare(std::string name, Shape shape, Waiting waiting, BareSwitches switches);

}  // namespace rl::bench
