#include "launcher/agent/port/listeners.hpp"

#include "launcher/agent/port/socket_table.hpp"
#include "launcher/os/descriptor.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>

namespace muster::port {
namespace {

constexpr std::size_t max_listeners = 65536;
constexpr timeval answer_timeout{.tv_sec = 1, .tv_usec = 0};

struct Request {
  nlmsghdr head{};
  inet_diag_req_v2 query{};
};

bool ask(int netlink, int family) {
  Request request;
  request.head.nlmsg_len = sizeof request;
  request.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  request.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  request.query.sdiag_family = static_cast<unsigned char>(family);
  request.query.sdiag_protocol = IPPROTO_TCP;
  request.query.idiag_states = 1U << TCP_LISTEN;
  return send(netlink, &request, sizeof request, 0) == sizeof request;
}

Listener listener_of(const inet_diag_msg& message) {
  const auto& address = message.id.idiag_src;
  return {.port = ntohs(message.id.idiag_sport),
          .user = message.idiag_uid,
          .everywhere = std::ranges::all_of(address, [](auto word) { return word == 0; })};
}

enum class Answer : std::uint8_t { more, complete, failed };

Answer take(std::string_view messages, std::vector<Listener>& all) {
  nlmsghdr head;
  while (messages.size() >= sizeof head) {
    std::memcpy(&head, messages.data(), sizeof head);
    if (head.nlmsg_type == NLMSG_DONE) return Answer::complete;
    inet_diag_msg message;
    const bool whole =
        head.nlmsg_len >= sizeof head + sizeof message && head.nlmsg_len <= messages.size();
    if (head.nlmsg_type != SOCK_DIAG_BY_FAMILY || !whole) return Answer::failed;
    std::memcpy(&message, messages.data() + sizeof head, sizeof message);
    all.push_back(listener_of(message));
    messages.remove_prefix(std::min<std::size_t>(NLMSG_ALIGN(head.nlmsg_len), messages.size()));
  }
  return Answer::more;
}

Answer receive(int netlink, std::vector<Listener>& all) {
  std::array<char, 32768> buffer;
  const auto size = recv(netlink, buffer.data(), buffer.size(), 0);
  if (size <= 0 || all.size() > max_listeners) return Answer::failed;
  return take({buffer.data(), static_cast<std::size_t>(size)}, all);
}

// No value if the kernel cannot answer: its module for this may be missing.
std::optional<std::vector<Listener>> listeners_of_kernel() {
  const os::Descriptor netlink(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  setsockopt(netlink.get(), SOL_SOCKET, SO_RCVTIMEO, &answer_timeout, sizeof answer_timeout);
  std::vector<Listener> all;
  for (const int family : {AF_INET, AF_INET6}) {
    auto answer = ask(netlink.get(), family) ? Answer::more : Answer::failed;
    while (answer == Answer::more) answer = receive(netlink.get(), all);
    if (answer == Answer::failed) return std::nullopt;
  }
  return all;
}

}  // namespace

std::vector<Listener> listeners() {
  auto known = listeners_of_kernel();
  return known ? std::move(*known) : listeners_in_tables();
}

// Listeners come first in a table, so the rest is not read.
std::vector<Listener> listeners_in_tables(const std::string& proc) {
  std::vector<Listener> all;
  for (const auto* table : {"/net/tcp", "/net/tcp6"}) {
    std::ifstream file(proc + table);
    std::string line;
    std::getline(file, line);  // the head
    while (all.size() < max_listeners && std::getline(file, line)) {
      const auto socket = parse_socket(line);
      if (!socket || !socket->listens) break;
      all.push_back({socket->port, socket->user, socket->everywhere});
    }
  }
  return all;
}

}  // namespace muster::port
