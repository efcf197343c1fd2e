#include "launcher/agent/tcp_connections.hpp"

#include "launcher/os/descriptor.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

namespace muster::agent {
namespace {

constexpr timeval time_to_answer{.tv_sec = 0, .tv_usec = 500'000};
constexpr unsigned established = 1;  // TCP_ESTABLISHED
constexpr unsigned wants_counters = 1U << (INET_DIAG_INFO - 1);

// Where the kernel's struct tcp_info has these fields. The C library's may be older than the kernel.
constexpr std::size_t total_retrans_at = 100;  // 32 bits
constexpr std::size_t bytes_acked_at = 120;    // 64 bits
constexpr std::size_t data_segs_out_at = 156;  // 32 bits
constexpr std::size_t busy_time_at = 168;      // 64 bits
constexpr std::size_t rwnd_limited_at = 176;   // 64 bits
constexpr std::size_t end_of_fields = 184;

struct DiagRequest {
  nlmsghdr head{};
  inet_diag_req_v2 query{};
};

bool ask_for_connections(int netlink, int family) {
  DiagRequest request;
  request.head.nlmsg_len = sizeof request;
  request.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  request.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  request.query.sdiag_family = static_cast<unsigned char>(family);
  request.query.sdiag_protocol = IPPROTO_TCP;
  request.query.idiag_ext = wants_counters;
  request.query.idiag_states = 1U << established;
  return send(netlink, &request, sizeof request, 0) == sizeof request;
}

template <class Number>
Number number_at(std::string_view bytes, std::size_t offset) {
  Number number;
  std::memcpy(&number, bytes.data() + offset, sizeof number);
  return number;
}

slow::Address address_of(int family, const std::uint32_t* words) {
  slow::Address address;
  auto* const bytes = address.bytes.data();
  if (family == AF_INET6) {
    std::memcpy(bytes, words, address.bytes.size());
  } else {
    bytes[10] = bytes[11] = 0xff;
    std::memcpy(bytes + 12, words, 4);
  }
  return address;
}

// Empty if the kernel has not sent it.
std::string_view counters_in(std::string_view attributes) {
  rtattr head;
  while (attributes.size() >= sizeof head) {
    std::memcpy(&head, attributes.data(), sizeof head);
    if (head.rta_len < sizeof head || head.rta_len > attributes.size()) return {};
    if (head.rta_type == INET_DIAG_INFO)
      return attributes.substr(sizeof head, head.rta_len - sizeof head);
    attributes.remove_prefix(std::min<std::size_t>(RTA_ALIGN(head.rta_len), attributes.size()));
  }
  return {};
}

std::optional<TcpConnection> connection_of(const inet_diag_msg& message,
                                           std::string_view attributes) {
  const auto counters = counters_in(attributes);
  if (counters.size() < end_of_fields) return std::nullopt;
  using std::chrono::microseconds;
  const auto time_at = [&](std::size_t offset) {
    constexpr auto most = static_cast<std::uint64_t>(microseconds::max().count());
    return microseconds(std::min(number_at<std::uint64_t>(counters, offset), most));
  };
  TcpConnection found{
      .counters = {}, .user = message.idiag_uid, .port_to = ntohs(message.id.idiag_dport)};
  auto& connection = found.counters;
  connection.id = std::uint64_t{message.id.idiag_cookie[1]} << 32 | message.id.idiag_cookie[0];
  connection.inode = message.idiag_inode;
  connection.from = address_of(message.idiag_family, message.id.idiag_src);
  connection.to = address_of(message.idiag_family, message.id.idiag_dst);
  connection.bytes = number_at<std::uint64_t>(counters, bytes_acked_at);
  connection.busy = time_at(busy_time_at);
  connection.receiver_full = time_at(rwnd_limited_at);
  connection.segments = number_at<std::uint32_t>(counters, data_segs_out_at);
  connection.repeated = number_at<std::uint32_t>(counters, total_retrans_at);
  connection.waiting = message.idiag_wqueue;
  return found;
}

}  // namespace

Reading take_connections(std::string_view messages, std::vector<TcpConnection>& all) {
  nlmsghdr head;
  while (messages.size() >= sizeof head) {
    std::memcpy(&head, messages.data(), sizeof head);
    if (head.nlmsg_type == NLMSG_DONE) return Reading::complete;
    inet_diag_msg message;
    const bool whole =
        head.nlmsg_len >= sizeof head + sizeof message && head.nlmsg_len <= messages.size();
    if (head.nlmsg_type != SOCK_DIAG_BY_FAMILY || !whole) return Reading::failed;
    const auto body = messages.substr(sizeof head, head.nlmsg_len - sizeof head);
    std::memcpy(&message, body.data(), sizeof message);
    const auto attributes =
        body.substr(std::min<std::size_t>(NLMSG_ALIGN(sizeof message), body.size()));
    const auto connection = connection_of(message, attributes);
    if (connection && all.size() < slow::max_connections) all.push_back(*connection);
    messages.remove_prefix(std::min<std::size_t>(NLMSG_ALIGN(head.nlmsg_len), messages.size()));
  }
  return Reading::more;
}

namespace {

Reading receive(int netlink, std::vector<TcpConnection>& all) {
  std::array<char, 32768> buffer;
  const auto size = recv(netlink, buffer.data(), buffer.size(), 0);
  if (size <= 0) return Reading::failed;
  return take_connections({buffer.data(), static_cast<std::size_t>(size)}, all);
}

}  // namespace

std::optional<std::vector<TcpConnection>> tcp_connections() {
  const os::Descriptor netlink(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  if (!netlink) return std::nullopt;
  setsockopt(netlink.get(), SOL_SOCKET, SO_RCVTIMEO, &time_to_answer, sizeof time_to_answer);
  std::vector<TcpConnection> all;
  for (const int family : {AF_INET, AF_INET6}) {
    auto reading = ask_for_connections(netlink.get(), family) ? Reading::more : Reading::failed;
    while (reading == Reading::more) {
      reading = receive(netlink.get(), all);
      // The rest is not read: the descriptor is closed.
      if (all.size() >= slow::max_connections) return all;
    }
    if (reading == Reading::failed) return std::nullopt;
  }
  return all;
}

}  // namespace muster::agent
