#include "worker/tcp/server.hpp"

#include "worker/error.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <poll.h>
#include <sys/epoll.h>
#include <sys/resource.h>

namespace muster::worker::tcp {
namespace {

using std::chrono::milliseconds;
using Clock = Deadline::Clock;

constexpr std::size_t events_at_once = 256;
constexpr std::size_t read_at_once = 65536;
constexpr int accepted_at_once = 64;  // between two looks at those who are here
constexpr milliseconds rest{20};      // of the listener, when there are no descriptors left
constexpr std::size_t own_files = 256;
constexpr milliseconds late_time{1000};  // for ranks on their way, when all has failed

// What is kept back of a deadline, to tell everybody who is missing before they give up by
// themselves.
milliseconds margin(milliseconds left) {
  return std::clamp(left / 10, milliseconds{5}, milliseconds{1000});
}

bool poll_also(const Socket& poller, int fd, int operation = EPOLL_CTL_ADD) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = fd;
  return epoll_ctl(poller.fd(), operation, fd, &event) == 0;
}

std::string who(int rank, const std::string& node) {
  return "rank " + std::to_string(rank) + (node.empty() ? "" : " (" + node + ")");
}

}  // namespace

void allow_sockets(std::uint32_t ranks) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlim_t needed = rlim_t{ranks} + most_strangers + own_files;
  if (limit.rlim_cur >= needed) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  // A few less may do, but for the ranks themselves.
  if (limit.rlim_max > ranks) return;
  throw Error{MUSTER_ERR_TRANSPORT,
              "rank 0 needs a socket for each of " + std::to_string(ranks) +
                  " ranks and may open " + std::to_string(limit.rlim_max) +
                  " files: raise its hard limit (ulimit -Hn), or use PMIx (srun --mpi=pmix)"};
}

Host::Host(Terms terms, std::uint16_t port, const std::string& port_source)
    : terms_(std::move(terms)) {
  if (expected() > 0) allow_sockets(terms_.size);
  ranks_.resize(terms_.size);
  entries_.resize(terms_.size);
  if (expected() == 0) return;
  listener_ = listen_at(port, port_source);
  poller_ = Socket(epoll_create1(EPOLL_CLOEXEC));
  if (!poller_ || !poll_also(poller_, listener_.fd())) {
    throw Error{MUSTER_ERR_TRANSPORT, "rank 0 cannot wait for the others: epoll: " +
                                          error_text(errno) + "; close some files"};
  }
}

Answer Host::exchange(const Phase& phase, View mine, const Runs& wanted, const Deadline& deadline) {
  entries_[0] = Writer().raw(entry_head(mine.size(), terms_.node)).raw(mine).take();
  try {
    collect(phase, deadline);
    answer_all(phase, deadline);
    return own_answer(wanted);
  } catch (const Error& error) {
    fail_all(error.status(), error.what());
    tell_late_ones(phase, deadline);
    throw;
  }
}

// ---------------------------------------------------------------- hearing all

void Host::collect(const Phase& phase, const Deadline& deadline) {
  here_ = 0;
  give_up_ = deadline.earlier(margin(deadline.left())).end();
  for (auto* const visitor : ranks_) {
    if (visitor != nullptr && visitor->left) lost(*visitor, "", phase, deadline);
  }
  while (here_ < expected()) {
    const auto now = Clock::now();
    if (now >= give_up_) fail_late(phase, deadline);
    drop_late_strangers(now);
    // Strangers and a resting listener are looked at again soon enough.
    const bool soon = !strangers_.empty() || listener_rests_until_ > now;
    look(phase, deadline, soon ? std::min(give_up_, now + milliseconds{50}) : give_up_);
  }
  if (proved_ == expected()) close_door();
}

