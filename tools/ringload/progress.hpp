// The progress line on stderr: rewritten once a second on a terminal and erased at the end; plain lines on a terminal that cannot
// do that (TERM=dumb), and where it was asked for and stderr is no terminal. Control thread.
#pragma once

#include <cstdint>
#include <string>

#include "core/engine/run_result.hpp"
#include "tools/ringload/plan.hpp"

namespace rl::cli {

struct ProgressFigures {
    Nanos at = 0, duration = 0;               // duration 0: no time limit
    uint64_t requests = 0, requests_max = 0;  // done so far; 0: no limit
    double per_second = 0;                    // answers in the last interval
    uint64_t p50_ns = 0, p99_ns = 0;          // of the last interval; 0 without answers
    uint64_t failed = 0;                      // so far: bad statuses and transport errors
};

enum class Bar : uint8_t { drawn, drawn_in_ascii, left_out };

// Never wider than `width` columns; parts are left out from the right. The bar takes what is left over, if that is enough to see.
std::string progress_text(const ProgressFigures& figures, unsigned width, Bar bar, bool color);

class ProgressLine {
  public:
    ProgressLine(const Plan& plan);
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;
    ~ProgressLine() { erase(); }

    void begin();
    void add(const engine::Sample& interval);
    void erase();  // leaves the cursor at the start of an empty line; before anything else is written to the terminal

  private:
    void show();

    ProgressFigures figures_;
    bool enabled_, rewritten_, color_;
    bool shown_ = false;
};

// Not with NO_COLOR, --no-color or a dumb terminal.
bool color_allowed(const Plan& plan);

}  // namespace rl::cli
