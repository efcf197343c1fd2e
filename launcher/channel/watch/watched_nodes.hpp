// The agents' connections by node: what a message, the end of a connection and silence mean for the
// registry. It takes no lock and sets no timer: watch_server.hpp does both, and holds its lock around each
// of these functions.
#pragma once

#include "core/option/value_types.hpp"
#include "launcher/channel/session.hpp"
#include "launcher/channel/watch/events.hpp"
#include "launcher/channel/watch/lease.hpp"
#include "launcher/channel/watch/node_registry.hpp"
#include "launcher/channel/watch/rate_limit.hpp"
#include "launcher/channel/watch/silences.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::watch {

// What a call has found out.
struct Changes {
  std::optional<std::pair<layout::NodeIndex, report::RankEnd>> ended;
  std::vector<std::pair<layout::NodeIndex, report::NodeState>> changed;
  std::optional<std::pair<layout::NodeIndex, Hangs>> hangs;
  std::optional<layout::NodeIndex> stuck;
  std::optional<std::string> warning;  // for the user
  std::optional<std::pair<layout::NodeIndex, slow::Piece>> arrived;
  std::optional<std::pair<layout::NodeIndex, slow::Traffic>> carried;
  std::optional<std::pair<layout::NodeIndex, Examined>> examined;
  std::optional<std::chrono::nanoseconds> slept;    // how long this process was suspended
  std::optional<std::chrono::nanoseconds> cut_off;  // this host has been cut off for this long
  std::optional<view::OutputPiece> output;
  std::uint32_t ranks = 0;  // the number of ranks in the step; set together with `output`
  // A node may have gone silent by then: call look_for_silence().
  std::optional<std::chrono::steady_clock::time_point> look_by;
};

struct SilenceRules {
  std::chrono::milliseconds heartbeat = option::default_heartbeat.limit;
  std::chrono::milliseconds loss_time = watch::loss_time(heartbeat);
  bool another_may_start = true;
};

class WatchedNodes {
 public:
  using Clock = std::chrono::steady_clock;

  // `start`: moment 0.
  WatchedNodes(const SilenceRules& rules, std::size_t max_ends_with_text, Clock::time_point start)
      : rules_(rules), start_(start), registry_(max_ends_with_text), sleep_(rules.heartbeat) {}

  // The newest session replaces the agent's earlier one. Returns the session that is kept, or nullptr for a
  // node that cannot belong to this step.
  channel::Session* admit(std::unique_ptr<channel::Session> session, layout::NodeIndex node,
                          std::uint32_t nodes);

  // Both are for admitted nodes only.
  Changes message(layout::NodeIndex node, std::string_view text);
  Changes closed(layout::NodeIndex node, channel::SessionEnd reason);

  // This much of a rank's output is no longer buffered, and the rank's agent may send more.
  void shown(const Shown& shown, std::size_t bytes);

  // Finds nodes that have gone silent. After this process was suspended, each node has its full time again.
  Changes look_for_silence();

  // Another process may become the supervisor while this one is suspended. After a suspension no agent gets
  // an answer, and no lease, until confirm() is called with the number of that suspension.
  void may_be_replaced() { may_be_replaced_ = true; }
  // The last suspension, until it is confirmed.
  [[nodiscard]] std::optional<std::uint32_t> unconfirmed_sleep() const;
  void confirm(std::uint32_t sleep);

  // The user is about to suspend this process: its next suspension is not reported.
  void will_sleep() { sleep_is_known_ = true; }

  // Sends to each agent that has said hello. The text of set_ending() also goes to agents that connect later.
  void tell_all(std::string_view text);
  // Sends to that agent, if it has said hello.
  void tell(layout::NodeIndex node, std::string_view text);
  void set_ending(std::string text) { ending_ = std::move(text); }
  [[nodiscard]] bool any_listens() const;

  // Call it before the thread of the sessions ends.
  void close_all();

