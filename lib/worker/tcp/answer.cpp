#include "worker/tcp/answer.hpp"

#include "worker/error.hpp"
#include "worker/tcp/missing.hpp"

#include <array>

#include <poll.h>

namespace muster::worker::tcp {
namespace {

constexpr std::size_t max_parts = 64;  // per write

// Advances to the next wanted rank.
void step_on(const Runs& wanted, std::size_t& run, std::uint32_t& rank) {
  if (++rank < wanted[run].first + wanted[run].count) return;
  if (++run < wanted.size()) rank = wanted[run].first;
}

Bytes entry_of(View record, const std::string& node) {
  return Writer().raw(entry_head(record.size(), node)).raw(record).take();
}

[[noreturn]] void fail_slow(const std::vector<Connection*>& slow, const Phase& phase,
                            const Deadline& deadline) {
  std::vector<AbsentRank> ranks;
  for (const auto* const each : slow) ranks.push_back({each->rank, each->node, true});
  throw Error{MUSTER_ERR_TIMEOUT, phase.what + ": the answer could not be sent to " +
                                      list_ranks(ranks) + " within " + deadline.elapsed() +
                                      "; is a rank stopped, or is the network slow?"};
}

}  // namespace

Answers::Answers(const Terms& terms, Connections& connections, View mine)
    : terms_(terms), connections_(connections), entries_(connections.size()) {
  entries_[0] = entry_of(mine, terms_.node);
  for (std::size_t rank = 1; rank < entries_.size(); ++rank) {
    const auto& connection = *connections_.of_rank(rank);
    auto& record = connections_.of_rank(rank)->contribution->record;
    entries_[rank] = entry_of(record, connection.node);
    Bytes().swap(record);
  }
  digests_.reserve(entries_.size());
  for (const auto& entry : entries_) digests_.push_back(secret::digest({entry}));
  group_by_node();
}

// Keeps the last digest, because most ranks want the same records.
const secret::Digest& Answers::digest_of_entries(const Runs& wanted) {
  if (last_digest_ && wanted == last_wanted_) return *last_digest_;
  EntryDigests digests;
  for (const auto& [first, count] : wanted) {
    for (auto rank = first; rank < first + count; ++rank) digests.add(digests_[rank]);
  }
  last_wanted_ = wanted;
  return last_digest_.emplace(digests.whole());
}

// All ranks receive their node's ranks in the same phase.
void Answers::group_by_node() {
  if (entries_.size() < 2 || connections_.of_rank(entries_.size() - 1)->knows_node) return;
  nodes_[terms_.node].push_back(0);
  for (std::size_t rank = 1; rank < entries_.size(); ++rank) {
    nodes_[connections_.of_rank(rank)->node].push_back(static_cast<int>(rank));
  }
}

void Answers::send_all(const Phase& phase, const Deadline& deadline) {
  std::vector<Connection*> slow;
  for (std::size_t rank = 1; rank < entries_.size(); ++rank) {
    auto& connection = *connections_.of_rank(rank);
    start(connection, phase);
    if (send_more(connection) == Sending::later) slow.push_back(&connection);
  }
  send_rest(std::move(slow), phase, deadline);
  for (std::size_t rank = 1; rank < entries_.size(); ++rank) {
    connections_.of_rank(rank)->contribution.reset();
  }
}

void Answers::start(Connection& connection, const Phase& phase) {
  const auto& wanted = connection.contribution->wanted;
  const std::vector<int> none;
  const auto& neighbours = connection.knows_node ? none : nodes_.at(connection.node);
  Writer writer;
  writer.raw(to_bytes(Head{.kind = Kind::answer,
                           .phase = phase.number,
                           .count = ranks_in(wanted),
                           .more = static_cast<std::uint32_t>(neighbours.size())}));
  for (const int rank : neighbours) writer.u32(static_cast<std::uint32_t>(rank));
  connection.knows_node = true;
  auto head = writer.take();
  const auto tag = connection.session.seal({head, digest_of_entries(wanted)});
  connection.answer = {.head = std::move(head),
                       .next = wanted.empty() ? 0 : wanted.front().first,
                       .tag = {tag.begin(), tag.end()}};
}

Answers::Sending Answers::send_more(Connection& connection) {
  while (!connection.answer.tag.empty()) {
    std::array<iovec, max_parts> all;
    const auto parts = std::span{all}.first(gather_parts(connection, all));
    const auto moved = send(connection.socket, parts);
    if (moved.flow == Flow::later) return Sending::later;
    if (moved.flow != Flow::some) return Sending::gone;
    advance(connection, parts, moved.bytes);
  }
  return Sending::done;
}

// Collects what to send next, as many parts as fit. Returns their number.
std::size_t Answers::gather_parts(Connection& connection, std::span<iovec> parts) {
  const auto& wanted = connection.contribution->wanted;
  auto& answer = connection.answer;
  std::size_t count = 0;
  const auto add = [&](Bytes& bytes) {
    const auto skip = count == 0 ? answer.sent : 0;
    parts[count++] = {bytes.data() + skip, bytes.size() - skip};
  };
  if (!answer.head.empty()) add(answer.head);
  auto run = answer.run;
  for (auto rank = answer.next; run < wanted.size() && count < parts.size();
       step_on(wanted, run, rank)) {
    add(entries_[rank]);
  }
  if (run == wanted.size() && count < parts.size()) add(answer.tag);
  return count;
}

// Records that this many bytes of these parts have been sent.
void Answers::advance(Connection& connection, std::span<const iovec> parts, std::size_t sent) {
  const auto& wanted = connection.contribution->wanted;
  auto& answer = connection.answer;
  for (const auto& part : parts) {
    if (sent < part.iov_len) {
      answer.sent += sent;
      return;
    }
    sent -= part.iov_len;
    answer.sent = 0;
    if (!answer.head.empty()) {
      Bytes().swap(answer.head);
    } else if (answer.run < wanted.size()) {
      step_on(wanted, answer.run, answer.next);
    } else {
      Bytes().swap(answer.tag);
    }
  }
}

void Answers::send_rest(std::vector<Connection*> slow, const Phase& phase,
                        const Deadline& deadline) {
  std::vector<pollfd> polled;
  while (!slow.empty()) {
    if (deadline.passed()) fail_slow(slow, phase, deadline);
    polled.clear();
    for (const auto* const each : slow) polled.push_back({each->socket.fd(), POLLOUT, 0});
    if (poll(polled.data(), polled.size(), milliseconds_until(deadline.end())) <= 0) continue;
    std::vector<Connection*> still;
    for (std::size_t i = 0; i < slow.size(); ++i) {
      const bool ready = polled[i].revents != 0;
      if (!ready || send_more(*slow[i]) == Sending::later) still.push_back(slow[i]);
    }
    slow = std::move(still);
  }
}

Answer Answers::own(const Runs& wanted) const {
  Answer answer;
  const auto found = nodes_.find(terms_.node);
  if (found != nodes_.end()) answer.neighbours = found->second;
  for (const auto& [first, count] : wanted) {
    for (auto rank = first; rank < first + count; ++rank) {
      const auto& node = rank == 0 ? terms_.node : connections_.of_rank(rank)->node;
      const auto record = View{entries_[rank]}.subspan(entry_head(0, node).size());
      answer.entries.push_back({Bytes(record.begin(), record.end()), node});
    }
  }
  return answer;
}

}  // namespace muster::worker::tcp
