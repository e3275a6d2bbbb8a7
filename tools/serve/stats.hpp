// What truly arrived and what was answered, independent of any client, and its JSON.
//
// Every worker writes its own WorkerStats; any worker may read them all to answer /stats. Zeroing is a baseline that is
// subtracted when reading, so that no thread ever writes another one's counts.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "tools/serve/cells.hpp"
#include "tools/serve/request.hpp"

namespace rl::serve {

struct LastRequest {
    std::string head;
    uint64_t body_bytes = 0;
    uint32_t body_crc32 = 0;
};

inline constexpr size_t kPathsMax = 256;
inline constexpr int kStatusFirst = 200;
inline constexpr size_t kStatusCount = 400;

enum class Tally : uint8_t {
    requests,   // heads that were complete and right
    responses,  // answers whose last octet was handed to the kernel
    bad_requests,
    connections,
    control_connections,  // those whose first request was for /stats; subtracted from connections
    connections_ignored,
    bytes_in,
    control_bytes_in,  // subtracted from bytes_in
    bytes_out,
    resets,
    garbage,
    halves,
    nevers,
    paths_other,
};
inline constexpr size_t kTallyCount = 14;

class alignas(64) WorkerStats {
  public:
    explicit WorkerStats(size_t arrivals_kept) : arrivals_(arrivals_kept) {}

    void add(Tally what, uint64_t n = 1) noexcept { tallies_[static_cast<size_t>(what)].add(n); }
    void add_method(Method method, uint64_t n) noexcept { methods_[static_cast<size_t>(method)].add(n); }
    void add_status(int status, uint64_t n) noexcept;
    bool records_arrivals() const noexcept { return !arrivals_.empty(); }
    void add_arrival(int64_t now_ns) noexcept;

    // The count of a path, or nullptr when there are too many of them. Owner only; the place stays valid.
    Count* path(std::string_view path);

    // Owner only. The first copies; the second is for the fast path and remembers only where the request lies.
    void set_last(std::string_view head, uint64_t body_bytes, uint32_t body_crc32, int64_t now_ns);
    void set_last(const LastRequest* lasting, int64_t now_ns) noexcept;

  private:
    friend class Board;

    std::array<Count, kTallyCount> tallies_;
    std::array<Count, kMethodCount> methods_;
    std::array<Count, kStatusCount> statuses_;
    std::vector<Cell<int64_t>> arrivals_;  // a ring
    Count arrivals_total_;

    mutable std::mutex mutex_;  // guards the shape of paths_, and last_
    std::map<std::string, Count, std::less<>> paths_;
    LastRequest last_;
    Cell<const LastRequest*> last_lasting_;  // when set, it is newer than last_
    Cell<int64_t> last_ns_;
};

// All workers' statistics together with the connections, which are counted over all of them.
class Board {
  public:
    Board(unsigned workers, size_t arrivals_kept);

    WorkerStats& worker(unsigned index) { return *workers_[index]; }

    void connection_opened() noexcept;
    void connection_closed() noexcept;
    // It turned out to be there only for /stats: as if it had never been opened.
    void connection_uncounted() noexcept;

    struct Wanted {
        bool arrivals = false;
        bool last = false;
    };
    std::string json(Wanted wanted);
    void reset(int64_t now_ns);
    std::string summary() const;

  private:
    struct Totals {
        std::array<uint64_t, kTallyCount> tallies{};
        std::array<uint64_t, kMethodCount> methods{};
        std::array<uint64_t, kStatusCount> statuses{};
        std::map<std::string, uint64_t> paths;

        uint64_t operator[](Tally what) const { return tallies[static_cast<size_t>(what)]; }
    };

    Totals read_all() const;
    Totals since_reset() const;
    void note_peak() noexcept;
    std::string arrivals_json() const;
    std::string last_json() const;

    std::vector<std::unique_ptr<WorkerStats>> workers_;
    SharedCount open_;
    SharedCount open_max_;

    mutable std::mutex mutex_;  // guards what follows
    Totals baseline_;
    std::vector<uint64_t> arrivals_baseline_;
    int64_t reset_ns_ = 0;
};

}  // namespace rl::serve