  // A node whose loss ended the step stays lost even if its agent reconnected. Otherwise nothing would show
  // why the step ended.
  [[nodiscard]] Observations seen() const;
  // Asks each agent that counts. Returns the number of this count.
  std::uint32_t count();
  // True once all connected agents that count have answered.
  [[nodiscard]] bool has_counted(std::uint32_t number) const;
  // Each node's last counts, if it has sent any.
  [[nodiscard]] std::vector<std::optional<status::Counts>> counts() const;

  [[nodiscard]] bool complete() const { return registry_.complete(); }
  [[nodiscard]] report::Moment moment(Clock::time_point time) const { return {time - start_, {}}; }

 private:
  // A node's connection, and the time by which its agent must be heard from again.
  struct Watch {
    std::unique_ptr<channel::Session> session;  // null: the agent may reconnect
    bool greeted = false;
    bool ended = false;                          // the last session has ended, not by us
    std::optional<Clock::time_point> last_word;  // nullopt: never
    // `last_word` when the node was lost; nullopt: never lost.
    std::optional<Clock::time_point> lost_after;
    Clock::time_point due;  // set only while the node is watched
    RateLimit rate_limit;
    bool counts = false;
    std::uint32_t counted = 0;  // the number of the last count that the node has answered
    std::optional<status::Counts> last_counts;
    std::size_t kept = 0;  // bytes of its ranks' output that have not been shown yet
    // For the agent's moments with unknown_error.
    std::optional<std::chrono::nanoseconds> offset;

    [[nodiscard]] bool listens() const { return session && greeted; }
  };

  [[nodiscard]] bool has_room(const Watch& watch) const;
  void translate(layout::NodeIndex node, report::Moment& told);
  void take_output(layout::NodeIndex node, view::OutputPiece piece, Changes& changes);
  void take(layout::NodeIndex node, Hello hello, Changes& changes);
  void take(layout::NodeIndex node, const Beat& beat, Changes& changes);
  void take(layout::NodeIndex node, Ended ended, Changes& changes);
  void take(layout::NodeIndex node, Remark remark, Changes& changes);
  void take(layout::NodeIndex node, const Stuck& stuck, Changes& changes);
  void take(layout::NodeIndex node, Hangs hangs, Changes& changes);
  void take(layout::NodeIndex node, Group group, Changes& changes);
  void take(layout::NodeIndex node, Met met, Changes& changes);
  void take(layout::NodeIndex node, const Counted& counted, Changes& changes);
  void take(layout::NodeIndex node, Examined examined, Changes& changes);
  void take(layout::NodeIndex node, Arrived arrived, Changes& changes);
  void take(layout::NodeIndex node, Carried carried, Changes& changes);
  void take(layout::NodeIndex node, const Bye& bye, Changes& changes);
  void look_at_sleep(Clock::time_point now, Changes& changes);
  [[nodiscard]] bool is_cut_off(Clock::time_point now, Changes& changes);
  void give_time(Clock::time_point due);
  void change(layout::NodeIndex node, report::NodeState state, Changes& changes);
  void drop(layout::NodeIndex node, std::string remark, Changes& changes);

  const SilenceRules rules_;
  const Clock::time_point start_;
  const Clock::time_point created_ = Clock::now();  // before the step started
  NodeRegistry registry_;
  std::vector<Watch> watches_;  // by node index
  OwnSleep sleep_;
  bool sleep_is_known_ = false;
  bool may_be_replaced_ = false;
  std::uint32_t sleeps_ = 0;
  std::uint32_t confirmed_ = 0;                 // how many of them are confirmed
  Clock::time_point not_before_;                // no node counts as lost before this
  std::optional<Clock::time_point> alone_for_;  // since when it is known that no node can be heard
  std::uint32_t last_count_ = 0;
  std::string ending_;  // the message that tells agents to stop their ranks, once there is one
};

}  // namespace muster::watch
