// The supervisor's end of all watches: which nodes are connected, which have gone silent, and what the agents
// have reported. It works in the channel's thread; these functions may be called from any thread.
#pragma once

#include "core/option/value_types.hpp"
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
  std::chrono::milliseconds heartbeat = option::default_heartbeat.limit;
  // A node is lost after this much silence.
  std::chrono::milliseconds loss_time = watch::loss_time(heartbeat);
  // If false and all nodes become silent at the same time, the server waits until it hears from one of them.
  bool another_may_start = true;
  std::size_t max_ends_with_text = 64;  // ranks whose exception and last lines are kept
  // Moment 0, for this server and the agents that connect to it.
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

// A piece of a rank's output, and the number of ranks in the step.
using TakeOutput = std::function<void(view::OutputPiece, std::uint32_t ranks)>;

// Called in the channel's thread, never concurrently; they must not block, but may call the server.
struct WatchEvents {
  std::function<void(layout::NodeIndex, const report::RankEnd&)> ended = {};
  std::function<void(layout::NodeIndex, report::NodeState)> node_changed = {};
  // Output of a rank. Call shown() when its space can be reused.
  TakeOutput output = {};
  // SIGKILL does not end some of that node's ranks.
  std::function<void(layout::NodeIndex)> stuck = {};
  // This process was suspended for this long. Called once for each suspension that pause() has not announced.
  std::function<void(std::chrono::nanoseconds)> slept = {};
  // All nodes have been silent for this long, since the same moment: this host is cut off.
  std::function<void(std::chrono::nanoseconds)> cut_off = {};
  // When the node's ranks came to their collectives.
  std::function<void(layout::NodeIndex, slow::Piece)> arrived = {};
  // What the node's ranks have sent to other nodes.
  std::function<void(layout::NodeIndex, slow::Traffic)> carried = {};
  // The answer to examine().
  std::function<void(layout::NodeIndex, Examined)> examined = {};
  // A rank has failed with an exception but has not ended.
  std::function<void(layout::NodeIndex, const Hangs&)> hangs = {};
  // An agent has something to say to the user.
  std::function<void(const std::string&)> warning = {};
};

// channel::Server hands it each connection that asked "watch", and keeps it until its thread has ended.
class WatchServer : public channel::SessionHandler {
 public:
  WatchServer(const WatchLimits& limits, WatchEvents events);
  WatchServer(const WatchServer&) = delete;
  WatchServer& operator=(const WatchServer&) = delete;
  ~WatchServer() override;

  // Tells all agents, including those that connect later, to stop their ranks.
  void end_all(std::chrono::milliseconds grace);

  // Asks the node's agent what holds a rank up. It may never answer.
  void examine(layout::NodeIndex node, const Examine& what);

  // Passes a signal once to every rank whose agent is connected. False if no agent is.
  bool signal_all(int number);

  // Tells the agents that this process is about to be suspended, so that they do not mistake its silence for
  // a loss. Returns once they have been told, or after a moment.
  void pause();

  // See WatchedNodes.
  void may_be_replaced();
  [[nodiscard]] std::optional<std::uint32_t> unconfirmed_sleep() const;
  void confirm(std::uint32_t sleep);

  // Tells the rank's agent that it may send more, and that this many bytes are no longer buffered.
  void shown(const Shown& shown, std::size_t bytes);

  [[nodiscard]] Observations seen() const;

  // The nodes' current counts, by node index; for nodes that do not answer in time, their previous counts.
  // Blocks, so do not call it in the channel's thread.
  [[nodiscard]] std::vector<std::optional<status::Counts>> count(std::chrono::milliseconds timeout);

  // No more reports will arrive: every node is done, is lost, has no agent, or has ranks that SIGKILL does
  // not end.
  [[nodiscard]] bool complete() const;

  // This process's monotonic clock, counted from its start.
  [[nodiscard]] report::Moment moment(std::chrono::steady_clock::time_point time) const;

  // Called by the channel's server.
  void start(asio::io_context& io) override;
  void opened(std::unique_ptr<channel::Session> session, layout::NodeIndex node,
              std::uint32_t nodes) override;
  void stop() override;

 private:
  class State;
  std::shared_ptr<State> state_;
};

}  // namespace muster::watch
