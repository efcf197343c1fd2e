#include "launcher/channel/watch/watched_nodes.hpp"

#include "core/error.hpp"
#include "core/view/flow.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace muster::watch {
namespace {

using channel::SessionEnd;
using layout::NodeIndex;
using report::NodeState;
using std::chrono::milliseconds;

constexpr milliseconds return_time{2000};  // for an agent whose connection has ended

std::string remark_of(SessionEnd reason) {
  if (reason == SessionEnd::unproven) return "a message from its agent could not be authenticated";
  if (reason == SessionEnd::unread) return "its agent did not read the supervisor's messages";
  return {};
}

void look_by(WatchedNodes::Clock::time_point time, Changes& changes) {
  changes.look_by = std::min(time, changes.look_by.value_or(time));
}

// A lost node should not have continued, so its ranks get no grace period.
std::string without_grace() {
  return to_text(FromSupervisor(End{milliseconds{0}}));
}

}  // namespace

channel::Session* WatchedNodes::admit(std::unique_ptr<channel::Session> session, NodeIndex node,
                                      std::uint32_t nodes) {
  if (!registry_.admit(node, nodes)) return nullptr;
  watches_.resize(nodes);
  auto& watch = watches_[node];
  watch.session = std::move(session);
  watch.greeted = false;
  return watch.session.get();
}

Changes WatchedNodes::message(NodeIndex node, std::string_view text) {
  auto& watch = watches_[node];
  Changes changes;
  const auto now = Clock::now();
  look_at_sleep(now, changes);
  try {
    std::optional<view::OutputPiece> piece;
    if (view::is_output(text)) piece = view::output_from_text(text);
    const bool output = piece && !piece->bytes.empty();
    if (!(output ? has_room(watch) : watch.rate_limit.take(text.size(), now)))
      throw Error("its agent sent more data than allowed");
    if (piece) {
      take_output(node, std::move(*piece), changes);
      return changes;
    }
    auto event = event_from_agent(text);
    if (!watch.greeted && !std::holds_alternative<Hello>(event))
      throw Error("its agent sent data before its greeting");
    watch.last_word = now;
    watch.due = std::max(now + rules_.loss_time, not_before_);
    if (std::exchange(alone_for_, std::nullopt)) give_time(now + rules_.loss_time);
    std::visit([&](auto& each) { take(node, std::move(each), changes); }, event);
  } catch (const Error& error) {
    drop(node, error.what(), changes);
  }
  return changes;
}

// Output may arrive as fast as it is shown.
bool WatchedNodes::has_room(const Watch& watch) const {
  return watch.kept <= 2 * view::window(static_cast<std::uint32_t>(watches_.size()));
}

void WatchedNodes::take_output(NodeIndex node, view::OutputPiece piece, Changes& changes) {
  auto& watch = watches_[node];
  if (!watch.greeted) throw Error("its agent sent data before its greeting");
  if (!registry_.owns(node, piece.source.rank)) {
    throw Error("a node reports a rank that is not its own");
  }
  watch.last_word = Clock::now();
  watch.due = std::max(*watch.last_word + rules_.loss_time, not_before_);
  watch.kept += piece.bytes.size();
  piece.node = registry_.seen().nodes[node].name;
  changes.output = std::move(piece);
  changes.ranks = registry_.seen().ranks;
}

void WatchedNodes::shown(const Shown& shown, std::size_t bytes) {
  const auto node = registry_.owner(shown.source.rank);
  if (!node) return;
  auto& watch = watches_[*node];
  watch.kept -= std::min(watch.kept, bytes);
  if (watch.listens()) watch.session->send(to_text(FromSupervisor(shown)));
}

// Converts a moment from an agent that does not know this clock. The first such moment counts as now, and
// the others keep the distance to it that the agent reports.
void WatchedNodes::translate(NodeIndex node, report::Moment& told) {
  if (told.error < unknown_error) return;
  const auto now = moment(Clock::now());
  auto& offset = watches_[node].offset;
  if (!offset) offset = now.time - told.time;
  told = {.time = std::min(told.time + *offset, now.time),
          .error = now.time - moment(created_).time};
}