void Host::look(const Phase& phase, const Deadline& deadline, Time until) {
  std::array<epoll_event, events_at_once> events;
  const int ready = epoll_wait(poller_.fd(), events.data(), static_cast<int>(events.size()),
                               milliseconds_until(until));
  if (ready < 0 && errno != EINTR) {
    throw Error{MUSTER_ERR_TRANSPORT, phase.what + ": rank 0 cannot wait: " + error_text(errno)};
  }
  for (int i = 0; i < ready; ++i) {
    const int fd = events[static_cast<std::size_t>(i)].data.fd;
    if (listener_ && fd == listener_.fd()) {
      accept_some();
    } else {
      hear(fd, phase, deadline);
    }
  }
  if (listener_ && listener_rests_until_ != Time{} && Clock::now() >= listener_rests_until_) {
    listener_rests_until_ = Time{};
    poll_also(poller_, listener_.fd());
  }
}

// Out of room or of descriptors the listener rests, and whoever comes waits in the kernel.
void Host::accept_some() {
  for (int i = 0; i < accepted_at_once; ++i) {
    const bool room = make_room();
    auto accepted = room ? accept_one(listener_) : Accepted{};
    if (!room || accepted.error == EMFILE || accepted.error == ENFILE ||
        accepted.error == ENOBUFS || accepted.error == ENOMEM) {
      epoll_ctl(poller_.fd(), EPOLL_CTL_DEL, listener_.fd(), nullptr);
      listener_rests_until_ = Clock::now() + rest;
      return;
    }
    if (!accepted.socket) return;
    const int fd = accepted.socket.fd();
    if (!poll_also(poller_, fd)) continue;
    visitors_[fd] = std::make_unique<Visitor>(std::move(accepted.socket), terms_, Clock::now());
    strangers_.push_back(fd);
  }
}

// One who has greeted is a rank on a slow node, most likely: it does not have to go for another.
bool Host::make_room() {
  if (strangers_.size() < most_strangers) return true;
  const auto late = Clock::now() - stranger_patience;
  const auto found = std::find_if(strangers_.begin(), strangers_.end(), [&](int fd) {
    const auto& each = *visitors_.at(fd);
    return !each.greeted && each.came <= late;
  });
  if (found == strangers_.end()) return false;
  turn_away(*visitors_.at(*found), "it said nothing");
  return true;
}

void Host::drop_late_strangers(Time now) {
  const auto strangers = strangers_;
  for (const int fd : strangers) {
    auto& each = *visitors_.at(fd);
    const auto time = each.greeted ? greeted_time : stranger_time;
    if (now - each.came > time) turn_away(each, "it said nothing more");
  }
}

// One who knows how to greet is a rank of ours with another key, most likely.
void Host::turn_away(Visitor& visitor, const std::string& why) {
  stranger_note_ = visitor.greeted ? "it did not prove this step's key (" + why + ")" : why;
  ++turned_away_;
  forget(visitor.socket.fd());
}

void Host::forget(int fd) {
  strangers_.remove(fd);
  visitors_.erase(fd);  // which closes it, and so takes it from the poller
}

void Host::hear(int fd, const Phase& phase, const Deadline& deadline) {
  const auto found = visitors_.find(fd);
  if (found == visitors_.end()) return;  // had to go for another in this round
  auto& visitor = *found->second;
  std::array<std::byte, read_at_once> buffer;
  const auto moved = receive(visitor.socket, buffer);
  if (moved.flow == Flow::later) return;
  if (moved.flow != Flow::some) {
    const auto why = moved.flow == Flow::ended ? "it has ended or left" : error_text(moved.error);
    return lost(visitor, why, phase, deadline);
  }
  try {
    View bytes = View{buffer}.first(moved.bytes);
    while (auto event = visitor.conversation.next(bytes)) {
      if (auto* const greeted = std::get_if<Greeted>(&*event)) {
        greet(visitor, greeted->reply);
      } else if (failure_.empty()) {
        handle(visitor, std::move(*event), phase, deadline);
      } else if (std::holds_alternative<Arrived>(*event)) {
        tell_failure(visitor);
      }
    }
  } catch (const Garbled& garbled) {
    lost(visitor, std::string{"it sent "} + garbled.what(), phase, deadline);
  }
}

