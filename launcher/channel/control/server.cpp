#include "launcher/channel/control/server.hpp"

#include "core/text/json.hpp"
#include "launcher/channel/control/place.hpp"
#include "launcher/os/local_socket.hpp"
#include "launcher/os/output.hpp"
#include "launcher/os/private_directory.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sodium.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace muster::control {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds question_timeout{1000};
constexpr milliseconds answer_timeout{5000};
constexpr milliseconds pause_without_descriptors{20};
constexpr int backlog = 16;

// Random because process IDs belong to a namespace, and several namespaces may share a directory.
std::string random_name() {
  std::array<unsigned char, 8> bytes{};
  if (sodium_init() < 0) return fmt::format("{}.socket", getpid());
  randombytes_buf(bytes.data(), bytes.size());
  return fmt::format("{:02x}.socket", fmt::join(bytes, ""));
}

// Empty if this is not a question.
std::string name_in(const std::string& question) {
  try {
    const auto json = text::parse_json(question, [](int depth, auto /*event*/, auto& /*parsed*/) {
      constexpr int max_depth = 4;
      return depth <= max_depth;
    });
    const auto name = json.is_object() ? json.find("ask") : json.end();
    return name != json.end() && name->is_string() ? name->get<std::string>() : "";
  } catch (const nlohmann::json::exception&) {
    return {};
  }
}

}  // namespace

Socket::Socket(Environment environment, std::string host)
    : environment_(std::move(environment)), host_(std::move(host)) {}

void Socket::open() {
  if (listener_) return;
  for (const auto& directory : directories(environment_, host_)) {
    if (listen_in(directory)) return;
  }
  if (std::exchange(told_, true)) return;
  os::say(os::Severity::warning,
          "`muster status` will not find this run: this host offers no directory for its socket, "
          "neither in your home nor in /tmp; set XDG_RUNTIME_DIR to a directory that only you can "
          "access");
}

bool Socket::listen_in(const std::filesystem::path& directory) {
  if (os::make_private_directory(directory) != 0) return false;
  directory_ = open_private(directory);
  if (!directory_) return false;
  name_ = random_name();
  os::Descriptor made(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const auto address = address_in(directory_, name_);
  const auto* const place = reinterpret_cast<const sockaddr*>(&address);
  if (!made || bind(made.get(), place, sizeof address) != 0) return false;
  listener_ = std::move(made);
  if (listen(listener_.get(), backlog) == 0) return true;
  close();
  return false;
}

void Socket::close() {
  if (listener_) unlinkat(directory_.get(), name_.c_str(), 0);
  listener_ = os::Descriptor();
}

Server::Server(Socket& socket, Handlers handlers)
    : socket_(socket),
      handlers_(std::move(handlers)),
      stops_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

Server::~Server() {
  if (!thread_.joinable()) return;
  eventfd_write(stops_.get(), 1);
  thread_.join();
}

void Server::start() {
  socket_.open();
  listener_ = socket_.descriptor();
  if (listener_ < 0 || !stops_) return;
  thread_ = std::thread([this] {
    try {
      run();
    } catch (const std::exception&) {
      // Whatever went wrong, questions remain unanswered from here on.
    }
  });
}

// False when this server ends, or at the deadline.
bool Server::await(int descriptor, short events, Clock::time_point deadline) const {
  const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now());
  if (left.count() <= 0) return false;
  constexpr milliseconds max_wait{std::chrono::hours{1}};
  std::array<pollfd, 2> waits{{{stops_.get(), POLLIN, 0}, {descriptor, events, 0}}};
  const auto found =
      poll(waits.data(), waits.size(), static_cast<int>(std::min(left, max_wait).count()));
  return found > 0 && waits[0].revents == 0 && waits[1].revents != 0;
}

void Server::run() const {
  while (true) {
    const bool waiting = await(listener_, POLLIN, Clock::now() + std::chrono::hours(1));
    eventfd_t count = 0;
    if (!waiting && eventfd_read(stops_.get(), &count) == 0) return;
    if (!waiting) continue;
    const os::Descriptor client(accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (client) {
      attend(client);
    } else {
      std::this_thread::sleep_for(pause_without_descriptors);
    }
  }
}

void Server::attend(const os::Descriptor& client) const {
  if (os::peer_user(client) != geteuid()) return;
  const auto deadline = Clock::now() + question_timeout;
  std::string question;
  while (question.find('\n') == std::string::npos) {
    std::array<char, max_question_bytes> part{};
    if (question.size() >= max_question_bytes || !await(client.get(), POLLIN, deadline)) return;
    const auto size = recv(client.get(), part.data(), part.size(), 0);
    if (size <= 0) return;
    question.append(part.data(), static_cast<std::size_t>(size));
  }
  question.resize(question.find('\n'));
  const auto handler = handlers_.find(name_in(question));
  if (handler == handlers_.end()) return;
  auto answer = handler->second(question) + '\n';
  std::size_t sent = 0;
  const auto until = Clock::now() + answer_timeout;
  while (sent < answer.size() && await(client.get(), POLLOUT, until)) {
    const auto size = send(client.get(), answer.data() + sent, answer.size() - sent, MSG_NOSIGNAL);
    if (size < 0 && errno != EAGAIN) return;
    sent += static_cast<std::size_t>(std::max<ssize_t>(size, 0));
  }
}

}  // namespace muster::control