void WatchedNodes::take(NodeIndex node, Hello hello, Changes& changes) {
  translate(node, hello.started);
  if (hello.agent) {
    for (auto* const moment : {&hello.agent->begun, &hello.agent->came, &hello.agent->met}) {
      translate(node, *moment);
    }
  }
  registry_.hello(node, hello);
  auto& watch = watches_[node];
  watch.greeted = true;
  watch.counts = hello.counts;
  watch.ended = false;
  change(node, NodeState::watched, changes);
  const auto now = Clock::now();
  sleep_.start(now);
  look_by(std::min(watch.due, sleep_.next(now)), changes);
  if (!ending_.empty()) watch.session->send(watch.lost_after ? without_grace() : ending_);
}

void WatchedNodes::take(NodeIndex node, const Beat& beat, Changes& /*changes*/) {
  if (unconfirmed_sleep()) return;
  watches_[node].session->send(
      to_text(FromSupervisor(Beat{.sent = beat.sent, .supervisor = Clock::now() - start_})));
}

void WatchedNodes::take(NodeIndex node, Ended ended, Changes& changes) {
  auto& exception = ended.end.exception;
  translate(node, ended.end.time);
  if (exception && exception->time) translate(node, *exception->time);
  if (registry_.ended(node, ended.end, moment(Clock::now()))) {
    changes.ended.emplace(node, std::move(ended.end));
  }
}

void WatchedNodes::take(NodeIndex node, Remark remark, Changes& /*changes*/) {
  registry_.remark(node, std::move(remark.line));
}

void WatchedNodes::take(NodeIndex node, const Stuck& stuck, Changes& changes) {
  registry_.stuck(node, stuck);
  changes.stuck = node;
}

void WatchedNodes::take(NodeIndex node, Hangs hangs, Changes& changes) {
  registry_.hangs(node, hangs);
  changes.hangs.emplace(node, std::move(hangs));
}

void WatchedNodes::take(NodeIndex node, Group group, Changes& changes) {
  translate(node, group.time);
  group.time.time = std::min(group.time.time, moment(Clock::now()).time);
  registry_.group(node, group.time);
  if (!group.line.empty()) changes.warning = std::move(group.line);
}

void WatchedNodes::take(NodeIndex node, Met met, Changes& /*changes*/) {
  registry_.met(node, std::move(met.at_store));
}

void WatchedNodes::take(NodeIndex node, const Counted& counted, Changes& /*changes*/) {
  const auto& output = counted.counts.output;
  if (counted.number > last_count_ || (output && !registry_.owns(node, output->rank))) {
    throw Error("a node sent counts that the supervisor had not requested");
  }
  watches_[node].counted = counted.number;
  watches_[node].last_counts = counted.counts;
}

void WatchedNodes::take(NodeIndex node, Examined examined, Changes& changes) {
  changes.examined.emplace(node, std::move(examined));
}

void WatchedNodes::take(NodeIndex node, Arrived arrived, Changes& changes) {
  changes.arrived.emplace(node, std::move(arrived.piece));
}

void WatchedNodes::take(NodeIndex node, Carried carried, Changes& changes) {
  changes.carried.emplace(node, std::move(carried.traffic));
}

void WatchedNodes::take(NodeIndex node, const Bye& /*bye*/, Changes& changes) {
  change(node, NodeState::done, changes);
  watches_[node].session.reset();
}

void WatchedNodes::change(NodeIndex node, NodeState state, Changes& changes) {
  if (registry_.set_state(node, state)) changes.changed.emplace_back(node, state);
}

// The node's agent may reconnect.
void WatchedNodes::drop(NodeIndex node, std::string remark, Changes& changes) {
  auto& watch = watches_[node];
  watch.session.reset();
  watch.ended = true;
  watch.due = std::max(Clock::now() + std::min(return_time, rules_.heartbeat), not_before_);
  if (!remark.empty()) registry_.remark(node, std::move(remark));
  if (registry_.state(node) == NodeState::watched) look_by(watch.due, changes);
}

Changes WatchedNodes::closed(NodeIndex node, SessionEnd reason) {
  Changes changes;
  look_at_sleep(Clock::now(), changes);
  if (reason == SessionEnd::unreachable) {
    watches_[node].session.reset();
  } else {
    drop(node, remark_of(reason), changes);
  }
  return changes;
}

void WatchedNodes::give_time(Clock::time_point due) {
  not_before_ = std::max(not_before_, due);
  for (auto& watch : watches_) watch.due = std::max(watch.due, due);
}

