// The supervisor's end of all watches: which nodes are connected, which have gone silent, and what the agents
// have reported. It works in the channel's thread; these functions may be called from any thread.
#pragma once

#include "core/report/record.hpp"
#include "launcher/channel/session.hpp"
#include "launcher/channel/watch/events.hpp"
#include "launcher/channel/watch/lease.hpp"
#include "launcher/channel/watch/observations.hpp"
#include "launcher/channel/watch/watched_nodes.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace muster::watch {

struct WatchLimits {
  std::chrono::milliseconds heartbeat{10000};
  // A node is lost after this much silence.
  std::chrono::milliseconds loss_time = watch::loss_time(heartbeat);
  // If false and all nodes become silent at once, the server waits until it hears one of them.
  bool another_may_start = true;
  std::size_t max_ends_with_text = 64;  // ranks whose exception and last lines are kept
  // Time 0 of every moment, for this server and the agents that come to it.
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

// A piece of a rank's output, and the number of the step's ranks.
using TakeOutput = std::function<void(view::OutputPiece, std::uint32_t ranks)>;

// Called in the channel's thread, one at a time; must not block. They may call the server.
struct WatchEvents {
  std::function<void(const report::RankEnd&)> ended = {};
  std::function<void(layout::NodeIndex, report::NodeState)> node_changed = {};
  // Output of a rank. Call shown() when its room can be reused.
  TakeOutput output = {};
  // SIGKILL does not end ranks of that node.
  std::function<void(layout::NodeIndex)> stuck = {};
  // This process was not running for this long. Called once for each sleep that pause() has not announced.
  std::function<void(std::chrono::nanoseconds)> slept = {};
  // All nodes have been silent for this long, since the same moment: this host is cut off.
  std::function<void(std::chrono::nanoseconds)> cut_off = {};
  // A rank has failed with an exception but has not ended.
  std::function<void(layout::NodeIndex, const Hangs&)> hangs = {};
};

// channel::Server hands it each connection that asked "watch", and keeps it until its thread has ended.
class WatchServer : public channel::SessionHandler {
 public:
  WatchServer(const WatchLimits& limits, WatchEvents events);
  WatchServer(const WatchServer&) = delete;
  WatchServer& operator=(const WatchServer&) = delete;
  ~WatchServer() override;

  // Tells all agents, also those that connect later, to end their ranks.
  void end_all(std::chrono::milliseconds grace);

  // Hands a signal to every rank whose agent is connected, once. False where none is.
  bool signal_all(int number);

  // Tells the agents that this process is about to be stopped: its silence is no loss. Returns when
  // they have been told, or after a moment.
  void pause();

  // See WatchedNodes.
  void may_be_replaced();
  [[nodiscard]] std::optional<std::uint32_t> unconfirmed_sleep() const;
  void confirm(std::uint32_t sleep);

  // To the rank's agent: it may send more. So many bytes are no longer kept.
  void shown(const Shown& shown, std::size_t bytes);

  [[nodiscard]] Observations seen() const;

  // What the nodes count now, by node index; what they have counted before of those that do not answer
  // in time. Waits; not for the channel's thread.
  [[nodiscard]] std::vector<std::optional<status::Counts>> count(std::chrono::milliseconds timeout);

  // No more is to come: every node is done, lost or without its agent, or SIGKILL does not end its
  // ranks.
  [[nodiscard]] bool complete() const;

  // This process's monotonic clock, counted from its start.
  [[nodiscard]] report::Moment moment(std::chrono::steady_clock::time_point time) const;

  // For the server.
  void start(asio::io_context& io) override;
  void opened(std::unique_ptr<channel::Session> session, layout::NodeIndex node,
              std::uint32_t nodes) override;
  void stop() override;

 private:
  class State;
  std::shared_ptr<State> state_;
};

}  // namespace muster::watch
