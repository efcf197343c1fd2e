// The agents' connections by node: what a message, its end and silence mean for the roll. Locks nothing
// and sets no timer: that is station.hpp's, whose lock is held around each of these functions.
#pragma once

#include "launcher/channel/session.hpp"
#include "launcher/watch/allowance.hpp"
#include "launcher/watch/events.hpp"
#include "launcher/watch/roll.hpp"

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

// A piece of a rank's output, and of which rank.
struct RankOutput {
  view::Source source;
  std::uint64_t offset = 0;
  std::string bytes;
  std::string node;
  std::uint32_t ranks = 0;  // of the step

  [[nodiscard]] view::Output piece() const { return {source, offset, bytes}; }
};

// What has become known in one call.
struct News {
  std::optional<report::RankEnd> ended;
  std::vector<std::pair<layout::NodeIndex, report::NodeState>> changed;
  std::optional<std::pair<layout::NodeIndex, Hangs>> hangs;
  std::optional<layout::NodeIndex> stuck;
  std::optional<RankOutput> output;
  // By then a node may have gone silent: look_for_silence() is due.
  std::optional<std::chrono::steady_clock::time_point> look_by;
};

class WatchedNodes {
 public:
  using Clock = std::chrono::steady_clock;

  // A node that is silent for a heartbeat is lost. `start`: time 0 of every moment.
  WatchedNodes(std::chrono::milliseconds heartbeat, std::size_t max_ends_with_text,
               Clock::time_point start)
      : heartbeat_(heartbeat), start_(start), roll_(max_ends_with_text) {}

  // The newest session is the agent's. Nothing for a node that cannot be of this step; else the
  // session as it is kept.
  channel::Session* admit(std::unique_ptr<channel::Session> session, layout::NodeIndex node,
                          std::uint32_t nodes);

  // Of a node that has been admitted.
  News message(layout::NodeIndex node, std::string_view text);
  News closed(layout::NodeIndex node, channel::SessionEnd reason);

  // So much of a rank's output is no longer kept, and its agent may send more.
  void shown(const Shown& shown, std::size_t bytes);

  // Which nodes have gone silent. `due`: when this was to be called; if this process itself did not
  // run for a while, each may beat once more.
  News look_for_silence(Clock::time_point due);

  // To each agent that has said hello. What ends the ranks is also for those that connect later.
  void tell_all(std::string_view text);
  void set_ending(std::string text) { ending_ = std::move(text); }
  [[nodiscard]] bool any_listens() const;

  // Before the thread of the sessions ends.
  void close_all();

  // A node whose loss has ended the step stays lost, though its agent may have come again: else nothing
  // would say why the step ended.
  [[nodiscard]] Seen seen() const;
  // Asks each agent that counts. Returns the number of this count.
  std::uint32_t count();
  // All of them that are still connected have answered it.
  [[nodiscard]] bool has_counted(std::uint32_t number) const;
  // What a node has said last; nothing where it has not.
  [[nodiscard]] std::vector<std::optional<status::Counts>> counts() const;

  [[nodiscard]] bool complete() const { return roll_.complete(); }
  [[nodiscard]] report::Moment moment(Clock::time_point time) const { return {time - start_, {}}; }

 private:
  // A node's connection, and when its agent must have been heard again.
  struct Watch {
    std::unique_ptr<channel::Session> session;  // none: it may come again
    bool greeted = false;
    bool ended = false;                           // the last session, not by us
    std::optional<Clock::time_point> last_word;   // none: never
    std::optional<Clock::time_point> lost_after;  // that word when it was lost; none: never
    Clock::time_point due;                        // while the node is watched
    Allowance allowance;
    bool counts = false;
    std::uint32_t counted = 0;  // the last count that it has answered
    std::optional<status::Counts> last_counts;
    std::size_t kept = 0;  // bytes of its ranks' output that are not shown yet
    std::optional<std::chrono::nanoseconds> offset;  // of an agent's moments of unknown_error

    [[nodiscard]] bool listens() const { return session && greeted; }
  };

  bool allows(Watch& watch, std::string_view text, Clock::time_point now);
  void translate(layout::NodeIndex node, report::Moment& told);
  void take_output(layout::NodeIndex node, const view::Output& output, News& news);
  void take(layout::NodeIndex node, Hello hello, News& news);
  void take(layout::NodeIndex node, const Beat& beat, News& news);
  void take(layout::NodeIndex node, Ended ended, News& news);
  void take(layout::NodeIndex node, Remark remark, News& news);
  void take(layout::NodeIndex node, const Stuck& stuck, News& news);
  void take(layout::NodeIndex node, Hangs hangs, News& news);
  void take(layout::NodeIndex node, const Counted& counted, News& news);
  void take(layout::NodeIndex node, const Bye& bye, News& news);
  void change(layout::NodeIndex node, report::NodeState state, News& news);
  void drop(layout::NodeIndex node, std::string remark, News& news);

  const std::chrono::milliseconds heartbeat_;
  const Clock::time_point start_;
  const Clock::time_point created_ = Clock::now();  // before the step
  Roll roll_;
  std::vector<Watch> watches_;  // by node index
  std::uint32_t last_count_ = 0;
  std::string ending_;  // what the agents are told, as soon as they are
};

}  // namespace muster::watch
