// Who takes part in the comparison of backends, and how its figures are put together and shown.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/backend/contender.hpp"

namespace rl::bench {

struct Row {
    std::string name, switches;
    std::vector<Cost> slices;
    double messages_per_second = 0, cpu_us = 0, work_us = 0, idle = 0, syscalls = 0;  // medians over the slices; idle: share of the time
    double p50_us = 0, p99_us = 0, p999_us = 0;                                       // over all slices
    double ratio = 0, ratio_spread = 0;  // CPU of the first row over that of this one, within a round: median, and median distance from it
    double work_ratio = 0;               // the same without what was idle
};
struct Table {
    Shape shape;
    std::vector<Row> rows;  // the first one is the base
};

// In the order of the rows. `only`: those of these names, empty for all; the base always takes part.
std::vector<std::unique_ptr<Contender>> contenders(Shape shape, const std::vector<std::string>& only);

Row row_of(const Contender& contender);
void relate(Table& table);
std::string text_of(const Table& table);
bool write_json(const std::vector<Table>& tables, const std::string& path);

}  // namespace rl::bench
