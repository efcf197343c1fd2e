#include "worker/tcp/collect.hpp"

#include "worker/error.hpp"
#include "worker/tcp/missing.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace muster::worker::tcp {
namespace {

using std::chrono::milliseconds;
using Clock = Deadline::Clock;

constexpr std::size_t max_read_at_once = 65536;
constexpr milliseconds maintenance_interval{50};
constexpr milliseconds latecomer_timeout{1000};

// The part of the time left that is reserved, so that every rank receives the names of the missing ones
// before it gives up by itself.
milliseconds margin(milliseconds left) {
  return std::clamp(left / 10, milliseconds{5}, milliseconds{1000});
}

std::vector<AbsentRank> absent(const Connections& connections, const StepNodes& nodes) {
  std::vector<AbsentRank> ranks;
  const auto expected_nodes = nodes.by_rank(connections.size());
  for (std::size_t rank = 1; rank < connections.size(); ++rank) {
    const auto* const connection = connections.of_rank(rank);
    if (connection != nullptr && connection->contribution) continue;
    const auto expected = expected_nodes.empty() ? std::string{} : expected_nodes[rank];
    ranks.push_back({.rank = static_cast<int>(rank),
                     .node = connection != nullptr ? connection->node : expected,
                     .connected = connection != nullptr});
  }
  return ranks;
}

}  // namespace

Collection::Collection(const Terms& terms, Connections& connections, Admission& admission,
                       const Phase& phase, const Deadline& deadline)
    : terms_(terms),
      connections_(connections),
      admission_(admission),
      phase_(phase),
      deadline_(deadline),
      give_up_(deadline.earlier(margin(deadline.left())).end()) {}

void Collection::collect() {
  for (std::size_t rank = 1; rank < connections_.size(); ++rank) {
    auto* const connection = connections_.of_rank(rank);
    if (connection != nullptr && connection->left) lost(*connection, "");
  }
  while (contributed_ < connections_.expected()) {
    const auto now = Clock::now();
    if (now >= give_up_) fail_late();
    admission_.maintain(now);
    hear_ready(admission_.needs_maintenance() ? std::min(give_up_, now + maintenance_interval)
                                              : give_up_);
  }
}

void Collection::tell_latecomers(View failure) noexcept {
  failure_ = failure;
  const auto until = std::min(deadline_.end(), Clock::now() + latecomer_timeout);
  try {
    while (connections_.entered() + told_ < connections_.expected() && Clock::now() < until) {
      admission_.maintain(Clock::now());
      hear_ready(until);
    }
  } catch (const std::exception&) {
    // The failure that matters has already been reported.
  }
}

void Collection::hear_ready(Time until) {
  for (const int fd : connections_.wait(until, phase_.what)) {
    if (admission_.is_listener(fd)) {
      admission_.accept_waiting();
    } else if (auto* const connection = connections_.find(fd)) {  // otherwise it was dropped
      hear(*connection);
    }
  }
}

void Collection::hear(Connection& connection) {
  std::array<std::byte, max_read_at_once> buffer;
  const auto moved = receive(connection.socket, buffer);
  if (moved.flow == Flow::later) return;
  if (moved.flow != Flow::some) {
    return lost(connection,
                moved.flow == Flow::ended ? "it has exited or left" : error_text(moved.error));
  }
  try {
    View bytes = View{buffer}.first(moved.bytes);
    while (auto event = connection.session.next(bytes)) {
      if (auto* const greeted = std::get_if<Greeted>(&*event)) {
        admission_.greet(connection, greeted->reply);
      } else if (failure_.empty()) {
        handle(connection, std::move(*event));
      } else if (std::holds_alternative<Arrived>(*event)) {
        tell(connection);
      }
    }
  } catch (const Garbled& garbled) {
    lost(connection, std::string{"it sent "} + garbled.what());
  }
}

void Collection::handle(Connection& connection, Event event) {
  if (auto* const arrived = std::get_if<Arrived>(&event)) {
    admission_.admit(connection, std::move(arrived->introduction), phase_.what);
  } else if (auto* const contribution = std::get_if<Contribution>(&event)) {
    take(connection, std::move(*contribution));
  } else if (std::holds_alternative<Leave>(event)) {
    connection.left = true;
    lost(connection, "");
  } else {
    const auto& aborted = std::get<Aborted>(event);
    throw Error{MUSTER_ERR_PEER, phase_.what + ": " + rank_name(connection) +
                                     " has aborted the step after " + deadline_.elapsed() + ": " +
                                     (aborted.reason.empty() ? "no reason given" : aborted.reason)};
  }
}

void Collection::take(Connection& connection, Contribution contribution) {
  if (connection.contribution) throw Garbled("two records in one call");
  if (contribution.phase != phase_.number) {
    throw Error{MUSTER_ERR_MISMATCH, phase_.what + ": " + rank_name(connection) + " is in call " +
                                         std::to_string(contribution.phase) +
                                         " and rank 0 in call " + std::to_string(phase_.number) +
                                         ": every rank must make the same calls in the same order"};
  }
  const milliseconds left{contribution.left_ms};
  give_up_ = std::min(give_up_, Clock::now() + left - margin(left));
  connection.contribution = std::move(contribution);
  ++contributed_;
}

void Collection::tell(Connection& connection) {
  admission_.authenticated(connection);
  ++told_;
  send_sealed(connection, failure_);
}

// Losing an unauthenticated connection does no harm. If a rank is lost, no other rank can continue.
void Collection::lost(Connection& connection, const std::string& why) {
  if (connection.rank == unknown) return admission_.turn_away(connection, why);
  if (!failure_.empty()) return connections_.remove(connection);
  const auto line = phase_.what + ": " + rank_name(connection) +
                    (connection.left ? " left before this call" : " is lost: " + why) + ", after " +
                    deadline_.elapsed() + "; look at its output";
  // Nothing can be sent to it any more, and it must not be waited for again.
  connections_.remove(connection);
  throw Error{MUSTER_ERR_PEER, line};
}

void Collection::fail_late() const {
  auto text = phase_.what + ": " + absence(absent(connections_, terms_.nodes)) + " within " +
              deadline_.elapsed() + " (" + std::to_string(contributed_ + 1) + " of " +
              std::to_string(terms_.size) + " ranks are here)";
  if (const auto others = admission_.strangers(); !others.empty()) text += "; " + others;
  throw Error{MUSTER_ERR_TIMEOUT,
              text + "; check each missing rank, or allow more time (MUSTER_TIMEOUT)"};
}

}  // namespace muster::worker::tcp
