#include "hand_made_rank.hpp"

#include <algorithm>
#include <stdexcept>

namespace muster::worker::tcp {
namespace {

const auto timeout = std::chrono::seconds{10};

}  // namespace

HandMadeRank::HandMadeRank(const LoopbackRanks& ranks, int rank)
    : ranks_(ranks),
      rank_(static_cast<std::uint32_t>(rank)),
      endpoint_(endpoint_of(ranks.environment(rank), user_secret)) {}

Socket HandMadeRank::connect_again() const {
  const auto until = Deadline::Clock::now() + timeout;
  while (Deadline::Clock::now() < until) {
    auto socket = knock(ranks_.port());
    const bool ready = wait_for(socket, Wish::write, until) != Ready::too_late;
    if (ready && connect_result(socket) == 0) return socket;
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
  throw std::runtime_error("rank 0 does not listen");
}

void HandMadeRank::send_raw(View bytes) {
  sent_.insert(sent_.end(), bytes.begin(), bytes.end());
  const auto until = Deadline::Clock::now() + timeout;
  while (!bytes.empty()) {
    const auto moved = send(socket_, bytes);
    if (moved.flow == Flow::broken) return;
    bytes = bytes.subspan(moved.bytes);
    if (!bytes.empty() && wait_for(socket_, Wish::write, until) == Ready::too_late) return;
  }
}

void HandMadeRank::introduce() {
  socket_ = connect_again();
  const auto mine = make_nonce();
  send_raw(greeting(mine));
  Reader reader(socket_);
  const auto until = Deadline::Clock::now() + timeout;
  const auto head = parse_reply_head(reader.read(reply_head_bytes, until));
  reader.read(head.rest, until);
  const auto environment = ranks_.environment(static_cast<int>(rank_));
  const auto self = to_bytes(
      Introduction{.rank = rank_,
                   .size = static_cast<std::uint32_t>(*environment.number("WORLD_SIZE", 1000)),
                   .job = endpoint_.job,
                   .node = std::string{environment.get("SLURMD_NODENAME")}});
  send_raw(hello(prove(endpoint_.key.bytes, client_role, head.nonce, mine, self), self));
  seal_.emplace(endpoint_.key.bytes, client_role, mine, head.nonce);
}

void HandMadeRank::give(std::uint32_t phase, const std::string& record, std::size_t bytes,
                        const Runs& wanted) {
  const auto frame = sealed(tcp::give(phase, 10'000, wanted, bytes_of(record)));
  send_raw(View{frame}.first(std::min(bytes, frame.size())));
}

void HandMadeRank::send_frame(View frame) {
  send_raw(sealed(frame));
}

Bytes HandMadeRank::sealed(View frame) {
  return Writer().raw(frame).raw(seal_.value().next({frame})).take();
}

}  // namespace muster::worker::tcp
