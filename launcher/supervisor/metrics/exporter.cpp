#include "launcher/supervisor/metrics/exporter.hpp"

#include "core/text/quote.hpp"
#include "launcher/os/bound_socket.hpp"
#include "launcher/os/detached_work.hpp"
#include "launcher/os/new_file.hpp"
#include "launcher/supervisor/metrics/http.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <utility>

#include <fmt/format.h>
#include <netdb.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

namespace muster::metrics {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t max_clients = 16;
constexpr std::chrono::seconds look_interval{1};
constexpr std::chrono::seconds close_timeout{1};
// What a client may still send after its request: closing the connection before would lose the response.
constexpr std::size_t max_ignored_bytes = std::size_t{256} << 10;

// On failure, empty with errno set.
os::Descriptor listen_at(const std::string& address, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  errno = EINVAL;
  if (getaddrinfo(address.c_str(), fmt::to_string(port).c_str(), &hints, &found) != 0)
    return os::Descriptor();
  os::Descriptor made(socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int on = 1;
  const bool listens = made &&
                       setsockopt(made.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
                       bind(made.get(), found->ai_addr, found->ai_addrlen) == 0 &&
                       listen(made.get(), max_clients) == 0;
  const int error = errno;
  freeaddrinfo(found);
  errno = error;
  return listens ? std::move(made) : os::Descriptor();
}

}  // namespace

Exporter::Exporter(option::Metrics place, FileName file_name, Say say, const Times& times)
    : place_(std::move(place)),
      file_name_(std::move(file_name)),
      say_(std::move(say)),
      times_(times),
      stops_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (place_.file.empty()) listen();
}

void Exporter::listen() {
  listener_ = listen_at(place_.address, place_.port);
  if (!listener_) {
    const int error = errno;
    return say_(
        fmt::format("metrics=: cannot listen on port {} of {}: {}; use another port. The "
                    "run continues without metrics",
                    place_.port, place_.address, std::strerror(error)));
  }
  port_ = os::bound_port(listener_);
}

void Exporter::start(std::function<status::Step()> look) {
  if (!stops_ || (place_.file.empty() && !listener_)) return;
  look_ = std::move(look);
  seen_.reset();
  stopped_ = false;
  thread_ = std::thread([this] {
    try {
      run();
    } catch (const std::exception& error) {
      say_(fmt::format("metrics= has stopped: {}", error.what()));
    }
  });
}

void Exporter::stop() {
  if (!thread_.joinable()) return;
  eventfd_write(stops_.get(), 1);
  thread_.join();
  eventfd_t ignored = 0;
  eventfd_read(stops_.get(), &ignored);
  clients_.clear();
}

void Exporter::finish(const status::Step& step) {
  if (place_.file.empty()) return;
  const auto deadline = Clock::now() + times_.last_write;
  if (writing_.valid() && writing_.wait_until(deadline) != std::future_status::ready) return;
  write(step);
  if (writing_.valid() && writing_.wait_until(deadline) == std::future_status::ready)
    note(writing_.get());
}

void Exporter::run() {
  auto due = Clock::now() + times_.first_write;
  while (!stopped_) {
    wait(due);
    if (place_.file.empty() || Clock::now() < due) continue;
    write(seen());
    due = Clock::now() + times_.interval;
  }
}

// Serves the clients until something happens, or the next write is due.
void Exporter::wait(Clock::time_point due) {
  auto next = place_.file.empty() ? Clock::now() + std::chrono::hours(1) : due;
  std::vector<pollfd> polled{{stops_.get(), POLLIN, 0}};
  polled.push_back({clients_.size() < max_clients ? listener_.get() : -1, POLLIN, 0});
  for (const auto& client : clients_) {
    const bool sends = client.sent < client.response.size();
    polled.push_back(
        {client.socket.get(), static_cast<short>(sends ? POLLIN | POLLOUT : POLLIN), 0});
    next = std::min(next, client.deadline);
  }
  const auto time = std::chrono::ceil<milliseconds>(next - Clock::now()).count();
  poll(polled.data(), polled.size(),
       static_cast<int>(std::clamp<std::int64_t>(time, 0, 3'600'000)));
  stopped_ = polled[0].revents != 0;
  for (std::size_t i = 0; i + 2 < polled.size(); ++i) {
    auto& client = clients_[i];
    if ((polled[i + 2].revents & (POLLIN | POLLHUP | POLLERR)) != 0) receive(client);
    if (!client.done && client.sent < client.response.size()) send(client);
  }
  const auto now = Clock::now();
  std::erase_if(clients_,
                [now](const auto& client) { return client.done || client.deadline <= now; });
  if (polled[1].revents != 0) accept();
}

void Exporter::accept() {
  os::Descriptor socket(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!socket) return;
  clients_.push_back({.socket = std::move(socket), .deadline = Clock::now() + times_.client});
}

void Exporter::receive(Client& client) {
  std::array<char, 4096> block{};
  const auto size = recv(client.socket.get(), block.data(), block.size(), 0);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (size <= 0) {
    client.done = size < 0 || client.sent == client.response.size();
    return;
  }
  if (client.response.empty()) {
    client.request.append(block.data(), static_cast<std::size_t>(size));
    if (is_whole(client.request)) client.response = answer(client.request);
  } else {
    client.ignored += static_cast<std::size_t>(size);
    client.done = client.ignored > max_ignored_bytes;
  }
}

void Exporter::send(Client& client) {
  while (client.sent < client.response.size()) {
    const auto size = ::send(client.socket.get(), client.response.data() + client.sent,
                             client.response.size() - client.sent, MSG_NOSIGNAL);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) {
      client.done = errno != EAGAIN;
      return;
    }
    client.sent += static_cast<std::size_t>(size);
  }
  // What is left to see is that the client closes the connection.
  shutdown(client.socket.get(), SHUT_WR);
  client.deadline = std::min(client.deadline, Clock::now() + close_timeout);
}

std::string Exporter::answer(const std::string& request) {
  return response_to(request, [this](std::string_view accept) {
    const auto form = form_for(accept);
    return Body{content_type(form), to_text({&seen(), 1}, form)};
  });
}

const status::Step& Exporter::seen() {
  const auto now = Clock::now();
  if (!seen_ || now - seen_at_ >= look_interval) {
    seen_ = look_();
    seen_at_ = now;
  }
  return *seen_;
}

// In a thread of its own, because the file system may hang. Nothing more is written until it has ended.
void Exporter::write(const status::Step& step) {
  if (writing_.valid()) {
    if (writing_.wait_for(milliseconds(0)) != std::future_status::ready) return;
    note(writing_.get());
  }
  file_ = file_name_(step);
  if (file_.empty()) return;
  writing_ = os::start_detached([name = file_, text = to_text({&step, 1}, Form::prometheus)] {
    return os::write_new_file(name, text, 0644);
  });
}

void Exporter::note(int error) {
  if (error != 0 && !failed_) {
    say_(fmt::format("metrics=: cannot write {}: {}; the run continues, and muster tries again",
                     text::in_quotes(file_), std::strerror(error)));
  }
  failed_ = error != 0;
}

}  // namespace muster::metrics
