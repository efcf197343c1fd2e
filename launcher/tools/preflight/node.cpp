#include "launcher/tools/preflight/node.hpp"

#include "core/error.hpp"
#include "core/preflight/link.hpp"
#include "core/preflight/local.hpp"
#include "core/record/record.hpp"
#include "launcher/agent/node/node_addresses.hpp"
#include "launcher/channel/listener.hpp"
#include "launcher/channel/session.hpp"
#include "launcher/os/bounded_child.hpp"
#include "launcher/os/host_name.hpp"
#include "launcher/os/output.hpp"
#include "launcher/site/installed.hpp"
#include "launcher/tools/preflight/cpu_limits.hpp"
#include "launcher/tools/preflight/local_facts.hpp"
#include "launcher/tools/preflight/measure.hpp"
#include "launcher/tools/preflight/nccl_environment.hpp"
#include "launcher/tools/preflight/nccl_program.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <utility>

#include <asio/io_context.hpp>
#include <fmt/format.h>

namespace muster::preflight {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds open_timeout{2000};
constexpr milliseconds resolve_timeout{300};
constexpr milliseconds time_for_site{2000};
constexpr double held_back = 0.2;  // the share of the time that is held in reserve

// Chooses addresses in the same way as the agents choose where the ranks rendezvous.
node::NodeAddresses own_addresses(const std::vector<os::Interface>& interfaces,
                                  const std::vector<std::string>& patterns,
                                  const std::string& name) {
  std::optional<asio::ip::address> known;
  try {
    known = os::resolve(name, resolve_timeout);
  } catch (const Error&) {
    // The node's NodeAddr differs from its name.
  }
  return node::node_addresses(interfaces, patterns, known);
}

std::string local_text(const LocalPlaces& places) {
  return to_text(judge_node(local_facts(places)));
}

class Node {
 public:
  Node(const StepOrder& order, const site::SiteOptions& site, const Environment& environment)
      : order_(order),
        environment_(environment),
        name_(name_in(environment)),
        throttled_before_(throttled_time("/")),
        interfaces_(os::interfaces()) {
    const auto interface_of = [this](const auto& addresses) {
      return addresses.empty() ? "" : interface_with(interfaces_, addresses.front());
    };
    LocalPlaces places{.surroundings = {.environment = environment},
                       .interface = "",
                       .disks = disks_of(environment)};
    places.interface =
        interface_of(node::node_addresses(interfaces_, order.interfaces, std::nullopt).ranks);
    // Must come before anything that starts a thread.
    local_.emplace([places] { return local_text(places); }, local_timeout);
    if (has_gpu_)
      site_settings_.emplace([&, this] { return site_settings(site, environment, name_); },
                             time_for_site);
    addresses_ = own_addresses(interfaces_, order.interfaces, name_).ranks;
    interface_ = interface_of(addresses_);
  }

  int run() {
    listener_ = channel::listen(std::vector<std::uint16_t>());
    channel::Client client{.key = order_.key, .server = order_.supervisor, .node = 0, .nodes = 1};
    channel::open_session(io_, client, open_timeout, [this](auto session) {
      if (!session) return;
      session_ = std::move(session);
      session_->receive({.message = [this](auto text) { heard_.emplace_back(text); },
                         .ended = [this](auto) { ended_ = true; }});
    });
    while (!session_ && Clock::now() < deadline_ && io_.run_one_until(deadline_) > 0) {
    }
    if (!session_) {
      os::say(os::Severity::error, "this node cannot reach the supervisor");
      return EXIT_FAILURE;
    }
    session_->send(to_text(hello()));
    while (serve()) {
    }
    return done_ ? EXIT_SUCCESS : EXIT_FAILURE;
  }

 private:
  static std::string name_in(const Environment& environment) {
    const auto* const name = environment.if_set("SLURMD_NODENAME");
    return name == nullptr ? os::host_name() : *name;
  }

