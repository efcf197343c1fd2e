#include "worker/tcp/client.hpp"

#include "worker/error.hpp"
#include "worker/tcp/resolve.hpp"

#include <algorithm>
#include <array>

#include <poll.h>
#include <sodium.h>

namespace muster::worker::tcp {
namespace {

using std::chrono::milliseconds;
using Clock = Deadline::Clock;

constexpr milliseconds connect_time{3000};   // of one attempt: then perhaps a SYN was lost
constexpr milliseconds first_pause{5};       // between attempts, doubled each time
constexpr milliseconds longest_pause{200};   // while rank 0 is probably about to start
constexpr milliseconds patient_pause{1000};  // later
constexpr milliseconds eager_time{10'000};
// Another's rank 0 may be about to go, and leave its port to ours.
constexpr milliseconds refusal_time{10'000};
constexpr milliseconds abort_time{2000};

// Not all ranks at the same moments.
void pause_about(milliseconds time, const Deadline& deadline) {
  const auto half = static_cast<std::uint32_t>(time.count() / 2);
  const milliseconds about{half + randombytes_uniform(half + 1)};
  poll(nullptr, 0, static_cast<int>(std::min(about, deadline.left()).count()));
}

muster_status status_of(std::uint32_t number) {
  const bool known = number > MUSTER_OK && number <= MUSTER_ERR_INTERNAL;
  return known ? static_cast<muster_status>(number) : MUSTER_ERR_TRANSPORT;
}

}  // namespace

std::string Guest::rank_0() const {
  return "rank 0 (" + (host_node_.empty() ? "" : host_node_ + ", ") + meeting_.place() + ")";
}

Answer Guest::exchange(const Phase& phase, View mine, const Runs& wanted,
                       const Deadline& deadline) {
  if (!socket_) meet(phase.what, deadline);
  const auto left = static_cast<std::uint32_t>(deadline.left().count());
  try {
    give(tcp::give(phase.number, left, wanted, mine), deadline.end());
    return take_answer(phase, wanted, deadline.end());
  } catch (const Gone& gone) {
    socket_.close();
    throw Error{MUSTER_ERR_PEER, phase.what + ": lost " + rank_0() + " after " +
                                     deadline.elapsed() + ": " + gone.what() +
                                     "; it has ended, look for its message"};
  } catch (const TooLate&) {
    throw Error{MUSTER_ERR_TIMEOUT, phase.what + ": " + rank_0() + " has not answered within " +
                                        deadline.elapsed() +
                                        "; it is stopped, or not in this call: look at it there"};
  } catch (const Garbled& garbled) {
    throw Error{MUSTER_ERR_TRANSPORT, phase.what + ": " + rank_0() + " sent " + garbled.what() +
                                          "; use one release of muster in all ranks"};
  }
}

void Guest::meet(const std::string& what, const Deadline& deadline) {
  std::vector<Endpoint> endpoints;
  auto pause = first_pause;
  const auto start = Clock::now();
  while (true) {
    if (endpoints.empty()) {
      auto resolved = resolve(meeting_.host, meeting_.port, deadline.end());
      endpoints = std::move(resolved.endpoints);
      if (endpoints.empty()) why_not_met_ = resolved.why_not;
    }
    if (try_to_meet(endpoints, deadline.end())) return;
    const bool refused = refused_since_ && Clock::now() - *refused_since_ > refusal_time;
    if (refused || deadline.passed()) fail_to_meet(what, deadline);
    pause_about(pause, deadline);
    pause = std::min(2 * pause, Clock::now() - start < eager_time ? longest_pause : patient_pause);
  }
}

void Guest::fail_to_meet(const std::string& what, const Deadline& deadline) const {
  const auto status = refused_since_ ? MUSTER_ERR_MISMATCH : MUSTER_ERR_TIMEOUT;
  throw Error{status, what + ": rank 0 not met at " + meeting_.place() + " (" + meeting_.source +
                          ") within " + deadline.elapsed() + ": " +
                          (refused_since_ ? why_refused_ : why_not_met_) +
                          "; is rank 0 there, in this call, and its port open to this node?"};
}

bool Guest::try_to_meet(const std::vector<Endpoint>& endpoints, Time until) {
  return std::any_of(endpoints.begin(), endpoints.end(), [&](const Endpoint& endpoint) {
    return connects(endpoint, until) && introduce(until);
  });
}

bool Guest::connects(const Endpoint& endpoint, Time until) {
  auto connecting = start_connecting(endpoint);
  socket_ = std::move(connecting.socket);
  int error = connecting.error;
  if (error == 0) {
    const auto ready = wait_for(socket_, Wish::write, std::min(until, Clock::now() + connect_time));
    error = ready == Ready::too_late ? ETIMEDOUT : connect_result(socket_);
  }
  if (error == 0) return true;
  why_not_met_ = error_text(error);
  socket_.close();
  return false;
}

// On the other end may be a stranger's server, our rank 0 of an earlier handle, or nobody yet: only
// a proof counts.
bool Guest::introduce(Time until) {
  const auto mine = make_nonce();
  reader_.emplace(socket_);
  why_not_met_ = "it accepts connections and says nothing";
  bool ours = false;
  try {
    give(greeting(mine), until);
    ours = is_our_host(mine, until);
  } catch (const Gone& gone) {
    why_not_met_ = gone.what();
  } catch (const TooLate&) {
  } catch (const Garbled& garbled) {
    refuse(std::string{"another program listens there, which sends "} + garbled.what());
  }
  if (!ours) socket_.close();
  return ours;
}

bool Guest::refuse(const std::string& why) {
  why_refused_ = why;
  if (!refused_since_) refused_since_ = Clock::now();
  return false;
}

bool Guest::is_our_host(const Nonce& mine, Time until) {
  const auto head = parse_reply_head(reader_->read(reply_head_bytes, until));
  if (head.format != wire_format) {
    return refuse("it speaks format " + std::to_string(head.format) + " and this rank format " +
                  std::to_string(wire_format) + ": use one release of muster in all ranks");
  }
  const auto said = reader_->read(head.rest, until);
  if (!proves(head.proof, meeting_.key, host_role, mine, head.nonce, said)) {
    return refuse("who listens there does not prove this step's MUSTER_EXCHANGE_KEY");
  }
  const auto host = parse_introduction(said);
  if (host.job != meeting_.job) {
    return refuse("it belongs to " + host.job + " and this rank to " + meeting_.job);
  }
  host_node_ = host.node;
  refused_since_.reset();
  const auto self = to_bytes(Introduction{.rank = static_cast<std::uint32_t>(place_.rank),
                                          .size = static_cast<std::uint32_t>(place_.size),
                                          .job = meeting_.job,
                                          .node = place_.node});
  hello_ = hello(prove(meeting_.key, guest_role, head.nonce, mine, self), self);
  return true;
}

// Rank 0 speaks before it has heard all only to say why it cannot go on, and then hears no more.
void Guest::give(View frame, Time until) {
  Bytes all = std::exchange(hello_, {});
  all.insert(all.end(), frame.begin(), frame.end());
  View left{all};
  while (!left.empty()) {
    const auto moved = send(socket_, left);
    left = left.subspan(moved.bytes);
    if (moved.flow == Flow::broken) return;  // what is left to read says why, or that it is gone
    if (moved.flow == Flow::some) continue;
    const auto ready = wait_for(socket_, Wish::both, until);
    if (ready == Ready::too_late) throw TooLate();
    if (ready == Ready::readable) return;
  }
}

Answer Guest::take_answer(const Phase& phase, const Runs& wanted, Time until) {
  const auto head = parse_head(reader_->read(head_bytes, until));
  if (head.kind == Kind::failure) pass_failure_on(head, until);
  const auto size = static_cast<std::uint32_t>(place_.size);
  if (head.kind != Kind::answer || head.phase != phase.number || head.count != ranks_in(wanted) ||
      head.more > size) {
    throw Garbled("an answer to another question");
  }
  Answer answer;
  const auto neighbours = reader_->read(std::size_t{4} * head.more, until);
  for (Parser parser{neighbours}; parser.left() > 0;) {
    const auto rank = parser.u32();
    if (rank >= size) throw Garbled("a rank that is none");
    answer.neighbours.push_back(static_cast<int>(rank));
  }
  answer.entries.reserve(head.count);
  for (std::uint32_t i = 0; i < head.count; ++i) answer.entries.push_back(take_entry(until));
  return answer;
}

Entry Guest::take_entry(Time until) {
  constexpr std::size_t lengths = 5;
  const auto bytes = reader_->read(lengths, until);
  Parser head{bytes};
  const std::size_t size = head.u32();
  const std::size_t name = head.u8();
  if (size > most_record_bytes) throw Garbled("a record that is too long");
  const auto node = reader_->read(name, until);
  return {reader_->read(size, until), one_line(Parser{node}.text(name))};
}

void Guest::pass_failure_on(const Head& head, Time until) {
  if (head.count > most_text_bytes) throw Garbled("a reason that is too long");
  const auto text = reader_->read(head.count, until);
  throw Error{status_of(head.more), one_line(Parser{text}.text(text.size()))};
}

void Guest::abort(int code, const std::string& reason, const Deadline& deadline) noexcept {
  try {
    const Deadline soon{std::min(deadline.left(), abort_time)};
    if (!socket_) meet("abort", soon);
    give(with_text(Kind::abort, 0, static_cast<std::uint32_t>(code), reason), soon.end());
  } catch (const std::exception&) {
    // This process ends, which rank 0 will see.
  }
}

void Guest::leave() noexcept {
  try {
    // Where nothing was said yet, rank 0 need not know.
    if (socket_ && hello_.empty()) send(socket_, to_bytes(Head{.kind = Kind::bye}));
  } catch (const std::exception&) {
  }
  socket_.close();
}

}  // namespace muster::worker::tcp