void Host::greet(Visitor& visitor, View reply) {
  visitor.greeted = true;
  // The first that is sent: it always fits.
  if (send(visitor.socket, reply).bytes != reply.size()) throw Garbled("a greeting, and went");
}

void Host::tell_failure(Visitor& visitor) {
  strangers_.remove(visitor.socket.fd());
  visitor.rank = 0;  // which one does not matter any more
  ++proved_;
  send(visitor.socket, failure_);
}

void Host::handle(Visitor& visitor, Event event, const Phase& phase, const Deadline& deadline) {
  if (auto* const someone = std::get_if<Arrived>(&event)) {
    arrived(visitor, std::move(someone->who), phase);
  } else if (auto* const gave = std::get_if<Gave>(&event)) {
    if (visitor.given) throw Garbled("two records in one call");
    if (gave->phase != phase.number) {
      throw Error{MUSTER_ERR_MISMATCH,
                  phase.what + ": " + who(visitor.rank, visitor.node) + " is in call " +
                      std::to_string(gave->phase) + " and rank 0 in call " +
                      std::to_string(phase.number) +
                      ": every rank must make the same calls in the same order"};
    }
    const milliseconds left{gave->left_ms};
    give_up_ = std::min(give_up_, Clock::now() + left - margin(left));
    visitor.given = std::move(*gave);
    ++here_;
  } else if (std::holds_alternative<Left>(event)) {
    visitor.left = true;
    lost(visitor, "", phase, deadline);
  } else {
    const auto& aborted = std::get<Aborted>(event);
    throw Error{MUSTER_ERR_PEER, phase.what + ": " + who(visitor.rank, visitor.node) +
                                     " has aborted the step after " + deadline.elapsed() + ": " +
                                     (aborted.reason.empty() ? "no reason given" : aborted.reason)};
  }
}

void Host::arrived(Visitor& visitor, Introduction who_came, const Phase& phase) {
  strangers_.remove(visitor.socket.fd());
  visitor.rank = static_cast<int>(std::min<std::uint32_t>(who_came.rank, max_size));
  visitor.node = std::move(who_came.node);
  const auto its = who(visitor.rank, visitor.node);
  if (who_came.size != terms_.size) {
    throw Error{MUSTER_ERR_MISMATCH, phase.what + ": " + its + " believes in " +
                                         std::to_string(who_came.size) + " ranks and rank 0 in " +
                                         std::to_string(terms_.size) +
                                         ": start all ranks by one srun, with one WORLD_SIZE"};
  }
  const bool is_rank = who_came.rank > 0 && who_came.rank < terms_.size;
  auto* const first = is_rank ? ranks_[who_came.rank] : nullptr;
  if (!is_rank || first != nullptr) {
    const auto& node = first != nullptr ? first->node : terms_.node;
    throw Error{MUSTER_ERR_MISMATCH, phase.what + ": two processes say that they are rank " +
                                         std::to_string(visitor.rank) + ", on " + node +
                                         " and on " + visitor.node +
                                         ": give every rank a RANK of its own"};
  }
  ranks_[who_came.rank] = &visitor;
  ++proved_;
}

// A stranger harms only itself; without a rank nobody can go on.
void Host::lost(Visitor& visitor, const std::string& why, const Phase& phase,
                const Deadline& deadline) {
  if (visitor.rank < 0) {
    turn_away(visitor, why);
    return;
  }
  if (!failure_.empty()) return forget(visitor.socket.fd());
  const auto what = visitor.left ? " has left before this call" : " is lost: " + why;
  const auto its = who(visitor.rank, visitor.node);
  // Nothing can be sent to it, and it must not be waited for again.
  ranks_[static_cast<std::size_t>(visitor.rank)] = nullptr;
  visitors_.erase(visitor.socket.fd());
  throw Error{MUSTER_ERR_PEER, phase.what + ": " + its + what + ", after " + deadline.elapsed() +
                                   "; look for its message"};
}

