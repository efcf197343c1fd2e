// The events of a watch: what an agent reports to the supervisor about its node, and what the supervisor
// tells an agent. An input is one message. An accepted one comes back the same, and the supervisor records
// what an agent says without trusting it further than it may.
#include "core/slow/links.hpp"
#include "core/text/quote.hpp"
#include "launcher/channel/watch/events.hpp"
#include "launcher/channel/watch/node_registry.hpp"
#include "target.hpp"

namespace {

using namespace muster;
using namespace muster::watch;

void book(const FromAgent& event) {
  NodeRegistry registry(1);
  fuzz::expect(registry.admit(1, 2), "a node is not admitted");
  Hello hello;
  hello.ranks_of_step = 4;
  hello.ranks = {{2, 0, 7}, {3, 1, 8}};
  registry.hello(1, hello);
  if (const auto* const other = std::get_if<Hello>(&event)) registry.hello(1, *other);
  if (const auto* const stuck = std::get_if<Stuck>(&event)) registry.stuck(1, *stuck);
  if (const auto* const hangs = std::get_if<Hangs>(&event)) registry.hangs(1, *hangs);
  if (const auto* const ended = std::get_if<Ended>(&event)) {
    fuzz::expect(registry.ended(1, ended->end, {}), "an end is lost");
    fuzz::expect(!registry.ended(1, ended->end, {}), "an end counts twice");
    fuzz::expect(registry.seen().ends.at(0).time.time.count() <= 0, "an end is still to come");
  }
  for (const auto& end : registry.seen().ends) {
    fuzz::expect(end.place.rank == 2 || end.place.rank == 3, "a rank is of another node");
  }
}

// Whatever a node tells of its traffic, what is judged from it has bounds.
void judge_links(const slow::Traffic& traffic) {
  fuzz::expect(traffic.own.size() <= slow::max_own_addresses, "a node has too many addresses");
  fuzz::expect(traffic.flows.size() <= slow::max_flows, "a node sends to too many addresses");
  slow::Links links({});
  auto of_other = traffic;
  for (const auto& flow : traffic.flows) of_other.own.push_back(flow.to);
  for (std::chrono::seconds now{0}; now < std::chrono::minutes(3); now += std::chrono::seconds(5)) {
    links.add(1, of_other, now);
    links.add(0, traffic, now);
  }
  for (const auto& link : links.look(std::chrono::minutes(3))) {
    fuzz::expect(link.busy_share <= 1 && link.lost_share <= 1, "a link loses more than all time");
  }
}

void expect_bounds(const FromAgent& event) {
  if (const auto* const remark = std::get_if<Remark>(&event)) fuzz::expect_one_line(remark->line);
  if (const auto* const carried = std::get_if<Carried>(&event)) judge_links(carried->traffic);
  if (const auto* const hangs = std::get_if<Hangs>(&event)) fuzz::expect_one_line(hangs->message);
  const auto* const ended = std::get_if<Ended>(&event);
  if (ended == nullptr || !ended->end.exception) return;
  fuzz::expect(ended->end.exception->message.size() <= report::max_message_bytes &&
                   ended->end.exception->traceback.size() <= report::max_traceback_bytes &&
                   text::is_utf8(ended->end.exception->message),
               "an exception's text has no bound");
}

// As the other end would have written it: the same again, however often it is read.
template <class Event>
std::string expect_one_form(const Event& event, Event (*read)(std::string_view)) {
  auto text = to_text(event);
  fuzz::expect(text.size() <= max_event_bytes, "a message is too long");
  fuzz::expect(to_text(read(text)) == text, "an event changes");
  return text;
}

void read_input(std::string_view input) {
  if (input.starts_with('s')) {
    expect_one_form(event_from_supervisor(input.substr(1)), event_from_supervisor);
    return;
  }
  const auto event = event_from_agent(input);
  expect_bounds(event);
  expect_one_form(event, event_from_agent);
  book(event);
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  Hello hello{.step = "42.0", .node = "node1", .ranks = {}, .started = {}, .ranks_of_step = 4};
  hello.ranks = {{2, 0, 7}, {3, 1, 8}};
  Ended ended;
  ended.end.place = {3, 1, 8};
  ended.end.wait_status = 256;
  ended.end.out_of_memory = true;
  ended.end.exception = {
      .message = "RuntimeError: no", .traceback = "line\n", .time = report::Moment()};
  ended.end.last_lines = {"one", "two"};
  ended.end.last_lines_file = "/home/alice/out";
  Carried carried;
  carried.traffic.own.resize(1);
  carried.traffic.flows.push_back({.to = {{1, 2}}, .bytes = 1U << 30});
  carried.traffic.flows.back().busy = carried.traffic.flows.back().most = std::chrono::seconds(4);
  std::vector<std::string> seeds;
  for (const FromAgent& event :
       {FromAgent(hello), FromAgent(ended),
        FromAgent(Beat{.sent = std::chrono::seconds(7), .supervisor = {}}),
        FromAgent(Remark{"why"}), FromAgent(Group{{}, "why"}), FromAgent(Stuck{{2, 3}}),
        FromAgent(Counted()), FromAgent(carried), FromAgent(Bye())}) {
    seeds.push_back(to_text(event));
  }
  seeds.push_back("s" + to_text(FromSupervisor(End{std::chrono::seconds(30)})));
  seeds.push_back("s" + to_text(FromSupervisor(Beat())));
  seeds.push_back("s" + to_text(FromSupervisor(Shown{{3, view::Stream::err}, 1 << 20})));
  return seeds;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::one_input(data, size, {.base = 4U << 20, .per_byte = 2048}, read_input);
}
