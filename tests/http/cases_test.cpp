// The vectors of http1-vectors.json, each read whole, as it was sent, cut in two at every place, and octet by octet; the input always
// ends at an inaccessible page. tests/http/README.md tells how to read a vector.
#include <gtest/gtest.h>
#include <simdjson.h>

#include <functional>

#include "tests/http/owner.hpp"

namespace rl::test {
namespace {

namespace dom = simdjson::dom;

struct Expected {
    Outcome outcome;
    std::vector<bool> keep_alive_known;
    bool informational_known = false;
};

struct Vector {
    std::string id, kind, name;
    std::vector<std::string> chunks;
    std::deque<http::RequestKind> requests;
    Ending ending = Ending::none;
    std::vector<Expected> expected;
};

std::string latin1(std::string_view utf8) {
    std::string octets;
    for (size_t i = 0; i < utf8.size(); ++i) {
        const auto c = static_cast<unsigned char>(utf8[i]);
        if (c < 0x80)
            octets += utf8[i];
        else
            octets += static_cast<char>(static_cast<unsigned>(c) << 6 | (static_cast<unsigned char>(utf8[++i]) & 63u));
    }
    return octets;
}

std::string text(dom::element element) { return std::string(std::string_view(element)); }

http::RequestKind kind_of(std::string_view method) {
    if (method == "HEAD") return http::RequestKind::head;
    return method == "CONNECT" ? http::RequestKind::connect : http::RequestKind::normal;
}

Expected expected_of(dom::element json) {
    Expected expected;
    for (dom::element answer : dom::array(json["responses"])) {
        const bool known = !answer["keepalive"].is_null();
        expected.keep_alive_known.push_back(known);
        expected.outcome.answers.push_back(
            {static_cast<unsigned>(uint64_t(answer["status"])), uint64_t(answer["body_bytes"]), known && bool(answer["keepalive"])});
    }
    if (!json["error"].is_null()) expected.outcome.error = text(json["error"]);
    expected.informational_known = json["informational"].get(expected.outcome.informational) == simdjson::SUCCESS;
    return expected;
}

Vector vector_of(dom::element json) {
    Vector vector;
    vector.id = text(json["id"]);
    vector.kind = text(json["kind"]);
    vector.name = text(json["name"]);
    for (dom::element chunk : dom::array(json["chunks"])) vector.chunks.push_back(latin1(chunk));
    uint64_t outstanding = 0;
    if (json["outstanding"].get(outstanding) != simdjson::SUCCESS) outstanding = 1;
    dom::array methods;
    if (json["request_methods"].get(methods) == simdjson::SUCCESS) {
        for (dom::element method : methods) vector.requests.push_back(kind_of(method));
    } else {
        vector.requests.assign(outstanding, kind_of(json["request_method"]));
    }
    const std::string ending = text(json["close"]);
    vector.ending = ending == "fin" ? Ending::fin : ending == "rst" ? Ending::rst : Ending::none;
    dom::element one;
    dom::array any;
    if (json["expect"].get(one) == simdjson::SUCCESS) vector.expected.push_back(expected_of(one));
    if (json["expect_any"].get(any) == simdjson::SUCCESS) {
        for (dom::element each : any) vector.expected.push_back(expected_of(each));
    }
    return vector;
}

std::vector<Vector> load_vectors() {
    dom::parser parser;
    std::vector<Vector> vectors;
    for (dom::element json : dom::array(parser.load(RL_TEST_VECTORS))) vectors.push_back(vector_of(json));
    return vectors;
}

bool matches(const Outcome& got, const Expected& expected) {
    const Outcome& want = expected.outcome;
    if (got.error != want.error || got.answers.size() != want.answers.size()) return false;
    if (expected.informational_known && got.informational != want.informational) return false;
    for (size_t i = 0; i < got.answers.size(); ++i) {
        const Answer &a = got.answers[i], &b = want.answers[i];
        if (a.status != b.status || a.body_bytes != b.body_bytes) return false;
        if (expected.keep_alive_known[i] && a.keep_alive != b.keep_alive) return false;
    }
    return true;
}

std::string describe(const Outcome& outcome) {
    std::string line;
    for (const Answer& answer : outcome.answers) {
        line +=
            std::to_string(answer.status) + " with " + std::to_string(answer.body_bytes) + (answer.keep_alive ? " kept, " : " closed, ");
    }
    return line + "error \"" + outcome.error + "\", informational " + std::to_string(outcome.informational);
}

Outcome run(const Vector& vector, const std::vector<std::string_view>& pieces) {
    static GuardPage page(1 << 20);
    Owner owner(vector.requests, page);
    for (const std::string_view piece : pieces) owner.bytes(piece);
    owner.end(vector.ending);
    return owner.outcome;
}

class Cases : public testing::TestWithParam<Vector> {
  protected:
    void expect_right(const Outcome& got, const std::string& how) const {
        for (const Expected& expected : GetParam().expected) {
            if (matches(got, expected)) return;
        }
        ADD_FAILURE() << GetParam().name << ", " << how << ": " << describe(got);
    }
    std::string whole() const {
        std::string octets;
        for (const std::string& chunk : GetParam().chunks) octets += chunk;
        return octets;
    }
};

TEST_P(Cases, AsSent) {
    const std::vector<std::string_view> pieces(GetParam().chunks.begin(), GetParam().chunks.end());
    expect_right(run(GetParam(), pieces), "as sent");
}

TEST_P(Cases, Whole) {
    const std::string octets = whole();
    expect_right(run(GetParam(), {octets}), "whole");
}

TEST_P(Cases, CutInTwoEverywhere) {
    const std::string octets = whole();
    const std::string_view view = octets;
    const Outcome uncut = run(GetParam(), {view});
    for (size_t cut = 1; cut < view.size(); ++cut) {
        const Outcome got = run(GetParam(), {view.substr(0, cut), view.substr(cut)});
        expect_right(got, "cut at " + std::to_string(cut));
        EXPECT_EQ(describe(got), describe(uncut)) << "cut at " << cut;
        if (HasFailure()) return;
    }
}

TEST_P(Cases, OctetByOctet) {
    const std::string octets = whole();
    std::vector<std::string_view> pieces;
    for (size_t i = 0; i < octets.size(); ++i) pieces.emplace_back(octets.data() + i, 1);
    expect_right(run(GetParam(), pieces), "octet by octet");
}

std::string test_name(const testing::TestParamInfo<Vector>& info) {
    std::string name = info.param.id;
    for (char& c : name) {
        if (c == '-') c = '_';
    }
    return name;
}

INSTANTIATE_TEST_SUITE_P(Http1, Cases, testing::ValuesIn(load_vectors()), test_name);

TEST(CasesFile, HoldsAllVectors) { EXPECT_EQ(load_vectors().size(), 133u); }

}  // namespace
}  // namespace rl::test
