#include "launcher/channel/stream.hpp"

#include "launcher/channel/framing.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <asio/buffer.hpp>
#include <asio/post.hpp>

namespace muster::channel {
namespace {

using asio::ip::tcp;

// Small, because a supervisor has thousands of these. Large enough for a heartbeat.
constexpr std::size_t small_input = 512;
constexpr std::size_t max_unsent = std::size_t{4} << 20;

std::string_view name_of(Side side) {
  return side == Side::node ? "watch of a node" : "watch of the supervisor";
}

Side other(Side side) {
  return side == Side::node ? Side::supervisor : Side::node;
}

// The direction in which `sender` sends, seen from `side`.
secret::Seal seal_of(const Proof& proof, Side side, Side sender) {
  const auto& client = side == Side::node ? proof.mine : proof.theirs;
  const auto& server = side == Side::node ? proof.theirs : proof.mine;
  return {proof.key, name_of(sender), client, server};
}

SessionEnd reason_of(const std::error_code& error) {
  const bool unreachable = error == asio::error::timed_out ||
                           error == asio::error::host_unreachable ||
                           error == asio::error::network_unreachable;
  return unreachable ? SessionEnd::unreachable : SessionEnd::closed;
}

// The size of the next message if it is known; otherwise at least the size of its length field.
std::size_t message_size(std::string_view bytes) {
  if (bytes.size() < length_bytes) return length_bytes;
  Length length{};
  std::memcpy(length.data(), bytes.data(), length.size());
  return length_bytes + decode_length(length) + secret::mac_bytes;
}

}  // namespace

Session::Stream::Stream(tcp::socket socket, const Proof& proof, Side side,
                        std::shared_ptr<void> place)
    : socket_(std::move(socket)),
      incoming_(seal_of(proof, side, other(side))),
      outgoing_(seal_of(proof, side, side)),
      place_(std::move(place)),
      input_(small_input, '\0') {
  asio::error_code ignored;  // a failed socket reports the failure when it is read
  socket_.non_blocking(true, ignored);
}

void Session::Stream::receive(SessionEvents events) {
  events_ = std::make_shared<SessionEvents>(std::move(events));
  read();
}

void Session::Stream::close() {
  events_.reset();
  failure_ = SessionEnd::closed;
  asio::error_code ignored;
  socket_.close(ignored);
  place_.reset();
}

void Session::Stream::read() {
  socket_.async_read_some(asio::buffer(input_.data() + filled_, input_.size() - filled_),
                          [self = shared_from_this()](std::error_code error, std::size_t bytes) {
                            self->take(error, bytes);
                          });
}

void Session::Stream::take(std::error_code error, std::size_t bytes) {
  if (!events_) return;
  if (failure_) return end(*failure_);
  if (error) return end(reason_of(error));
  filled_ += bytes;
  if (take_messages()) read();
}

// False if the session has ended. The receiver of a message may end it.
bool Session::Stream::take_messages() {
  std::size_t begin = 0;
  auto size = length_bytes;
  while (true) {
    const auto bytes = std::string_view(input_).substr(begin, filled_ - begin);
    size = message_size(bytes);
    if (size > length_bytes + max_session_text + secret::mac_bytes) {
      end(SessionEnd::unproven);
      return false;
    }
    if (bytes.size() < size || bytes.size() <= length_bytes) break;
    const auto text = bytes.substr(length_bytes, size - length_bytes - secret::mac_bytes);
    const auto mac = bytes.substr(size - secret::mac_bytes, secret::mac_bytes);
    if (!take_message(text, mac)) return false;
    begin += size;
  }
  keep_rest(begin, std::max(size, small_input));
  return true;
}

// Discards everything before `begin`, and makes room for the next message.
void Session::Stream::keep_rest(std::size_t begin, std::size_t room) {
  filled_ -= begin;
  std::memmove(input_.data(), input_.data() + begin, filled_);
  if (room == input_.size()) return;
  input_.resize(room);
  input_.shrink_to_fit();
}

bool Session::Stream::take_message(std::string_view text, std::string_view mac) {
  if (!incoming_.accepts(mac, {text})) {
    end(SessionEnd::unproven);
    return false;
  }
  const auto events = events_;  // outlives this stream, which the call may end
  events->message(text);
  return events_ != nullptr;
}

void Session::Stream::send(const std::vector<std::string_view>& texts) {
  if (failure_) return;
  std::string bytes;
  for (const auto text : texts) {
    if (text.size() > max_session_text) return give_up(SessionEnd::unproven);
    const auto mac = outgoing_.next({text});
    const auto size = encode_length(text.size());
    bytes.append(size.begin(), size.end()).append(text);
    bytes.append(reinterpret_cast<const char*>(mac.data()), mac.size());
  }
  if (!bytes.empty()) write(bytes);
}

void Session::Stream::write(std::string_view bytes) {
  std::size_t written = 0;
  if (writing_.empty()) {
    asio::error_code error;
    written = socket_.write_some(asio::buffer(bytes.data(), bytes.size()), error);
    if (error && error != asio::error::would_block) return give_up(reason_of(error));
  }
  output_.append(bytes.substr(written));
  if (output_.size() > max_unsent) return give_up(SessionEnd::unread);
  if (writing_.empty() && !output_.empty()) write_rest();
}

void Session::Stream::write_rest() {
  writing_ = std::exchange(output_, {});
  const auto written = [self = shared_from_this()](std::error_code error, std::size_t bytes) {
    if (!self->events_ || self->failure_) return;
    if (error) return self->give_up(reason_of(error));
    self->output_.insert(0, self->writing_, bytes);
    self->writing_.clear();
    if (!self->output_.empty()) self->write_rest();
  };
  socket_.async_write_some(asio::buffer(writing_), written);
}

// The owner is currently inside a call, so it is told later.
void Session::Stream::give_up(SessionEnd reason) {
  failure_ = reason;
  asio::post(socket_.get_executor(), [self = shared_from_this()] {
    if (self->events_) self->end(*self->failure_);
  });
}

void Session::Stream::end(SessionEnd reason) {
  const auto events = std::move(events_);
  close();
  events->ended(reason);
}

std::unique_ptr<Session> make_session(tcp::socket socket, const Proof& proof, Side side,
                                      std::shared_ptr<void> place) {
  return std::make_unique<Session>(
      std::make_shared<Session::Stream>(std::move(socket), proof, side, std::move(place)));
}

Session::Session(std::shared_ptr<Stream> stream) : stream_(std::move(stream)) {}

Session::~Session() {
  stream_->close();
}

void Session::receive(SessionEvents events) {
  stream_->receive(std::move(events));
}

void Session::send(std::string_view text) {
  stream_->send({text});
}

void Session::send(const std::vector<std::string_view>& texts) {
  stream_->send(texts);
}

}  // namespace muster::channel
