#include "worker/tcp/admission.hpp"

#include "worker/error.hpp"
#include "worker/tcp/file_limit.hpp"

#include <algorithm>
#include <cerrno>
#include <map>

namespace muster::worker::tcp {
namespace {

using std::chrono::milliseconds;
using Clock = Deadline::Clock;

constexpr int max_accepted_at_once = 64;  // at most this many, and then the ranks are served again
constexpr milliseconds rest_interval{20};

bool out_of_descriptors(int error) {
  return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

}  // namespace

Admission::Admission(const Terms& terms, Connections& connections, std::uint16_t port,
                     const std::string& port_source)
    : terms_(terms),
      connections_(connections),
      listener_(listen_at(port, port_source)),
      lowest_number_(lowest_socket_number(terms.size + max_unauthenticated)) {
  if (connections_.watch(listener_.fd())) return;
  throw Error{MUSTER_ERR_TRANSPORT, "rank 0 cannot wait for the other ranks: epoll: " +
                                        error_text(errno) + "; close some files"};
}

// ---------------------------------------------------------------- accepting

void Admission::accept_waiting() {
  for (int i = 0; i < max_accepted_at_once; ++i) {
    if (!make_room()) return rest();
    auto accepted = accept_one(listener_);
    if (out_of_descriptors(accepted.error)) return rest();
    if (!accepted.socket) return;
    if (lowest_number_ > 0)
      accepted.socket = renumbered(std::move(accepted.socket), lowest_number_);
    auto* const connection = connections_.add(std::move(accepted), terms_, Clock::now());
    if (connection != nullptr) unauthenticated_.push_back(connection);
  }
}

// In the meantime, the kernel queues new connections.
void Admission::rest() {
  connections_.unwatch(listener_.fd());
  rests_until_ = Clock::now() + rest_interval;
}

bool Admission::make_room() {
  if (unauthenticated_.size() < max_unauthenticated) return true;
  auto* const connection = evictable(Clock::now());
  if (connection == nullptr) return false;
  turn_away(*connection, connection->greeted ? "it did not continue" : "it said nothing");
  return true;
}

Connection* Admission::evictable(Time now) {
  const auto silent =
      std::find_if(unauthenticated_.begin(), unauthenticated_.end(), [&](const Connection* each) {
        return !each->greeted && now - each->since >= silent_eviction_age;
      });
  if (silent != unauthenticated_.end()) return *silent;
  std::map<std::string, std::size_t> by_address;
  for (const auto* const each : unauthenticated_) ++by_address[each->from];
  Connection* chosen = nullptr;
  for (auto* const each : unauthenticated_) {
    if (now - each->since < greeted_eviction_age) break;  // all connections after it are younger
    if (chosen == nullptr || by_address[each->from] > by_address[chosen->from]) chosen = each;
  }
  return chosen;
}

void Admission::maintain(Time now) {
  const auto all = unauthenticated_;
  for (auto* const each : all) {
    const auto timeout = each->greeted ? greeted_timeout : silent_timeout;
    if (now - each->since > timeout) turn_away(*each, "it said nothing more");
  }
  if (!resting() || !listener_ || now < rests_until_) return;
  rests_until_ = Time{};
  connections_.watch(listener_.fd());
}

void Admission::close() {
  listener_.close();
  rests_until_ = Time{};
  for (auto* const each : unauthenticated_) connections_.remove(*each);
  unauthenticated_.clear();
}

// ---------------------------------------------------------------- letting in, turning away

void Admission::greet(Connection& connection, View reply) {
  connection.greeted = true;
  // Sends the first bytes on this connection, which always fit.
  if (send(connection.socket, reply).bytes != reply.size()) throw Garbled("a greeting, and left");
}

void Admission::authenticated(const Connection& connection) {
  std::erase(unauthenticated_, &connection);
}

void Admission::admit(Connection& connection, Introduction introduction, const std::string& what) {
  authenticated(connection);
  const auto rank = introduction.rank;
  connection.rank = static_cast<int>(std::min<std::uint32_t>(rank, max_size));
  connection.node = std::move(introduction.node);
  if (introduction.size != terms_.size) {
    throw Error{MUSTER_ERR_MISMATCH, what + ": " + rank_name(connection) + " expects " +
                                         std::to_string(introduction.size) +
                                         (introduction.size == 1 ? " rank" : " ranks") +
                                         ", and rank 0 expects " + std::to_string(terms_.size) +
                                         ": start all ranks with one srun and the same WORLD_SIZE"};
  }
  const bool possible = rank > 0 && rank < terms_.size;
  const auto* const first = possible ? connections_.of_rank(rank) : nullptr;
  if (!possible || first != nullptr) {
    throw Error{MUSTER_ERR_MISMATCH,
                what + ": two processes claim to be rank " + std::to_string(connection.rank) +
                    ", on " + (first != nullptr ? first->node : terms_.node) + " and on " +
                    connection.node + ": give every rank its own RANK"};
  }
  connections_.enter_as_rank(connection);
}

// A peer that knows how to greet is most likely a rank of this step with a different key.
void Admission::turn_away(Connection& connection, const std::string& why) {
  const bool no_proof = connection.greeted && !connection.session.proved();
  key_differs_ = key_differs_ || no_proof;
  why_turned_away_ = no_proof ? "it did not prove that it has this step's key (" + why + ")" : why;
  turned_away_.add(connection.from);
  authenticated(connection);
  connections_.remove(connection);
}

std::string Admission::strangers() const {
  auto text = turned_away();
  const auto others = unproved();
  return text + (text.empty() || others.empty() ? "" : "; ") + others;
}

std::string Admission::turned_away() const {
  if (turned_away_.total() == 0) return {};
  return turned_away_.text("turned away") + (turned_away_.total() == 1 ? ": " : ", the last: ") +
         why_turned_away_ + (key_differs_ ? "; " + terms_.key_remedy : "");
}

std::string Admission::unproved() const {
  AddressCounts counts;
  for (const auto* const each : unauthenticated_) counts.add(each->from);
  return counts.total() == 0 ? "" : counts.text("opened without proof of this step's key so far");
}

}  // namespace muster::worker::tcp
