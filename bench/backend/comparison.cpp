#include "bench/backend/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace rl::bench {
namespace {

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

template <class F>
double over_slices(const std::vector<Cost>& slices, F figure) {
    std::vector<double> values;
    for (const Cost& slice : slices) values.push_back(figure(slice));
    return median(std::move(values));
}

double each(uint64_t amount, uint64_t messages) { return messages == 0 ? 0 : static_cast<double>(amount) / static_cast<double>(messages); }

std::vector<double> ratios(const Row& base, const Row& row, double (Cost::*figure)() const) {
    std::vector<double> all;
    for (size_t i = 0; i < std::min(base.slices.size(), row.slices.size()); ++i) {
        const double own = (row.slices[i].*figure)();
        if (own > 0) all.push_back((base.slices[i].*figure)() / own);
    }
    return all;
}

}  // namespace

Row row_of(const Contender& contender) {
    Row row;
    row.name = contender.name();
    row.switches = contender.switches();
    row.slices = contender.slices();
    row.messages_per_second = over_slices(row.slices, [](const Cost& c) { return each(c.messages * 1'000'000'000, c.wall_ns); });
    row.cpu_us = over_slices(row.slices, [](const Cost& c) { return c.cpu_us(); });
    row.work_us = over_slices(row.slices, [](const Cost& c) { return c.work_us(); });
    row.idle = over_slices(row.slices, [](const Cost& c) { return each(c.idle_ns, c.wall_ns); });
    row.syscalls = over_slices(row.slices, [](const Cost& c) { return each(c.syscalls, c.messages); });
    row.p50_us = static_cast<double>(contender.latencies().value_at(50)) / 1e3;
    row.p99_us = static_cast<double>(contender.latencies().value_at(99)) / 1e3;
    row.p999_us = static_cast<double>(contender.latencies().value_at(99.9)) / 1e3;
    return row;
}

void relate(Table& table) {
    for (Row& row : table.rows) {
        const std::vector<double> all = ratios(table.rows.front(), row, &Cost::cpu_us);
        row.ratio = median(all);
        std::vector<double> distances;
        for (const double ratio : all) distances.push_back(std::abs(ratio - row.ratio));
        row.ratio_spread = median(std::move(distances));
        row.work_ratio = median(ratios(table.rows.front(), row, &Cost::work_us));
    }
}

std::string text_of(const Table& table) {
    char line[256];
    const Shape& shape = table.shape;
    std::snprintf(line, sizeof line, "\n%u connections, %u under way on each, %u octets\n\n", shape.connections, shape.depth, shape.size);
    std::string text = line;
    text +=
        "| contender                       | messages/s | CPU us | of it work us | idle | calls | p50 us | p99 us | p99.9 us | CPU x       "
        " | work x |\n";
    text +=
        "|---------------------------------|-----------:|-------:|--------------:|-----:|------:|-------:|-------:|---------:|-------------"
        ":|-------:|\n";
    for (const Row& row : table.rows) {
        std::snprintf(line, sizeof line,
                      "| %-31s | %10.0f | %6.3f | %13.3f | %3.0f%% | %5.3f | %6.0f | %6.0f | %8.0f | %5.3f +-%.3f | %6.3f |\n",
                      row.name.c_str(), row.messages_per_second, row.cpu_us, row.work_us, row.idle * 100, row.syscalls, row.p50_us,
                      row.p99_us, row.p999_us, row.ratio, row.ratio_spread, row.work_ratio);
        text += line;
    }
    return text;
}

bool write_json(const std::vector<Table>& tables, const std::string& path) {
    std::FILE* const file = std::fopen(path.c_str(), "w");
    if (file == nullptr) return false;
    std::fprintf(file, "[");
    for (const Table& table : tables) {
        std::fprintf(file, "%s\n {\"connections\": %u, \"depth\": %u, \"octets\": %u, \"contenders\": [",
                     &table == tables.data() ? "" : ",", table.shape.connections, table.shape.depth, table.shape.size);
        for (const Row& row : table.rows) {
            std::fprintf(
                file,
                "%s\n  {\"name\": \"%s\", \"switches\": \"%s\", \"messages_per_second\": %.0f, \"cpu_us\": %.4f, \"work_us\": %.4f, "
                "\"idle\": %.4f, \"syscalls\": %.4f, \"p50_us\": %.1f, \"p99_us\": %.1f, \"p999_us\": %.1f, \"cpu_ratio\": %.4f, "
                "\"cpu_ratio_mad\": %.4f, \"work_ratio\": %.4f}",
                &row == table.rows.data() ? "" : ",", row.name.c_str(), row.switches.c_str(), row.messages_per_second, row.cpu_us,
                row.work_us, row.idle, row.syscalls, row.p50_us, row.p99_us, row.p999_us, row.ratio, row.ratio_spread, row.work_ratio);
        }
        std::fprintf(file, "]}");
    }
    std::fprintf(file, "\n]\n");
    return std::fclose(file) == 0;
}

}  // namespace rl::bench
