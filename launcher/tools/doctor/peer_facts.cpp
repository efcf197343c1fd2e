// Whether packets reach other nodes of the step. A port without a listener is enough: a refusal comes from
// the other node, and a firewall would not let it through.
#include "core/error.hpp"
#include "core/slurm/hostlist.hpp"
#include "core/text/list.hpp"
#include "launcher/os/descriptor.hpp"
#include "launcher/os/resolve.hpp"
#include "launcher/tools/doctor/gather.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <set>

#include <fmt/format.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

namespace muster::doctor {
namespace {

constexpr std::chrono::milliseconds connect_timeout{1500};

// 0 if the other node answered in any way, otherwise errno.
int why_not_reached(const std::string& address, const std::string& port,
                    std::chrono::milliseconds timeout) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(address.c_str(), port.c_str(), &hints, &found) != 0) return EINVAL;
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, freeaddrinfo);
  const os::Descriptor socket(
      ::socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket) return 0;
  int error = connect(socket.get(), found->ai_addr, found->ai_addrlen) == 0 ? 0 : errno;
  if (error == EINPROGRESS) {
    pollfd ready{socket.get(), POLLOUT, 0};
    if (poll(&ready, 1, static_cast<int>(timeout.count())) <= 0) return ETIMEDOUT;
    socklen_t size = sizeof error;
    if (getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
  }
  return error == ECONNREFUSED ? 0 : error;
}

// Chooses the next node, so that every node is contacted by another one, and the first node, to which all
// ranks connect.
std::set<std::string> peers_of(const std::string& own, const std::vector<std::string>& nodes) {
  std::set<std::string> peers;
  const auto at = std::ranges::find(nodes, own);
  if (at == nodes.end()) return peers;
  peers.insert(at + 1 == nodes.end() ? nodes.front() : *(at + 1));
  peers.insert(nodes.front());
  peers.erase(own);
  return peers;
}

std::vector<std::string> nodes_of_step(const Surroundings& surroundings) {
  try {
    return slurm::expand_hostlist(surroundings.environment.get("SLURM_STEP_NODELIST"));
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

void add_peer_facts(const Surroundings& surroundings, Facts& facts) {
  const auto range = facts.text("sysctl.ports");
  const auto port = range.substr(range.find('-') + 1);
  const auto peers =
      peers_of(surroundings.environment.get("SLURMD_NODENAME"), nodes_of_step(surroundings));
  if (peers.empty() || port.empty()) return;
  std::vector<std::string> unknown;
  std::vector<std::string> blocked;
  for (const auto& peer : peers) {
    const auto addresses = os::numeric_addresses(peer, time_for_child(surroundings));
    if (addresses.empty()) {
      unknown.push_back(peer);
      continue;
    }
    const auto timeout = time_for_child(surroundings, connect_timeout);
    if (const int error = why_not_reached(addresses.front(), port, timeout); error != 0)
      blocked.push_back(
          fmt::format("{} ({}) port {}: {}", peer, addresses.front(), port, std::strerror(error)));
  }
  facts.set("peers.unknown", text::join(unknown, ", "));
  facts.set("peers.blocked", text::join(blocked, "; "));
}

}  // namespace muster::doctor