std::vector<AbsentRank> Host::absent() const {
  std::vector<AbsentRank> ranks;
  const auto expected_nodes = terms_.nodes.by_rank(ranks_.size());
  const auto expected_node = [&](std::size_t rank) {
    return expected_nodes.empty() ? std::string{} : expected_nodes[rank];
  };
  for (std::size_t rank = 1; rank < ranks_.size(); ++rank) {
    const auto* const visitor = ranks_[rank];
    if (visitor != nullptr && visitor->given) continue;
    ranks.push_back({.rank = static_cast<int>(rank),
                     .node = visitor != nullptr ? visitor->node : expected_node(rank),
                     .connected = visitor != nullptr});
  }
  return ranks;
}

void Host::fail_late(const Phase& phase, const Deadline& deadline) {
  auto text = phase.what + ": " + absence(absent()) + " within " + deadline.elapsed() + " (" +
              std::to_string(here_ + 1) + " of " + std::to_string(terms_.size) + " ranks are here)";
  if (turned_away_ > 0) {
    text += "; " + std::to_string(turned_away_) +
            " connections were none of this step's, of the last: " + stranger_note_;
  }
  throw Error{MUSTER_ERR_TIMEOUT,
              text + "; look at those ranks, or allow more time (MUSTER_TIMEOUT)"};
}

void Host::fail_all(muster_status status, const std::string& why) noexcept {
  try {
    failure_ = with_text(Kind::failure, 0, static_cast<std::uint32_t>(status), why);
    for (const auto& [fd, visitor] : visitors_) {
      if (visitor->rank >= 0) send(visitor->socket, failure_);
    }
  } catch (const std::exception&) {
    // They will see the connection end.
  }
}

// Ranks that are on their way would otherwise try to connect until their own deadline.
void Host::tell_late_ones(const Phase& phase, const Deadline& deadline) noexcept {
  const auto until = std::min(deadline.end(), Clock::now() + late_time);
  try {
    while (proved_ < expected() && Clock::now() < until) look(phase, deadline, until);
  } catch (const std::exception&) {
    // What is wrong is told already.
  }
  listener_.close();
}

// ---------------------------------------------------------------- answering all

void Host::close_door() {
  listener_.close();
  while (!strangers_.empty()) forget(strangers_.front());
}

void Host::answer_all(const Phase& phase, const Deadline& deadline) {
  for (std::size_t rank = 1; rank < ranks_.size(); ++rank) {
    auto& visitor = *ranks_[rank];
    const auto& record = visitor.given->record;
    entries_[rank] = Writer().raw(entry_head(record.size(), visitor.node)).raw(record).take();
    Bytes().swap(visitor.given->record);
  }
  group_by_node();
  std::vector<Visitor*> slow;
  for (std::size_t rank = 1; rank < ranks_.size(); ++rank) {
    start_answer(*ranks_[rank], phase);
    if (send_more(*ranks_[rank]) == Sending::later) slow.push_back(ranks_[rank]);
  }
  send_rest(std::move(slow), phase, deadline);
  for (std::size_t rank = 1; rank < ranks_.size(); ++rank) ranks_[rank]->given.reset();
}

void Host::group_by_node() {
  nodes_.clear();
  const bool told = ranks_.size() < 2 || ranks_.back()->knows_node;
  if (told) return;
  nodes_[terms_.node].push_back(0);
  for (std::size_t rank = 1; rank < ranks_.size(); ++rank) {
    nodes_[ranks_[rank]->node].push_back(static_cast<int>(rank));
  }
}

void Host::start_answer(Visitor& visitor, const Phase& phase) {
  const auto& wanted = visitor.given->wanted;
  const std::vector<int> none;
  const auto& neighbours = visitor.knows_node ? none : nodes_.at(visitor.node);
  Writer writer;
  writer.raw(to_bytes(Head{.kind = Kind::answer,
                           .phase = phase.number,
                           .count = ranks_in(wanted),
                           .more = static_cast<std::uint32_t>(neighbours.size())}));
  for (const int rank : neighbours) writer.u32(static_cast<std::uint32_t>(rank));
  visitor.knows_node = true;
  visitor.head = writer.take();
  visitor.sent = 0;
  visitor.run = 0;
  visitor.next = wanted.empty() ? 0 : wanted.front().first;
}

