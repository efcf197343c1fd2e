// The case `watch`: a supervisor, or many agents in one process, each with its own connection.
//
//   watch_bench supervisor NODES HEARTBEAT DESCRIPTORS SECONDS
//   watch_bench agents     NODES HEARTBEAT PORT FIRST LAST
//
// HEARTBEAT is in milliseconds. The supervisor prints its port. At a line of its input it prints what SECONDS
// of watching cost, and at the next one what the simultaneous end of all ranks costs, as JSON.
// Agents end their ranks, each with an exception, when told to.
#include "launcher/channel/server.hpp"
#include "launcher/channel/watch/watch_client.hpp"
#include "launcher/channel/watch/watch_server.hpp"
#include "launcher/os/open_files.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <sys/resource.h>

namespace {

using namespace muster;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::uint32_t ranks_of_node = 8;

secret::Key key() {
  secret::Key key{};
  key.fill(7);
  return key;
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

long status_kib(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    long kib = 0;
    if (word == name && status >> kib) return kib;
  }
  return 0;
}

std::size_t in_state(const watch::Observations& seen, report::NodeState state) {
  return static_cast<std::size_t>(std::count_if(
      seen.nodes.begin(), seen.nodes.end(), [&](const auto& node) { return node.state == state; }));
}

bool wait_for_line() {
  std::string line;
  return bool(std::getline(std::cin, line));
}

// One line of JSON.
void say_watching(const watch::WatchServer& watch_server, std::chrono::seconds time) {
  const auto began = Clock::now();
  const auto cpu = cpu_seconds();
  std::this_thread::sleep_for(time);
  const auto used = cpu_seconds() - cpu;
  const std::chrono::duration<double> took = Clock::now() - began;
  std::cout << fmt::format(R"({{"cpu": {}, "resident_kib": {}, "watched": {}}})",
                           used / took.count(), status_kib("VmRSS:"),
                           in_state(watch_server.seen(), report::NodeState::watched))
            << std::endl;
}

void say_ending(watch::WatchServer& watch_server, std::atomic<Clock::time_point>& last) {
  const auto cpu = cpu_seconds();
  const auto began = Clock::now();
  watch_server.end_all(milliseconds(1000));
  while (!watch_server.complete() && Clock::now() - began < std::chrono::minutes(2)) {
    std::this_thread::sleep_for(milliseconds(50));
  }
  const std::chrono::duration<double> took = last.load() - began;
  const auto used = cpu_seconds() - cpu;
  const auto peak = status_kib("VmHWM:");
  const auto seen = watch_server.seen();
  std::cout << fmt::format(
                   R"({{"all_ended": {}, "cpu": {}, "peak_kib": {}, "ends": {}, "done": {}}})",
                   took.count(), used, peak, seen.ends.size(),
                   in_state(seen, report::NodeState::done))
            << std::endl;
}

int supervise(milliseconds heartbeat, rlim_t descriptors, std::chrono::seconds time) {
  const rlimit limit{.rlim_cur = descriptors, .rlim_max = descriptors};
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) return 1;
  std::atomic<Clock::time_point> last{Clock::now()};
  const auto watch_server = std::make_shared<watch::WatchServer>(
      watch::WatchLimits{.heartbeat = heartbeat},
      watch::WatchEvents{
          .ended = [&](layout::NodeIndex, const report::RankEnd&) { last = Clock::now(); },
          .node_changed = {}});
  channel::Server server(key(), std::nullopt, nullptr, nullptr, {}, watch_server);
  server.start();
  std::cout << server.address().port << std::endl;
  if (wait_for_line()) say_watching(*watch_server, time);
  if (wait_for_line()) say_ending(*watch_server, last);
  return 0;
}

watch::Hello hello_of(layout::NodeIndex node, std::uint32_t nodes) {
  watch::Hello hello;
  hello.step = "42.0";
  hello.node = fmt::format("node{:06}", node);
  hello.ranks_of_step = nodes * ranks_of_node;
  for (std::uint32_t local = 0; local < ranks_of_node; ++local) {
    hello.ranks.push_back({node * ranks_of_node + local, local, 100'000 + local});
  }
  return hello;
}

void end_ranks(watch::WatchClient& link, const watch::Hello& hello) {
  for (const auto& place : hello.ranks) {
    watch::Ended ended;
    ended.end.place = place;
    ended.end.wait_status = 15;
    ended.end.time = link.moment(Clock::now());
    ended.end.ended_by_muster = true;
    ended.end.exception = {.message = "RuntimeError: a peer has gone",
                           .traceback = std::string(2000, 't'),
                           .time = {}};
    link.send(ended);
  }
}

struct Agent {
  watch::Hello hello;
  std::unique_ptr<watch::WatchClient> link;
  bool ended = false;
};

int attend(std::uint32_t nodes, milliseconds heartbeat, std::uint16_t port, std::uint32_t first,
           std::uint32_t last) {
  os::allow_many_sockets();
  asio::io_context io{1};
  std::deque<Agent> agents;
  auto left = last - first;
  for (auto node = first; node < last; ++node) {
    const channel::Client client{.key = key(),
                                 .server = {.port = port, .addresses = {"127.0.0.1"}},
                                 .node = node,
                                 .nodes = nodes};
    auto& agent = agents.emplace_back(Agent{hello_of(node, nodes), nullptr});
    const auto end = [&](const watch::End&) {
      if (std::exchange(agent.ended, true)) return;
      end_ranks(*agent.link, agent.hello);
      agent.link->finish(std::chrono::minutes(1), [&] {
        if (--left == 0) io.stop();
      });
    };
    agent.link = std::make_unique<watch::WatchClient>(io, client, heartbeat, true,
                                                      watch::LinkEvents{.end = end, .cut_off = {}});
    agent.link->start(agent.hello);
    io.poll();
  }
  const auto is_established = [](const auto& agent) { return agent.link->established(); };
  while (!std::all_of(agents.begin(), agents.end(), is_established)) io.run_for(milliseconds(20));
  std::cout << "ready" << std::endl;
  io.run();
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (count < 6) return 2;
  const auto number = [&](int index) { return std::stoul(words[index]); };
  const milliseconds heartbeat(number(3));
  if (std::string(words[1]) == "supervisor") {
    return supervise(heartbeat, number(4), std::chrono::seconds(number(5)));
  }
  if (count < 7) return 2;
  return attend(static_cast<std::uint32_t>(number(2)), heartbeat,
                static_cast<std::uint16_t>(number(4)), static_cast<std::uint32_t>(number(5)),
                static_cast<std::uint32_t>(number(6)));
}
