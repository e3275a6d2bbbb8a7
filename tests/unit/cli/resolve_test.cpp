// Words to a checked plan: values, exclusions, defaults, and the exact sentences of refusal.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/temporary_folder.hpp"
#include "tools/ringload/cli.hpp"
#include "tools/ringload/parts.hpp"
#include "tools/ringload/plan.hpp"

namespace rl::cli {
namespace {

using Words = std::vector<std::string>;
using engine::LoadModel;

constexpr const char* kUrl = "http://127.0.0.1:8080/a?b=1";

Result<Plan> plan_of(Words words) {
    auto line = scan(words, {}, DottedNames::tolerated);
    if (!line) return line.error();
    return resolve(*line);
}

Plan planned(Words words) {
    words.emplace_back(kUrl);
    auto plan = plan_of(std::move(words));
    EXPECT_TRUE(plan) << plan.error().text;
    return plan ? std::move(*plan) : Plan{};
}

std::string refused(Words words) {
    words.emplace_back(kUrl);
    const auto plan = plan_of(std::move(words));
    if (plan) return "accepted";
    EXPECT_EQ(plan.error().code, Error::usage);
    return plan.error().text;
}

std::string headers_of(const Plan& plan) {
    std::string out;
    for (const auto& [name, value] : plan.spec.request.headers) out.append(name).append("=").append(value).append(";");
    return out;
}

class TemporaryFile {
  public:
    explicit TemporaryFile(const std::string& content) : path_(folder_.add("body", content)) {}
    const std::string& path() const { return path_; }