// Out of the records themselves, as many as fit.
Host::Sending Host::send_more(Visitor& visitor) {
  const auto& wanted = visitor.given->wanted;
  const auto advance = [&](std::size_t& run, std::uint32_t& rank) {
    if (++rank < wanted[run].first + wanted[run].count) return;
    if (++run < wanted.size()) rank = wanted[run].first;
  };
  while (!visitor.head.empty() || visitor.run < wanted.size()) {
    std::array<iovec, 64> parts;
    std::size_t count = 0;
    const auto add = [&](Bytes& bytes) {
      const auto skip = count == 0 ? visitor.sent : 0;
      parts[count++] = {bytes.data() + skip, bytes.size() - skip};
    };
    if (!visitor.head.empty()) add(visitor.head);
    auto run = visitor.run;
    for (auto rank = visitor.next; run < wanted.size() && count < parts.size();
         advance(run, rank)) {
      add(entries_[rank]);
    }
    const auto moved = send(visitor.socket, std::span{parts}.first(count));
    if (moved.flow == Flow::later) return Sending::later;
    if (moved.flow != Flow::some) return Sending::gone;
    auto bytes = moved.bytes;
    for (std::size_t i = 0; i < count && bytes > 0; ++i) {
      if (bytes < parts[i].iov_len) {
        visitor.sent = (i == 0 ? visitor.sent : 0) + bytes;
        break;
      }
      bytes -= parts[i].iov_len;
      visitor.sent = 0;
      if (!visitor.head.empty()) {
        Bytes().swap(visitor.head);
      } else {
        advance(visitor.run, visitor.next);
      }
    }
  }
  return Sending::done;
}

// Everybody has come: one who dies now has its record here, and only the next call misses it.
void Host::send_rest(std::vector<Visitor*> slow, const Phase& phase, const Deadline& deadline) {
  std::vector<pollfd> polled;
  while (!slow.empty()) {
    if (deadline.passed()) {
      std::vector<AbsentRank> ranks;
      for (const auto* const each : slow) ranks.push_back({each->rank, each->node, true});
      throw Error{MUSTER_ERR_TIMEOUT, phase.what + ": no room for the answer to " +
                                          list_ranks(ranks) + " within " + deadline.elapsed() +
                                          "; are they stopped, or the network slow?"};
    }
    polled.clear();
    for (const auto* const each : slow) polled.push_back({each->socket.fd(), POLLOUT, 0});
    if (poll(polled.data(), polled.size(), milliseconds_until(deadline.end())) <= 0) continue;
    std::vector<Visitor*> still;
    for (std::size_t i = 0; i < slow.size(); ++i) {
      const bool ready = polled[i].revents != 0;
      if (!ready || send_more(*slow[i]) == Sending::later) still.push_back(slow[i]);
    }
    slow = std::move(still);
  }
}

Answer Host::own_answer(const Runs& wanted) {
  Answer answer;
  const auto found = nodes_.find(terms_.node);
  if (found != nodes_.end()) answer.neighbours = found->second;
  nodes_.clear();
  for (const auto& [first, count] : wanted) {
    for (auto rank = first; rank < first + count; ++rank) {
      const auto* const visitor = ranks_[rank];
      const View entry{entries_[rank]};
      const auto& node = rank == 0 ? terms_.node : visitor->node;
      const auto record = entry.subspan(entry_head(0, node).size());
      answer.entries.push_back({Bytes(record.begin(), record.end()), node});
    }
  }
  for (auto& entry : entries_) Bytes().swap(entry);
  return answer;
}

}  // namespace muster::worker::tcp