  [[nodiscard]] Hello hello() const {
    Hello hello{name_, {listener_.port, {}}, has_gpu_};
    for (const auto& address : addresses_) {
      if (hello.place.addresses.size() < channel::max_addresses &&
          (listener_.v6 || address.is_v4()))
        hello.place.addresses.push_back(address.to_string());
    }
    return hello;
  }

  // False once there is nothing more to do.
  bool serve() {
    while (heard_.empty()) {
      if (ended_ || Clock::now() >= deadline_ || io_.run_one_until(deadline_) == 0) return false;
    }
    const auto text = std::move(heard_.front());
    heard_.pop_front();
    if (text == end_of_tests) {
      if (nccl_) nccl_->end();
      say_local();
      return true;  // until the supervisor ends the session
    }
    if (const auto order = test_order(text)) session_->send(to_text(tested(*order)));
    if (const auto start = nccl_start_order(text)) session_->send(to_text(started(*start)));
    if (const auto order = nccl_order(text); order && nccl_)
      session_->send(to_text(nccl_->test(*order, order_.key)));
    return true;
  }

  TestReport tested(const TestOrder& order) {
    TestReport report{.test = order.number, .work = work_of_cpu()};
    const auto bounds = order.small ? small_bounds() : full_bounds();
    try {
      if (order.connects) {
        auto meeting = connect_to(order, order_.key, bounds.meet);
        report.measure = measure(meeting, bounds);
      } else {
        auto meeting = accept_on(listener_.socket, listener_.v6, order, order_.key, bounds.meet);
        answer(meeting, bounds);
      }
    } catch (const std::exception& error) {
      report.failure = error.what();
    }
    return report;
  }

  NcclStart started(const NcclStartOrder& order) {
    const std::filesystem::path muster = site::installed_program();
    const auto site = site_settings_ ? site_settings_->answer().value_or("") : "";
    nccl_.emplace(muster.parent_path() / "muster-preflight-nccl",
                  nccl_environment(environment_, name_, interface_, site));
    return nccl_->start(order);
  }

  void say_local() {
    auto local = local_from_text(local_->answer().value_or(""));
    if (!local) local = Local{{{Severity::warning, "its self-checks did not finish in time"}}, {}};
    const auto held = static_cast<double>(throttled_time("/") - throttled_before_);
    const auto time = std::chrono::duration<double, std::micro>(Clock::now() - began_).count();
    if (held > held_back * time) {
      local->findings.push_back(
          {Severity::slow,
           fmt::format("its control group throttled its CPUs for {:.0f} of {:.0f} ms", held / 1000,
                       time / 1000)});
    }
    session_->send(to_text(*local));
    done_ = true;
  }

  const StepOrder& order_;
  const Environment& environment_;
  const std::string name_;
  const bool has_gpu_ = has_nvidia_gpu("/");
  const Clock::time_point began_ = Clock::now();
  const Clock::time_point deadline_ = began_ + order_.limit;
  const std::uint64_t throttled_before_;
  const std::vector<os::Interface> interfaces_;
  std::optional<os::AskedChild> local_;
  node::Addresses addresses_;
  std::string interface_;
  std::optional<os::AskedChild> site_settings_;
  std::optional<NcclProgram> nccl_;
  asio::io_context io_{1};
  channel::Listener listener_;
  std::unique_ptr<channel::Session> session_;
  std::deque<std::string> heard_;
  bool ended_ = false;
  bool done_ = false;
};

}  // namespace

std::string to_text(const StepOrder& order) {
  return record::write(order);
}

StepOrder step_order(const std::string& text) {
  auto order = record::read<StepOrder>(text);
  if (!order)
    throw Error(
        "the preflight's order arrived truncated; is the same muster version installed on every node?");
  return std::move(*order);
}

int run_node(const StepOrder& order, const site::SiteOptions& site,
             const Environment& environment) {
  return Node(order, site, environment).run();
}

}  // namespace muster::preflight
