#include "tools/rl_plugin_check/life_cycle.hpp"

#include <cstring>

namespace rl::plugin_check {

void Progress::enter(const char* name) noexcept {
    const size_t n = ::strnlen(name, sizeof step - 1);
    std::memcpy(step, name, n);
    step[n] = '\0';
}

engine::RunSpec scripted_run() {
    engine::RunSpec run;
    run.request.url = "http://127.0.0.1:8080/check?plug=in";
    run.request.target = "/check?plug=in";
    run.request.authority = "127.0.0.1:8080";
    run.request.headers = {{"X-Check", "one"}, {"X-Check", "two"}};
    run.host = "127.0.0.1";
    run.port = 8080;
    run.workers = 3;
    run.duration = 2 * kSecond;
    run.rate = 1000;
    run.load_model = engine::LoadModel::scheduled;
    return run;
}

}  // namespace rl::plugin_check
