#include "launcher/tools/dump/ras_client.hpp"

#include "core/dump/look.hpp"
#include "core/text/list.hpp"
#include "core/text/number.hpp"
#include "launcher/os/descriptor.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace muster::dump {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr std::size_t max_answer = std::size_t{256} << 10;

std::optional<sockaddr_in> loopback_address(const std::string& text) {
  const auto colon = text.rfind(':');
  if (colon == std::string::npos) return std::nullopt;
  auto host = text.substr(0, colon);
  if (host == "localhost") host = "127.0.0.1";
  const auto port = text::number<std::uint16_t>(std::string_view(text).substr(colon + 1));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  if (!port || *port == 0 || inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1 ||
      !host.starts_with("127.")) {
    return std::nullopt;
  }
  address.sin_port = htons(*port);
  return address;
}

// Reads the answer on one connection, up to a size limit and a deadline.
class Conversation {
 public:
  explicit Conversation(Clock::time_point deadline) : deadline_(deadline) {}

  bool open(const sockaddr_in& address) {
    socket_ = os::Descriptor(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!socket_) return false;
    const auto* const name = reinterpret_cast<const sockaddr*>(&address);
    if (connect(socket_.get(), name, sizeof address) == 0) return true;
    int error = 0;
    socklen_t size = sizeof error;
    return errno == EINPROGRESS && await(POLLOUT) &&
           getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
  }

  bool say(std::string_view line) const {
    const auto sent = send(socket_.get(), line.data(), line.size(), MSG_NOSIGNAL);
    return sent == static_cast<ssize_t>(line.size());
  }

  // The next line without its newline; no value if none arrives.
  std::optional<std::string> line() {
    auto end = received_.find('\n');
    while (end == std::string::npos && receive()) end = received_.find('\n');
    if (end == std::string::npos) return std::nullopt;
    auto line = received_.substr(0, end);
    received_.erase(0, end + 1);
    return line;
  }

  // Reads to the end of the answer; false if the end did not arrive in time.
  std::pair<std::string, bool> rest() {
    while (receive()) {
    }
    return {std::move(received_), ended_};
  }

 private:
  bool await(short event) const {
    const auto left = std::chrono::duration_cast<milliseconds>(deadline_ - Clock::now()).count();
    pollfd ready{socket_.get(), event, 0};
    return left > 0 && poll(&ready, 1, static_cast<int>(left)) > 0;
  }

  bool receive() {
    if (received_.size() >= max_answer || !await(POLLIN)) return false;
    std::array<char, 4096> part{};
    const auto size = recv(socket_.get(), part.data(), part.size(), 0);
    ended_ = size == 0;
    if (size > 0) received_.append(part.data(), static_cast<std::size_t>(size));
    return size > 0;
  }

  Clock::time_point deadline_;
  os::Descriptor socket_;
  std::string received_ = {};
  bool ended_ = false;
};

RasAnswer in_lines(const std::string& text, bool whole) {
  RasAnswer answer;
  for (const auto line : text::split(text, '\n')) {
    if (line.empty()) continue;
    if (answer.lines.size() == max_ras_lines) {
      whole = false;
      break;
    }
    answer.lines.push_back(line_of(line, max_remark_bytes));
  }
  if (answer.lines.empty()) {
    answer.remark = "NCCL's RAS did not answer in time";
  } else if (!whole) {
    answer.remark = "NCCL's RAS did not finish its answer: the files contain only part of it";
  }
  return answer;
}

}  // namespace

bool answers_ras(std::string_view version) {
  const auto parts = text::split(version, '.');
  if (parts.size() != 3) return false;
  std::array<unsigned, 3> numbers{};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto number = text::number<unsigned>(parts[i]);
    if (!number) return false;
    numbers[i] = *number;
  }
  return numbers >= std::array{2U, 29U, 2U};
}

RasAnswer ask_ras(const std::string& address, milliseconds timeout) {
  const auto place = loopback_address(address);
  if (!place)
    return {.remark = "NCCL's RAS was not queried: NCCL_RAS_ADDR is not a loopback address"};
  Conversation ras(Clock::now() + timeout);
  if (!ras.open(*place)) return {.remark = "NCCL's RAS is not listening on NCCL_RAS_ADDR"};
  const auto version = ras.say("CLIENT PROTOCOL 2\n") ? ras.line() : std::nullopt;
  if (!version || !version->starts_with("SERVER PROTOCOL ")) {
    return {.remark = "the service at NCCL_RAS_ADDR is not NCCL's RAS, or does not answer"};
  }
  // RAS collects for this long, and then prints what it has.
  const auto seconds = std::max<std::int64_t>(1, timeout.count() / 2000);
  if (!ras.say(fmt::format("TIMEOUT {}\n", seconds)) || ras.line() != "OK" ||
      !ras.say("VERBOSE STATUS\n")) {
    return {.remark = "NCCL's RAS did not accept the query"};
  }
  const auto [text, whole] = ras.rest();
  return in_lines(text, whole);
}

}  // namespace muster::dump
