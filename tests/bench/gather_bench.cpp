// The case `gather`: a leader, or many members in one process, each acting as its agent would.
//
//   gather_bench leader  NODES WIDTH PORT SECONDS DESCRIPTORS
//   gather_bench members NODES WIDTH PORT SECONDS FIRST LAST
//
// WIDTH is auto or a number. Prints "ready", starts at the next line of its input, and prints as JSON how
// it ended: a leader prints its CPU time and peak size, members print when the last of them got go.
#include "core/layout/layout.hpp"
#include "launcher/agent/rendezvous/member.hpp"
#include "launcher/agent/rendezvous/rendezvous.hpp"

#include <cstdio>
#include <deque>
#include <fstream>
#include <iostream>
#include <string>

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <fmt/format.h>
#include <sys/resource.h>

namespace {

using namespace muster;
using namespace muster::rendezvous;

struct Setup {
  muster::layout::Layout layout;
  std::optional<std::size_t> width;
  Port port = 0;
  std::chrono::seconds timeout{0};
};

Setup setup_of(char** words) {
  Setup setup;
  const auto nodes = static_cast<muster::layout::NodeIndex>(std::stoul(words[0]));
  for (muster::layout::NodeIndex node = 0; node < nodes; ++node) {
    setup.layout.nodes.push_back(fmt::format("node{:06}", node));
    setup.layout.node_of_task.push_back(node);
  }
  if (std::string(words[1]) != "auto") setup.width = std::stoul(words[1]);
  setup.port = static_cast<Port>(std::stoul(words[2]));
  setup.timeout = std::chrono::seconds(std::stoul(words[3]));
  return setup;
}

RendezvousInputs inputs_of(const Setup& setup, muster::layout::NodeIndex node) {
  muster::secret::Key key{};
  key.fill(7);
  return {.key = key,
          .layout = setup.layout,
          .node = node,
          .deadline = Clock::now() + setup.timeout,
          .warnings = {},
          .supervisor = {},
          .exchange = 0,
          .width = setup.width};
}

void wait_for_start() {
  std::cout << "ready" << std::endl;
  std::string line;
  std::getline(std::cin, line);
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

// Like Python's time.monotonic().
double now() {
  return std::chrono::duration<double>(muster::rendezvous::Clock::now().time_since_epoch()).count();
}

// The maximum that this process ever had; getrusage() would include its parent's from before.
long peak_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    long kib = 0;
    if (word == "VmHWM:" && status >> kib) return kib;
  }
  return 0;
}

int lead(const Setup& setup, rlim_t descriptors) {
  const rlimit limit{.rlim_cur = descriptors, .rlim_max = descriptors};
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) return 1;
  auto held = muster::port::HeldPort::hold(setup.port);
  if (!held) return 1;
  wait_for_start();
  const muster::node::NodeAddresses addresses{
      .ranks = {asio::ip::address_v4::loopback()}, .chosen = false, .all = {}};
  const auto start_kib = peak_kib();
  rusage before{};
  getrusage(RUSAGE_SELF, &before);
  const auto outcome =
      muster::rendezvous::lead_rendezvous(inputs_of(setup, 0), *held, addresses, "");
  const auto end = now();
  rusage after{};
  getrusage(RUSAGE_SELF, &after);
  std::cout << fmt::format(
                   "{{\"end\": {}, \"cpu\": {}, \"peak_kib\": {}, \"start_kib\": {}, "
                   "\"failure\": \"{}\"}}",
                   end,
                   seconds(after.ru_utime) + seconds(after.ru_stime) - seconds(before.ru_utime) -
                       seconds(before.ru_stime),
                   peak_kib(), start_kib, outcome.failure)
            << std::endl;
  return 0;
}

int join(const Setup& setup, muster::layout::NodeIndex first, muster::layout::NodeIndex last) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  wait_for_start();
  asio::io_context io{1};
  const std::vector<Port> ports{setup.port};
  const KnownAddress leader{asio::ip::address_v4::loopback()};
  std::deque<muster::rendezvous::RendezvousInputs> inputs;
  std::deque<muster::rendezvous::Member> members;
  std::size_t met = 0;
  auto left = last - first;
  double end = 0;
  for (auto node = first; node < last; ++node) {
    inputs.push_back(inputs_of(setup, node));
    auto& member = members.emplace_back(io, inputs.back(), ports, leader, "");
    asio::co_spawn(
        io,
        [&]() -> asio::awaitable<void> {
          const auto outcome = co_await member.attend();
          if (outcome.failure.empty()) ++met;
          end = now();
          if (--left == 0) io.stop();
        },
        asio::detached);
  }
  io.run();
  std::cout << fmt::format("{{\"end\": {}, \"met\": {}}}", end, met) << std::endl;
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (count < 7) return 2;
  const auto setup = setup_of(words + 2);
  if (std::string(words[1]) == "leader") return lead(setup, std::stoul(words[6]));
  if (count < 8) return 2;
  return join(setup, static_cast<muster::layout::NodeIndex>(std::stoul(words[6])),
              static_cast<muster::layout::NodeIndex>(std::stoul(words[7])));
}
