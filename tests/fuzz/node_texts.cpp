// What the agents of one step, and the tasks of `muster exec`, send each other as text, after the sender has
// proved that it has the key. The first letter of an input says what it is.
#include "core/plan/step_plan.hpp"
#include "launcher/agent/rendezvous/addresses.hpp"
#include "launcher/agent/rendezvous/words.hpp"
#include "launcher/tools/exec/task_report.hpp"
#include "target.hpp"

namespace {

using namespace muster;

void read_offer(std::string_view text) {
  const auto offer = rendezvous::offer_from_text(text);
  if (!offer) return;
  fuzz::expect(offer->addresses.size() <= node::max_node_addresses, "too many addresses");
  const auto again = rendezvous::offer_from_text(to_text(*offer));
  fuzz::expect(again && to_text(*again) == to_text(*offer), "an offer changes");
}

void read_report(std::string_view text) {
  const auto report = rendezvous::report_from_text(text);
  if (!report) return;
  const auto again = rendezvous::report_from_text(to_text(*report));
  fuzz::expect(again && to_text(*again) == to_text(*report), "a report changes");
}

void read_welcome(std::string_view text) {
  const auto welcome = to_text(rendezvous::welcome_from(text, "node0"));
  fuzz::expect(to_text(rendezvous::welcome_from(welcome, "node0")) == welcome, "a welcome changes");
}

void read_go(std::string_view text) {
  const auto go = to_text(rendezvous::go_from(text, "node0"));
  fuzz::expect(to_text(rendezvous::go_from(go, "node0")) == go, "a verdict changes");
}

void read_relay_report(std::string_view text) {
  const auto report = rendezvous::relay_report_from(text, "node1");
  const auto again = rendezvous::relay_report_from(to_text(report), "node1");
  fuzz::expect(to_text(again) == to_text(report), "a relay's report changes");
  const auto* const joined = std::get_if<rendezvous::Joined>(&report);
  if (joined == nullptr) return;
  std::vector<rendezvous::NamedReport> named;
  for (const auto& [node, each] : joined->reports) named.push_back({std::to_string(node), each});
  rendezvous::merge_warnings(named);
  rendezvous::merge_failures(named);
}

void read_task(std::string_view text) {
  const auto report = exec::decode_report(text);
  if (!report) return;
  fuzz::expect(exec::decode_report(exec::encode(*report)) == report, "a task's report changes");
}

void read_plan(std::string_view text) {
  const auto step = plan::step_plan_from_texts({std::string(text)});
  const auto texts = plan::to_text(step.nodes.at(0), step.rendezvous, step.profile);
  const auto again = plan::step_plan_from_texts({texts});
  fuzz::expect(plan::to_text(again.nodes.at(0), again.rendezvous, again.profile) == texts,
               "a plan changes");
}

void read_input(std::string_view text) {
  if (text.empty()) return;
  const auto rest = text.substr(1);
  switch (text.front()) {
    case 'o':
      return read_offer(rest);
    case 'r':
      return read_report(rest);
    case 'R':
      return read_relay_report(rest);
    case 'w':
      return read_welcome(rest);
    case 'g':
      return read_go(rest);
    case 't':
      return read_task(rest);
    default:
      return read_plan(rest);
  }
}

std::string planned_node() {
  plan::NodePlan node;
  node.node = "node1";
  node.tasks.resize(2);
  node.tasks[1].rank = 1;
  return plan::to_text(node, {}, "torch");
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  const rendezvous::NodeReport report{.failure = "", .warnings = {"a", "b"}, .reached = {0, 2}};
  const rendezvous::NodeReport failed{.failure = "no", .warnings = {}, .reached = {}};
  const exec::TaskReport task{.procid = 1,
                              .local_id = 1,
                              .cpus = CpuSet::parse("0-3,65"),
                              .gpus = {{"CUDA_VISIBLE_DEVICES", "0,1"}},
                              .failure = ""};
  const auto at = [](const char* address) { return asio::ip::make_address(address); };
  const rendezvous::Offer offer{1, {at("10.0.0.1")}, {}};
  return {"o" + to_text(rendezvous::Offer{29500, {at("10.0.0.1"), at("fd00::1")}, 1}),
          "w" + to_text(rendezvous::Welcome{offer, rendezvous::Elsewhere{offer}}),
          "g" + to_text(rendezvous::Meet{"10.0.0.1", 61007}),
          "g" + to_text(rendezvous::Stop{"no ib0"}),
          "g" + to_text(rendezvous::Check{offer}),
          "R" + to_text(rendezvous::Listening{offer}),
          "R" + to_text(rendezvous::Reached{report}),
          "o" + to_text(offer),
          "r" + to_text(report),
          "r" + to_text(failed),
          "R" + to_text(rendezvous::Joined{{{1, report}, {7, failed}}}),
          "t" + exec::encode(task),
          "p" + planned_node()};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::one_input(data, size, {.base = 4U << 20, .per_byte = 4096}, read_input);
}