// A node's silence does not count while this process was suspended and could not hear it.
void WatchedNodes::look_at_sleep(Clock::time_point now, Changes& changes) {
  const auto slept = sleep_.look(now);
  if (slept.count() == 0) return;
  give_time(now + rules_.loss_time);
  ++sleeps_;
  // On an overloaded machine, this thread may be delayed for less time than this.
  constexpr std::chrono::seconds worth_a_line{5};
  const bool known = std::exchange(sleep_is_known_, false);
  if (!known && slept >= worth_a_line) changes.slept = slept;
}

// True while the server should wait for the nodes, all of which are silent.
bool WatchedNodes::is_cut_off(Clock::time_point now, Changes& changes) {
  std::vector<Clock::time_point> heard;
  for (NodeIndex node = 0; node < watches_.size(); ++node) {
    const auto& watch = watches_[node];
    if (registry_.state(node) == NodeState::watched && watch.last_word)
      heard.push_back(*watch.last_word);
  }
  if (!ending_.empty() || !is_own_side(heard, rules_.heartbeat)) return false;
  if (!alone_for_) {
    alone_for_ = now;
    changes.cut_off = now - std::ranges::max(heard);
  }
  return !rules_.another_may_start || now - *alone_for_ < time_without_any_node;
}

std::optional<std::uint32_t> WatchedNodes::unconfirmed_sleep() const {
  return may_be_replaced_ && confirmed_ != sleeps_ ? std::optional(sleeps_) : std::nullopt;
}

void WatchedNodes::confirm(std::uint32_t sleep) {
  confirmed_ = sleep;
}

Changes WatchedNodes::look_for_silence() {
  Changes changes;
  const auto now = Clock::now();
  look_at_sleep(now, changes);
  std::optional<bool> cut_off;
  bool any = false;
  for (NodeIndex node = 0; node < watches_.size(); ++node) {
    auto& watch = watches_[node];
    if (registry_.state(node) != NodeState::watched) continue;
    any = true;
    if (now < watch.due) {
      look_by(watch.due, changes);
      continue;
    }
    if (!watch.ended) {
      if (!cut_off) cut_off = is_cut_off(now, changes);
      if (*cut_off) continue;
    }
    change(node, watch.ended ? NodeState::agent_gone : NodeState::lost, changes);
    if (!watch.ended) watch.lost_after = watch.last_word;
    watch.session.reset();
  }
  if (any) {
    look_by(sleep_.next(now), changes);
  } else {
    sleep_.rest();
  }
  return changes;
}

void WatchedNodes::tell_all(std::string_view text) {
  for (auto& watch : watches_) {
    if (watch.listens()) watch.session->send(text);
  }
}

void WatchedNodes::tell(NodeIndex node, std::string_view text) {
  if (node < watches_.size() && watches_[node].listens()) watches_[node].session->send(text);
}

std::uint32_t WatchedNodes::count() {
  const auto text = to_text(FromSupervisor(Count{++last_count_}));
  for (auto& watch : watches_) {
    if (watch.listens() && watch.counts) watch.session->send(text);
  }
  return last_count_;
}

bool WatchedNodes::has_counted(std::uint32_t number) const {
  return std::ranges::all_of(watches_, [&](const auto& watch) {
    return !watch.listens() || !watch.counts || watch.counted >= number;
  });
}

std::vector<std::optional<status::Counts>> WatchedNodes::counts() const {
  std::vector<std::optional<status::Counts>> counts;
  for (const auto& watch : watches_) counts.push_back(watch.last_counts);
  return counts;
}

bool WatchedNodes::any_listens() const {
  return std::ranges::any_of(watches_, &Watch::listens);
}

void WatchedNodes::close_all() {
  for (auto& watch : watches_) watch.session.reset();
}

Observations WatchedNodes::seen() const {
  auto seen = registry_.seen();
  for (NodeIndex node = 0; node < watches_.size(); ++node) {
    const auto& watch = watches_[node];
    const bool stays_lost = watch.lost_after && !ending_.empty();
    if (stays_lost) seen.nodes[node].state = NodeState::lost;
    const auto word = stays_lost ? watch.lost_after : watch.last_word;
    if (word) seen.nodes[node].last_word = moment(*word);
  }
  return seen;
}

}  // namespace muster::watch