  private:
    testing::TemporaryFolder folder_;
    std::string path_;
};

TEST(Resolve, Defaults) {
    const Plan plan = planned({});
    EXPECT_EQ(plan.spec.workers, 2U);
    EXPECT_EQ(plan.spec.connections, 10U);
    EXPECT_EQ(plan.spec.duration, 10 * kSecond);
    EXPECT_EQ(plan.spec.requests, 0U);
    EXPECT_EQ(plan.spec.timeout, 2 * kSecond);
    EXPECT_EQ(plan.spec.pipeline, 1U);
    EXPECT_EQ(plan.spec.load_model, LoadModel::closed);
    EXPECT_EQ(plan.spec.request.method, "GET");
    EXPECT_EQ(plan.spec.request.target, "/a?b=1");
    EXPECT_EQ(plan.spec.request.authority, "127.0.0.1:8080");
    EXPECT_EQ(plan.spec.host, "127.0.0.1");
    EXPECT_EQ(plan.spec.port, 8080);
    EXPECT_EQ(plan.spec.source, "static_url");
    EXPECT_EQ(plan.spec.pacer, "unlimited");
    EXPECT_EQ(plan.spec.backend, "auto");
    EXPECT_EQ(plan.reporter, "text");
    EXPECT_TRUE(plan.warnings.empty());
}

TEST(Resolve, LoadOptions) {
    const Plan plan = planned({"-t4", "-c100", "-d1m30s", "-n5000", "-T0", "--pipeline=8", "--requests-per-connection=5:9", "--seed=7"});
    EXPECT_EQ(plan.spec.workers, 4U);
    EXPECT_EQ(plan.spec.connections, 100U);
    EXPECT_EQ(plan.spec.duration, 90 * kSecond);
    EXPECT_EQ(plan.spec.requests, 5000U);
    EXPECT_EQ(plan.spec.timeout, 0);
    EXPECT_EQ(plan.spec.pipeline, 8U);
    EXPECT_EQ(plan.spec.requests_per_connection_min, 5U);
    EXPECT_EQ(plan.spec.requests_per_connection_max, 9U);
    EXPECT_EQ(plan.spec.seed, 7U);
}

TEST(Resolve, LargeCountsMayBeWrittenShort) {
    const Plan plan = planned({"-c2k", "-n", "3M", "-t1k", "--warmup-requests", "1k"});
    EXPECT_EQ(plan.spec.connections, 2000U);
    EXPECT_EQ(plan.spec.requests, 3'000'000U);
    EXPECT_EQ(plan.spec.workers, 1000U);
    EXPECT_EQ(plan.spec.warmup_requests, 1000U);
    EXPECT_EQ(refused({"-c", "2M"}), "-c: \"2M\" is too large; the most is 1000000");
    EXPECT_EQ(refused({"--pipeline", "1k"}), "--pipeline: \"1k\" is not a whole number");
}

TEST(Resolve, ACountAloneHasNoTimeLimit) { EXPECT_EQ(planned({"-n", "5"}).spec.duration, 0); }

TEST(Resolve, TheLastOfARepeatedOptionCounts) { EXPECT_EQ(planned({"-c", "5", "--concurrency=7"}).spec.connections, 7U); }

TEST(Resolve, ARateMakesASchedule) {
    const Plan scheduled = planned({"-R", "30/m"});
    EXPECT_DOUBLE_EQ(scheduled.spec.rate, 0.5);
    EXPECT_EQ(scheduled.spec.load_model, LoadModel::scheduled);
    EXPECT_EQ(scheduled.spec.pacer, "constant");
    const Plan capped = planned({"-R", "5k", "--load-model", "closed"});
    EXPECT_EQ(capped.spec.load_model, LoadModel::closed);
    EXPECT_EQ(capped.spec.pacer, "constant");
    EXPECT_EQ(refused({"--load-model", "scheduled"}), "--load-model scheduled: needs a rate; add -R RATE or --stages");
    EXPECT_EQ(refused({"--load-model", "open"}), "--load-model open: needs a rate; add -R RATE or --stages");
    EXPECT_EQ(refused({"--load-model", "half"}), "--load-model: \"half\" is none of closed, scheduled, open");
}

std::string option_of(const Plan& plan, std::string_view option) {
    for (const auto& given : plan.spec.plugin_options) {
        if (given.owner == "stages" && given.option == option) return given.value;
    }
    return "";
}

TEST(Resolve, StagesMakeATimelineAsLongAsTheyAre) {
    const Plan plan = planned({"--stages", "10s:100,500ms:0..1k,1m:30/m"});
    ASSERT_EQ(plan.spec.stages.size(), 3U);
    EXPECT_EQ(plan.spec.stages[1].length, 500 * kMillisecond);
    EXPECT_DOUBLE_EQ(plan.spec.stages[1].to, 1000);
    EXPECT_EQ(plan.spec.duration, 70 * kSecond + 500 * kMillisecond);
    EXPECT_EQ(plan.spec.load_model, LoadModel::scheduled);
    EXPECT_EQ(plan.spec.pacer, "stages");
    EXPECT_EQ(option_of(plan, "profile"), "10:100,0.5:0..1000,60:0.5");
    EXPECT_EQ(option_of(plan, "arrival"), "");
    EXPECT_EQ(planned({"--stages", "10s:5", "-d", "3s"}).spec.duration, 3 * kSecond);
    EXPECT_EQ(planned({"--stages", "10s:5", "-n", "7"}).spec.duration, 0);
    EXPECT_EQ(option_of(planned({"--replay-stages=1:5", "--arrival", "poisson"}), "arrival"), "poisson");
}

TEST(Resolve, AStageThatIsNoneIsNamed) {
    const std::string form = "; a stage is TIME:RATE, as 10s:100, or TIME:FROM..TO";
    EXPECT_EQ(refused({"--stages", "10s"}), "--stages: \"10s\": the rate is missing" + form);
    EXPECT_EQ(refused({"--stages", "0:5"}), "--stages: \"0:5\": its time is zero" + form);
    EXPECT_EQ(refused({"--stages", "1s:5,"}), "--stages: \"\": the rate is missing" + form);
    EXPECT_EQ(refused({"--stages", ""}), "--stages: \"\": the rate is missing" + form);
    EXPECT_EQ(refused({"--stages", "1s:2G"}), "--stages: \"1s:2G\": that is too fast; the most is 1G/s" + form);
    EXPECT_EQ(refused({"--stages", "1s:0,5s:0"}), "--stages 1s:0,5s:0: no stage has a rate above zero");
    EXPECT_EQ(refused({"--stages", "8760h:1,1s:1"}), "--stages 8760h:1,1s:1: the stages are too long together; the most is 8760h");
    for (const char* stage : {"1s:-5", "1s:nan", "1s:5..", "1s:..5", "1s:5..6..7", "-1s:5", "x:5", "1s:1e99"}) {
        EXPECT_NE(refused({"--stages", stage}).find("--stages"), std::string::npos) << stage;
    }
}

TEST(Resolve, OnePacingAtATime) {
    EXPECT_EQ(refused({"-R", "5", "--stages", "1s:5"}), "-R and --stages: both say when requests are due; leave one out");
    EXPECT_EQ(refused({"--stages", "1s:5", "--spread", "-n", "5", "-d", "5"}),
              "--stages and --spread: both say when requests are due; leave one out");
    EXPECT_EQ(refused({"--stages", "1s:5", "--pacer", "constant"}), "--stages and --pacer: stages are the pacer stages; leave one out");
    EXPECT_EQ(refused({"--arrival", "poisson"}), "--arrival poisson: needs a rate; add -R RATE or --stages");
    EXPECT_EQ(refused({"--spread", "-n", "5", "-d", "5", "--arrival", "poisson"}),
              "--spread and --arrival: random arrivals do not add up to a number; leave one out");
    EXPECT_EQ(refused({"--save", "-"}), "--save -: a file name is needed; - is standard output for -O only");
    EXPECT_EQ(refused({"--spread", "-n", "5"}), "--spread: needs -n and -d: it spreads that many over that time");
    EXPECT_EQ(planned({"--arrival", "poisson", "-R", "5"}).spec.pacer, "poisson");
    const Plan spread = planned({"--spread", "-n", "600", "-d", "1m"});
    EXPECT_DOUBLE_EQ(spread.spec.rate, 10);
    EXPECT_EQ(spread.spec.pacer, "constant");
    EXPECT_EQ(spread.spec.load_model, LoadModel::scheduled);
}

TEST(Resolve, WhatNeedsAScheduleSaysSo) {
    EXPECT_EQ(refused({"--deadline", "1s"}), "--deadline 1s: needs a schedule; add -R RATE or --stages");
    EXPECT_EQ(refused({"--deadline", "1s", "-R", "5", "--load-model", "closed"}),
              "--deadline and --load-model: in the closed model no request is late; leave one out");
    EXPECT_EQ(planned({"--deadline", "1s", "-R", "5", "--load-model", "open"}).spec.load_model, LoadModel::open);
    EXPECT_EQ(refused({"--ramp-up", "10s"}),
              "--ramp-up 10s: is as long as the run, so that some connections would never start; lengthen -d");
    EXPECT_EQ(planned({"-e", "5s"}).spec.ramp_up, 5 * kSecond);
    EXPECT_EQ(planned({"--warmup", "1s", "--warmup-requests", "9"}).spec.warmup_requests, 9U);
    EXPECT_EQ(refused({"--warmup", "0"}), "--warmup 0: it must be above zero");
    for (const char* rate : {"0", "-1", "nan", "1e99", "inf", ""}) {
        EXPECT_NE(refused({"--rate", rate}).find("--rate"), std::string::npos) << rate;
    }
}

TEST(Resolve, APacerByNameSettlesTheLoadModelAndMustKeepTheRate) {
    rl_pacer_ops unlimited{}, timeline{};
    unlimited.flags = RL_PACER_UNLIMITED;
    const auto settled = [](const Words& words, const rl_pacer_ops& pacer) -> std::string {
        Plan plan = planned(words);
        const auto result = settle_pacing(plan, pacer);
        if (!result) return result.error().text;
        return plan.spec.load_model == LoadModel::scheduled ? "scheduled" : "closed";
    };
    EXPECT_EQ(settled({"-R", "5k", "--pacer", "unlimited"}, unlimited),
              "-R 5k and --pacer unlimited: that pacer sends as fast as it can, whatever the rate; leave one out");
    EXPECT_EQ(settled({"--pacer", "unlimited"}, unlimited), "closed");
    EXPECT_EQ(settled({"--pacer", "steps"}, timeline), "scheduled");
    EXPECT_EQ(settled({"--pacer", "steps", "--load-model", "closed"}, timeline), "closed");
    EXPECT_EQ(settled({"--pacer", "steps", "-R", "5"}, timeline), "scheduled");
    EXPECT_EQ(settled({}, unlimited), "closed");
}

TEST(Resolve, ThreadsAreLoweredToConnectionsAndSaidOnlyIfAskedFor) {
    const Plan asked = planned({"-t", "8", "-c", "3"});
    EXPECT_EQ(asked.spec.workers, 3U);
    ASSERT_EQ(asked.warnings.size(), 1U);
    EXPECT_EQ(asked.warnings[0], "Threads were lowered from 8 to 3: each needs a connection of its own; raise -c.");
    const Plan silent = planned({"-c", "1"});
    EXPECT_EQ(silent.spec.workers, 1U);
    EXPECT_TRUE(silent.warnings.empty());
}

TEST(Resolve, NumbersAreRefusedByName) {
    const std::array<std::pair<Words, std::string>, 24> cases = {{
        {{"-t", "30s"}, "-t 30s: a thread count is a whole number; for a run time use -d 30s"},
        {{"-t30s"}, "-t 30s: a thread count is a whole number; for a run time use -d 30s"},
        {{"--workers", "5.5"}, "--workers 5.5: a thread count is a whole number"},
        {{"-t", "0"}, "-t: \"0\" is too small; the least is 1"},
        {{"-t", "1025"}, "-t: \"1025\" is too large; the most is 1024"},
        {{"-c", "old.yml"}, "-c old.yml: a connection count is a whole number"},
        {{"-c", "0"}, "-c: \"0\" is too small; the least is 1"},
        {{"-n", "0"}, "-n: \"0\" is too small; the least is 1"},
        {{"-n", "-5"}, "-n: \"-5\" is negative; the least is 1"},
        {{"-n", ""}, "-n: \"\" is empty; a whole number is needed"},
        {{"-c", "99999999999999999999"}, "-c: \"99999999999999999999\" is too large; the most is 1000000"},
        {{"-t", "-"}, "-t -: a thread count is a whole number"},
        {{"-q", "-5"}, "-q: \"-5\" is negative; a rate is above zero"},
        {{"-q", ""}, "-q: \"\" is empty; rates are written like 500, 0.5, 1k, 1.2M, 500/s or 30/m"},
        {{"-n", "10s"}, "-n 10s: a request count is a whole number; for a run time use -d 10s"},
        {{"--pipeline", "65"}, "--pipeline: \"65\" is too large; the most is 64"},
        {{"-d", "0"}, "-d 0: it must be above zero"},
        {{"-d", "a=1&b=2"}, "-d a=1&b=2: is a run time; for a request body use --data"},
        {{"-d", "9000h"}, "-d: \"9000h\" is too long; the most is 8760h"},
        {{"-q", "--quiet=x"}, "-q --quiet=x: is a rate in requests per second; for no output use --quiet"},
        {{"-R", "1000G"}, "-R: \"1000G\" is too fast; the most is 1G/s"},
        {{"-R", "0.001/h"}, "-R: \"0.001/h\" is too slow; the least is 0.000001/s"},
        {{"--requests-per-connection", "9:5"}, "--requests-per-connection: \"9:5\" runs backwards; write the smaller number first"},
        {{"--requests-per-connection", "9:"}, "--requests-per-connection: \"\" is empty; a whole number is needed"},
    }};
    for (const auto& [words, text] : cases) EXPECT_EQ(refused(words), text);
}

TEST(Resolve, OtherToolsHabitsAtTheOutputFormat) {
    EXPECT_EQ(refused({"-o", "10"}), "-o 10: is an output format; for a timeout use -T 10");
    EXPECT_EQ(refused({"-o", "5s"}), "-o 5s: is an output format; for a timeout use -T 5s");
}

TEST(Resolve, UrlMustBeOne) {
    EXPECT_EQ(plan_of({}).error().text, "no URL given; write for example: ringload http://127.0.0.1:8080/");
    EXPECT_EQ(refused({"http://h/"}), "two URLs given, http://h/ and http://127.0.0.1:8080/a?b=1: a run has one target; leave one out");
    EXPECT_EQ(refused({"http://me:secret@h/"}),
              "two URLs given, http://***@h/ and http://127.0.0.1:8080/a?b=1: a run has one target; leave one out");
    EXPECT_EQ(plan_of({"h/a?b=@c", "me:secret@h"}).error().text, "two URLs given, h/a?b=@c and ***@h: a run has one target; leave one out");
    EXPECT_EQ(plan_of({"list"}).error().text, "list: a command must be the first word; for a host of that name write http://list");
#if defined(RL_TLS)
    EXPECT_TRUE(plan_of({"https://h/", "--insecure"})->spec.secure);
#else
    EXPECT_EQ(plan_of({"https://h/"}).error().text,
              "https://h/: TLS is not built into this binary; use an http:// URL, or build with -Dtls=enabled");
#endif
}

TEST(Resolve, HeadersKeepTheirOrderAndCommas) {
    const Plan plan = planned({"-H", "Accept: a, b", "--headers", "X-Empty:", "-HX-Tab:\tv \t", "-H", "accept: c"});
    EXPECT_EQ(headers_of(plan), "Accept=a, b;X-Empty=;X-Tab=v;accept=c;");
}

TEST(Resolve, HostSetsTheAuthority) {
    EXPECT_EQ(planned({"-H", "host: example.org:81"}).spec.request.authority, "example.org:81");
    EXPECT_EQ(refused({"-H", "Host: a b"}), "-H Host: a b: a Host value is HOST or HOST:PORT");
    EXPECT_EQ(refused({"-H", "Host:"}), "-H Host:: a Host value is HOST or HOST:PORT");
}

TEST(Resolve, ConnectionSetsTheUseOfConnections) {
    EXPECT_TRUE(planned({"-H", "Connection: Close"}).spec.request.close_after);
    EXPECT_FALSE(planned({"-H", "Connection: keep-alive"}).spec.request.close_after);
    EXPECT_EQ(headers_of(planned({"-H", "Connection: close"})), "");
    EXPECT_EQ(refused({"-H", "Connection: upgrade"}),
              "-H Connection: upgrade: the Connection field is ringload's own but for close and keep-alive");
    EXPECT_EQ(refused({"--disable-keepalive", "-H", "Connection: keep-alive"}),
              "-H Connection: keep-alive: contradicts --disable-keepalive; leave one out");
    EXPECT_TRUE(planned({"-H", "Connection: close", "-H", "connection: CLOSE"}).spec.request.close_after);
    EXPECT_EQ(refused({"-H", "Connection: close", "-H", "Connection: keep-alive"}),
              "-H Connection: keep-alive: contradicts Connection: close before it; leave one out");
}

TEST(Resolve, OneRequestPerConnection) {
    const Plan plan = planned({"--disable-keep-alive"});
    EXPECT_TRUE(plan.spec.request.close_after);
    EXPECT_EQ(plan.spec.requests_per_connection_max, 1U);
    EXPECT_EQ(refused({"--disable-keepalive", "--pipeline", "2"}),
              "--pipeline 2: pipelining needs connections that are kept; leave out --disable-keepalive and Connection: close");
    EXPECT_EQ(refused({"--disable-keepalive", "--requests-per-connection", "2"}),
              "--disable-keepalive and --requests-per-connection: the first is one request per connection already; leave one out");
}

TEST(Resolve, ManagedHeadersAreRefused) {
    for (const char* name : {"Content-Length", "transfer-encoding", "Trailer", "EXPECT", "Upgrade", "Keep-Alive", "Proxy-Connection"}) {
        EXPECT_EQ(refused({"-H", std::string(name) + ": 1"}),
                  std::string("-H ") + name + ": 1: " + name + " is set by ringload itself and cannot be given");
    }
}

TEST(Resolve, BrokenHeadersAreRefused) {
    const std::string token = ": a field name is letters, digits and !#$%&'*+-.^_`|~, with no blank before the colon";
    EXPECT_EQ(refused({"-H", "NoColon"}), "-H NoColon: a header field is written 'Name: value'");
    EXPECT_EQ(refused({"-H", "A B: c"}), "-H A B: c" + token);
    EXPECT_EQ(refused({"-H", "A : c"}), "-H A : c" + token);
    EXPECT_EQ(refused({"-H", ": c"}), "-H : c" + token);
    const std::string control = ": a header field may not hold a line end or another control character";
    EXPECT_EQ(refused({"-H", "A: b\r\nEvil: c"}), "-H A: b??Evil: c" + control);
    EXPECT_EQ(refused({"-H", "A: b\nc"}), "-H A: b?c" + control);
    EXPECT_EQ(refused({"-H", std::string("A: b\0c", 6)}), "-H A: b?c" + control);
}

TEST(Resolve, DataIsAFormAndJoins) {
    const Plan plan = planned({"--data", "a=1", "--data=b=2"});
    EXPECT_EQ(plan.spec.request.method, "POST");
    EXPECT_EQ(plan.spec.request.body, "a=1&b=2");
    EXPECT_EQ(headers_of(plan), "Content-Type=application/x-www-form-urlencoded;");
    EXPECT_EQ(headers_of(planned({"--data", "{}", "-H", "content-type: application/json"})), "content-type=application/json;");
    const Plan empty = planned({"--data="});
    EXPECT_TRUE(empty.spec.request.has_body);
    EXPECT_EQ(empty.spec.request.body, "");
    EXPECT_EQ(refused({"--data", "@f"}), "--data @f: takes text; for a file use --data-binary @f, for text that begins with @ use --body");
}

TEST(Resolve, BodiesFromTextAndFile) {
    const std::string bytes("\0\r\n\xff", 4);
    const TemporaryFile file(bytes);
    EXPECT_EQ(planned({"--body-file", file.path()}).spec.request.body, bytes);
    const Plan binary = planned({"--data-binary", "@" + file.path(), "-X", "PUT"});
    EXPECT_EQ(binary.spec.request.body, bytes);
    EXPECT_EQ(binary.spec.request.method, "PUT");
    EXPECT_EQ(planned({"-b", "@x"}).spec.request.body, "@x");
    EXPECT_EQ(headers_of(planned({"-b", "x"})), "");
    // What stands behind the colon is the system's.
    EXPECT_TRUE(refused({"--body-file", "/no/such"}).starts_with("--body-file /no/such: cannot open /no/such: "));
    EXPECT_TRUE(refused({"--body-file", "/"}).starts_with("--body-file /: cannot read /: "));
    EXPECT_EQ(refused({"--data-binary", "@"}), "--data-binary @: a file name is needed");
}

TEST(Resolve, OneBodyAndAMethodThatHasOne) {
    EXPECT_EQ(refused({"--data", "a", "-b", "b"}), "--data and -b: a request has one body; leave one out");
    EXPECT_EQ(refused({"-b", "a", "-b", "b"}), "-b and -b: a request has one body; leave one out");
    EXPECT_EQ(refused({"-X", "GET", "-b", ""}), "-X GET: a GET request has no body; choose another method or leave the body out");
    EXPECT_EQ(refused({"-X", "HEAD", "--data", "a"}), "-X HEAD: a HEAD request has no body; choose another method or leave the body out");
    EXPECT_EQ(refused({"-X", "BAD METHOD"}), "-X BAD METHOD: a method is one word, such as GET or POST");
    EXPECT_EQ(refused({"-X", ""}), "-X: a method is one word, such as GET or POST");
    EXPECT_EQ(planned({"-m", "PURGE"}).spec.request.method, "PURGE");
}

TEST(Resolve, ReporterAndOutputs) {
    EXPECT_EQ(planned({"--json"}).reporter, "json");
    EXPECT_EQ(planned({"--json", "-o", "json", "--reporter=json"}).reporter, "json");
    EXPECT_EQ(planned({"-o", "json", "-o", "text"}).reporter, "text");
    EXPECT_EQ(planned({"--quiet"}).reporter, "quiet");
    EXPECT_EQ(planned({"--quiet", "-o", "json"}).reporter, "json");
    EXPECT_EQ(planned({"--quiet", "-O", "f"}).reporter, "text");
    EXPECT_EQ(planned({"--quiet"}).progress, Progress::never);
    EXPECT_EQ(planned({"--progress"}).progress, Progress::always);
    EXPECT_EQ(refused({"--json", "-o", "text"}), "--json and -o: they ask for different reports, json and text; leave one out");
    EXPECT_EQ(refused({"-o", "quiet", "-O", "f"}), "-O f: the output format quiet writes nothing; choose another with -o");
    EXPECT_EQ(refused({"-O", "f", "--save", "./f"}), "-O and --save: both would write f; name two files");
    EXPECT_EQ(refused({"-O", ""}), "-O: a file name is needed");
    EXPECT_EQ(refused({"--progress", "--no-progress"}), "--progress and --no-progress: they contradict each other");
    EXPECT_EQ(refused({"--progress", "--quiet"}), "--progress and --quiet: they contradict each other");
}

TEST(Resolve, WaitAndPin) {
    EXPECT_EQ(planned({"--wait", "spin"}).spec.wait, engine::Wait::spin);
    EXPECT_EQ(refused({"--wait", "long"}), "--wait: \"long\" is none of auto, sleep, spin, batch");
    EXPECT_EQ(planned({"--pin", "none"}).spec.pin, engine::Pin::none);
    EXPECT_EQ(refused({"--pin", "1-"}), "--pin: \"\" is empty; a whole number is needed; write auto, none, or a list as 0,2-5");
    EXPECT_NE(refused({"--pin", "65535"}).find("CPU 65535 is not one that this process may use"), std::string::npos);
}

TEST(Resolve, LongValuesAreShortenedInMessages) {
    const std::string text = refused({"-H", std::string(5000, 'x')});
    EXPECT_EQ(text, "-H " + std::string(40, 'x') + "...: a header field is written 'Name: value'");
}

}  // namespace
}  // namespace rl::cli
