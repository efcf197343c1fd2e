// A record that another rank of the worker library gave, over any transport, and the check that it belongs to
// this call.
#include "target.hpp"
#include "worker/error.hpp"
#include "worker/phase.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace {

using namespace muster;
using namespace muster::worker;

constexpr int hostile = 1;  // the one of three ranks that gave the input

class InputTransport : public Transport {
 public:
  explicit InputTransport(Bytes input) : input_(std::move(input)) {}

  muster_transport kind() const override { return MUSTER_TRANSPORT_TCP; }
  const RankInfo& rank_info() const override { return info_; }
  std::vector<Bytes> exchange(const Phase& /*phase*/, std::span<const std::byte> mine,
                              std::span<const int> wanted, const Deadline& /*deadline*/) override {
    std::vector<Bytes> all;
    for (const int rank : wanted) {
      auto theirs = decode(mine, 0, [](int) { return std::string(); });
      theirs.rank = rank;
      all.push_back(rank == hostile ? input_ : encode(theirs));
    }
    return all;
  }
  std::vector<int> local_ranks() const override { return {}; }
  std::string node_of(int /*rank*/) const override { return "node1"; }
  void abort(int /*code*/, const std::string& /*reason*/, const Deadline&) override {}
  void finalize(const Deadline&) override {}

 private:
  Bytes input_;
  RankInfo info_{.rank = 0, .size = 3, .node = "node0", .address = "10.0.0.1"};
};

// Compares everything except two bytes that no release reads.
bool same(Bytes encoded, Bytes input) {
  constexpr std::size_t unread = 26;
  for (auto* const bytes : {&encoded, &input}) {
    std::fill_n(bytes->begin() + unread, 2, std::byte{});
  }
  return encoded == input;
}

void read_input(std::string_view text) {
  const auto view = std::as_bytes(std::span{text});
  const Bytes input(view.begin(), view.end());
  try {
    const auto record = decode(input, hostile, [](int) { return std::string("node1"); });
    fuzz::expect(same(encode(record), input), "a record has two forms");
    InputTransport transport(input);
    Phases phases(transport);
    const std::array<int, 1> wanted{hostile};
    const auto all = phases.run({.tag = "barrier", .what = "barrier"}, {}, wanted,
                                Deadline{std::chrono::seconds{1}});
    fuzz::expect(all.size() == 1 && all[0].tag == "barrier", "a rank in another call is taken");
  } catch (const Error& refusal) {
    fuzz::expect_one_line(refusal.what());
  }
}

std::string text_of(const Record& record) {
  const auto bytes = encode(record);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  Record record{.version = 1,
                .phase = 1,
                .rank = hostile,
                .size = 3,
                .tag = "barrier",
                .address = "10.0.0.2",
                .payload = {}};
  std::vector<std::string> all{text_of(record)};
  record.tag = "exchange:shapes";
  record.expected = 4;
  record.payload = Bytes(4);
  all.push_back(text_of(record));
  return all;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::one_input(data, size, {.base = 1U << 20, .per_byte = 256}, read_input);
}
