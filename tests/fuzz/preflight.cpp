// What the nodes of a preflight, their supervisor, and muster-preflight-nccl send to each other. The first
// letter of an input says what it is. The verdicts on nodes' messages are tested as well.
#include "core/preflight/verdict.hpp"
#include "launcher/tools/preflight/nccl/words.hpp"
#include "launcher/tools/preflight/order.hpp"
#include "target.hpp"

namespace {

using namespace muster;
using namespace muster::preflight;

// What is read comes back the same, except for figures with more digits than are written.
template <class Value, class Read>
void read_twice(std::string_view text, Read read) {
  const std::optional<Value> value = read(text);
  if (!value) return;
  const auto again = read(to_text(*value));
  fuzz::expect(again && to_text(*again) == to_text(*value), "a text changes");
}

void read_orders(std::string_view text) {
  read_twice<TestOrder>(text, test_order);
  read_twice<NcclOrder>(text, nccl_order);
  read_twice<NcclStartOrder>(text, nccl_start_order);
  read_twice<Hello>(text, hello_from);
}

void read_program(std::string_view text) {
  if (const auto order = nccl::order_in(text))
    fuzz::expect(nccl::order_in(nccl::to_line(*order)) == order, "an order changes");
  if (const auto answer = nccl::answer_in(text)) {
    const auto line = nccl::to_line(*answer);
    fuzz::expect_one_line(line);
    const auto again = nccl::answer_in(line);
    fuzz::expect(again && nccl::to_line(*again) == line, "an answer changes");
  }
}

// Lines of reports and starts, from the nodes in turn, and the remarks about them.
void read_observation(std::string_view text) {
  constexpr NodeIndex nodes = 6;
  constexpr std::size_t max_tests = 60;
  Observation seen;
  for (NodeIndex node = 0; node < nodes; ++node) seen.nodes.push_back("n" + std::to_string(node));
  seen.answered.assign(nodes, true);
  seen.locals.resize(nodes);
  seen.work.resize(nodes);
  seen.nccl.has_gpu.assign(nodes, true);
  seen.nccl.starts.resize(nodes);
  seen.nccl.start_limit = seen.nccl.test_limit = 2500;
  for (NodeIndex node = 0; !text.empty(); node = (node + 1) % nodes) {
    const auto line = fuzz::take_until(text, '\n');
    read_twice<NcclStart>(line, nccl_start);
    read_twice<NcclReport>(line, nccl_report);
    if (auto start = nccl_start(line)) seen.nccl.starts[node] = std::move(*start);
    const auto report = nccl_report(line);
    if (!report || seen.nccl.tests.size() >= max_tests) continue;
    const auto round = static_cast<std::uint32_t>(seen.nccl.tests.size() / 3);
    seen.nccl.tests.push_back(
        {{node, (node + 1 + round) % nodes, round, report->report.measure, report->report.failure},
         report->time,
         report->late});
  }
  for (const auto& verdict : verdicts(seen)) {
    if (!verdict.what.empty()) fuzz::expect_one_line(verdict.what);
  }
  for (const auto& line : nccl_lines(seen.nccl, seen.nodes)) {
    if (!line.empty()) fuzz::expect_one_line(line);
  }
}

void read_input(std::string_view text) {
  if (text.empty()) return;
  const auto rest = text.substr(1);
  switch (text.front()) {
    case 'o':
      return read_orders(rest);
    case 'p':
      return read_program(rest);
    case 'l':
      static_cast<void>(local_from_text(rest));
      return;
    default:
      return read_observation(rest);
  }
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  const channel::Address place{4711, {"10.1.2.3", "fd00::1"}};
  const std::string key(64, 'a');
  std::string all = "n";
  for (int i = 0; i < 6; ++i)
    all += to_text(NcclStart{NcclStart::State::ready, 600, 22809, 4711, {}}) + '\n';
  for (std::uint32_t i = 0; i < 12; ++i) {
    all += to_text(NcclReport{700, false, {i, 0, Measure{25, 27, 0, 2e10}, ""}}) + '\n';
    if (i % 4 == 0) all += to_text(NcclReport{2500, true, {i, 0, {}, "not done"}}) + '\n';
  }
  return {"o" + to_text(TestOrder{3, true, true, place}),
          "o" + to_text(NcclOrder{3, true, false, place}),
          "o" + to_text(nccl_limits(std::chrono::seconds(10))),
          "o" + to_text(Hello{"node7", place, true}),
          "p" + nccl::to_line(
                    nccl::Order{1, false, std::chrono::milliseconds(2500), "[fd00::1]:4711", key}),
          "p" + nccl::to_line(nccl::Answer{nccl::Outcome::measured, 0, {25.5, 27, 2e10}, {}}),
          "p" + nccl::to_line(nccl::Answer{nccl::Outcome::failed, 0, {}, "cuInit: x"}),
          "l" + to_text(Local{{{Severity::failing, "/scratch: x"}}, {{"gpu.count", 8}}}),
          "n" + to_text(NcclStart{NcclStart::State::failed, 20, 0, 0, "cuInit: x"}) + '\n',
          all};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::one_input(data, size, {.base = 1U << 20, .per_byte = 16384}, read_input);
}
