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

// For one attempt; after that, a SYN was probably lost.
constexpr milliseconds connect_timeout{3000};
constexpr milliseconds first_retry_interval{5};  // doubled after each attempt
constexpr milliseconds max_early_interval{200};  // while rank 0 is probably about to start
constexpr milliseconds max_late_interval{1000};  // later
constexpr milliseconds early_timeout{10'000};
// Another step's rank 0 may be about to release this port to ours.
constexpr milliseconds refusal_timeout{10'000};
constexpr milliseconds abort_timeout{2000};

// Varies the interval, so that ranks do not all try at the same moments.
void wait_about(milliseconds interval, const Deadline& deadline) {
  const auto half = static_cast<std::uint32_t>(interval.count() / 2);
  const milliseconds about{half + randombytes_uniform(half + 1)};
  poll(nullptr, 0, static_cast<int>(std::min(about, deadline.left()).count()));
}

muster_status status_of(std::uint32_t number) {
  const bool known = number > MUSTER_OK && number <= MUSTER_ERR_INTERNAL;
  return known ? static_cast<muster_status>(number) : MUSTER_ERR_TRANSPORT;
}

}  // namespace

std::string Client::rank_0() const {
  return "rank 0 (" + (server_node_.empty() ? "" : server_node_ + ", ") + endpoint_.text() + ")";
}

Answer Client::exchange(const Phase& phase, View mine, const Runs& wanted,
                        const Deadline& deadline) {
  if (!socket_) connect(phase.what, deadline);
  const auto left = static_cast<std::uint32_t>(deadline.left().count());
  try {
    give(tcp::give(phase.number, left, wanted, mine), deadline.end());
    return take_answer(phase, wanted, deadline.end());
  } catch (const Gone& gone) {
    socket_.close();
    throw Error{MUSTER_ERR_PEER, phase.what + ": lost " + rank_0() + " after " +
                                     deadline.elapsed() + ": " + gone.what() +
                                     "; look at its output"};
  } catch (const TooLate&) {
    throw Error{MUSTER_ERR_TIMEOUT, phase.what + ": " + rank_0() + " has not answered within " +
                                        deadline.elapsed() +
                                        "; it may be suspended, or may not have made this "
                                        "call: check that process"};
  } catch (const Garbled& garbled) {
    throw Error{MUSTER_ERR_TRANSPORT, phase.what + ": " + rank_0() + " sent " + garbled.what() +
                                          "; use the same muster release on every rank"};
  }
}

void Client::connect(const std::string& what, const Deadline& deadline) {
  std::vector<SocketAddress> addresses;
  auto interval = first_retry_interval;
  const auto start = Clock::now();
  while (true) {
    if (addresses.empty()) {
      auto resolved = resolve(endpoint_.host, endpoint_.port, deadline.end());
      addresses = std::move(resolved.addresses);
      if (addresses.empty()) why_unreachable_ = resolved.why_not;
    }
    if (try_to_connect(addresses, deadline.end())) return;
    const bool refused = refused_since_ && Clock::now() - *refused_since_ > refusal_timeout;
    if (refused || deadline.passed()) fail_to_connect(what, deadline);
    wait_about(interval, deadline);
    const bool early = Clock::now() - start < early_timeout;
    interval = std::min(2 * interval, early ? max_early_interval : max_late_interval);
  }
}

void Client::fail_to_connect(const std::string& what, const Deadline& deadline) const {
  const auto where = what + ": could not reach rank 0 at " + endpoint_.text() + " (" +
                     endpoint_.source + ") within " + deadline.elapsed() + ": ";
  if (refused_since_) throw Error{MUSTER_ERR_MISMATCH, where + why_refused_};
  throw Error{MUSTER_ERR_TIMEOUT,
              where + why_unreachable_ +
                  "; is rank 0 running and in this call, and is its port open to this node?"};
}

bool Client::try_to_connect(const std::vector<SocketAddress>& addresses, Time until) {
  return std::any_of(addresses.begin(), addresses.end(), [&](const SocketAddress& address) {
    return connects(address, until) && introduce(until);
  });
}

bool Client::connects(const SocketAddress& address, Time until) {
  auto connecting = start_connecting(address);
  socket_ = std::move(connecting.socket);
  int error = connecting.error;
  if (error == 0) {
    const auto ready =
        wait_for(socket_, Wish::write, std::min(until, Clock::now() + connect_timeout));
    error = ready == Ready::too_late ? ETIMEDOUT : connect_result(socket_);
  }
  if (error == 0) return true;
  why_unreachable_ = error_text(error);
  socket_.close();
  return false;
}

// The other end may be another program's server, another step's rank 0, or our own rank 0 from an earlier
// handle, so only a proof counts.
bool Client::introduce(Time until) {
  const auto mine = make_nonce();
  reader_.emplace(socket_);
  why_unreachable_ = "it accepts connections but does not answer";
  bool ours = false;
  try {
    send_all(greeting(mine), until);
    ours = is_our_server(mine, until);
  } catch (const Gone& gone) {
    why_unreachable_ = gone.what();
  } catch (const TooLate&) {
  } catch (const Garbled& garbled) {
    refuse(std::string{"another program is listening there, and it sent "} + garbled.what() +
           "; export MUSTER_EXCHANGE=ADDRESS:PORT with a free port on rank 0's node to every rank");
  }
  if (!ours) socket_.close();
  return ours;
}

bool Client::refuse(const std::string& why) {
  why_refused_ = why;
  if (!refused_since_) refused_since_ = Clock::now();
  return false;
}

bool Client::is_our_server(const Nonce& mine, Time until) {
  const auto head = parse_reply_head(reader_->read(reply_head_bytes, until));
  if (head.format != wire_format) {
    return refuse("it uses protocol format " + std::to_string(head.format) +
                  ", but this rank uses format " + std::to_string(wire_format) +
                  ": use the same muster release on every rank");
  }
  const auto said = reader_->read(head.rest, until);
  if (!proves(head.proof, endpoint_.key.bytes, server_role, mine, head.nonce, said)) {
    return refuse("it did not prove that it has this step's key: " + endpoint_.key.remedy);
  }
  const auto server = parse_introduction(said);
  if (server.job != endpoint_.job) {
    return refuse("it belongs to " + server.job + " and this rank to " + endpoint_.job +
                  "; use a separate port for each step");
  }
  server_node_ = server.node;
  refused_since_.reset();
  const auto self = to_bytes(Introduction{.rank = static_cast<std::uint32_t>(self_.rank),
                                          .size = static_cast<std::uint32_t>(self_.size),
                                          .job = endpoint_.job,
                                          .node = self_.node});
  hello_ = hello(prove(endpoint_.key.bytes, client_role, head.nonce, mine, self), self);
  outgoing_.emplace(endpoint_.key.bytes, client_role, mine, head.nonce);
  incoming_.emplace(endpoint_.key.bytes, server_role, mine, head.nonce);
  return true;
}

void Client::give(View frame, Time until) {
  const auto tag = outgoing_.value().next({frame});
  send_all(Writer().raw(std::exchange(hello_, {})).raw(frame).raw(tag).take(), until);
}

// Until rank 0 has heard from all ranks, it sends only the reason why it cannot continue, and then reads no
// more.
void Client::send_all(View left, Time until) {
  while (!left.empty()) {
    const auto moved = send(socket_, left);
    left = left.subspan(moved.bytes);
    // The unread bytes say why, or show that rank 0 is gone.
    if (moved.flow == Flow::broken) return;
    if (moved.flow == Flow::some) continue;
    const auto ready = wait_for(socket_, Wish::both, until);
    if (ready == Ready::too_late) throw TooLate();
    if (ready == Ready::readable) return;
  }
}

Answer Client::take_answer(const Phase& phase, const Runs& wanted, Time until) {
  const auto head = parse_head(reader_->read(head_bytes, until));
  if (head.kind == Kind::failure) pass_failure_on(head, until);
  const auto size = static_cast<std::uint32_t>(self_.size);
  if (head.kind != Kind::answer || head.phase != phase.number || head.count != ranks_in(wanted) ||
      head.more > size) {
    throw Garbled("an answer to another request");
  }
  Answer answer;
  const auto neighbours = reader_->read(std::size_t{4} * head.more, until);
  for (Parser parser{neighbours}; parser.left() > 0;) {
    const auto rank = parser.u32();
    if (rank >= size) throw Garbled("a rank that does not exist");
    answer.neighbours.push_back(static_cast<int>(rank));
  }
  answer.entries.reserve(head.count);
  EntryDigests digests;
  for (std::uint32_t i = 0; i < head.count; ++i) {
    answer.entries.push_back(take_entry(digests, until));
  }
  check_tag(incoming_.value(), reader_->read(tag_bytes, until),
            {to_bytes(head), neighbours, digests.whole()});
  return answer;
}

Entry Client::take_entry(EntryDigests& digests, Time until) {
  constexpr std::size_t lengths = 5;
  const auto bytes = reader_->read(lengths, until);
  Parser head{bytes};
  const std::size_t size = head.u32();
  const std::size_t name = head.u8();
  if (size > max_record_bytes) throw Garbled("a record that is too long");
  const auto node = reader_->read(name, until);
  auto record = reader_->read(size, until);
  digests.add(secret::digest({bytes, node, record}));
  return {std::move(record), one_line(Parser{node}.text(name))};
}

void Client::pass_failure_on(const Head& head, Time until) {
  if (head.count > max_text_bytes) throw Garbled("a reason that is too long");
  const auto text = reader_->read(head.count, until);
  check_tag(incoming_.value(), reader_->read(tag_bytes, until), {to_bytes(head), text});
  if (text.empty())
    throw Error{status_of(head.more), rank_0() + " gave up without giving a reason"};
  throw Error{status_of(head.more), one_line(Parser{text}.text(text.size()))};
}

void Client::abort(int code, const std::string& reason, const Deadline& deadline) noexcept {
  try {
    const Deadline soon{std::min(deadline.left(), abort_timeout)};
    if (!socket_) connect("abort", soon);
    give(with_text(Kind::abort, 0, static_cast<std::uint32_t>(code), reason), soon.end());
  } catch (const std::exception&) {
    // This process is about to exit anyway, and rank 0 will notice.
  }
}

void Client::leave() noexcept {
  try {
    // A rank that has not contributed anything yet need not say goodbye.
    if (socket_ && hello_.empty()) {
      const auto bye = to_bytes(Head{.kind = Kind::bye});
      send(socket_, Writer().raw(bye).raw(outgoing_.value().next({bye})).take());
    }
  } catch (const std::exception&) {
  }
  socket_.close();
}

}  // namespace muster::worker::tcp
