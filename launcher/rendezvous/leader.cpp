// The host's side of gather.hpp.
#include "launcher/channel/questions.hpp"
#include "launcher/channel/timed.hpp"
#include "launcher/os/open_files.hpp"
#include "launcher/rendezvous/handshake.hpp"
#include "launcher/rendezvous/node_report.hpp"
#include "launcher/rendezvous/rendezvous.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/experimental/awaitable_operators.hpp>
#include <asio/io_context.hpp>
#include <asio/redirect_error.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>
#include <fmt/format.h>

namespace muster::agent {
namespace {

using namespace asio::experimental::awaitable_operators;
using asio::ip::tcp;
using channel::before;

constexpr std::chrono::seconds patience{5};  // for one message of a guest that has connected
constexpr std::chrono::seconds farewell{2};  // for the last message to all
constexpr std::chrono::milliseconds accept_pause{20};
constexpr std::chrono::milliseconds announce_after{500};

class Host {
 public:
  Host(const Gathering& gathering, const HeldPort& port, HostAddresses addresses,
       std::string trouble)
      : gathering_(gathering),
        port_(port),
        addresses_(std::move(addresses)),
        trouble_(std::move(trouble)),
        acceptor_(io_),
        timer_(io_) {
    std::vector<bool> has_tasks(gathering.layout.nodes.size());
    for (const auto node : gathering.layout.node_of_task) has_tasks[node] = true;
    for (NodeIndex node = 0; node < has_tasks.size(); ++node) {
      if (has_tasks[node] && node != gathering.node) missing_.insert(node);
    }
  }

  Outcome run() {
    allow_many_sockets();
    auto listener = port_.listen();
    if (!listener) {
      return failed(fmt::format("port {} was taken while it was being held", port_.port()));
    }
    open(std::move(listener));
    timer_.expires_at(gathering_.deadline);
    timer_.async_wait([this](std::error_code stopped) {
      if (!stopped) finish();
    });
    asio::co_spawn(io_, accept_guests(), asio::detached);
    asio::co_spawn(io_, announce(), asio::detached);
    io_.run();
    return outcome();
  }

 private:
  void open(Descriptor listener) {
    // The protocol only matters for accept's address, which is taken from the socket later.
    acceptor_.assign(tcp::v6(), listener.release());
  }

  asio::awaitable<void> accept_guests() {
    while (acceptor_.is_open()) {
      std::error_code failed;
      auto socket =
          co_await acceptor_.async_accept(asio::redirect_error(asio::use_awaitable, failed));
      if (failed == asio::error::operation_aborted) co_return;
      if (failed) {
        // Out of descriptors, most likely: strangers' go away, and guests are waiting.
        asio::steady_timer pause(io_, accept_pause);
        co_await pause.async_wait(asio::use_awaitable);
        continue;
      }
      asio::co_spawn(io_, welcome(std::move(socket)), asio::detached);
    }
  }

  // Some guests may not find the way, or never: the supervisor tells them, or us.
  asio::awaitable<void> announce() {
    asio::steady_timer pause(io_, announce_after);
    co_await pause.async_wait(asio::use_awaitable);
    const Places places{.port = port_.port(), .addresses = addresses_.all, .came = std::nullopt};
    const auto answer =
        co_await gathering_.caller.async_ask("host", to_text(places), gathering_.deadline);
    const auto line = answer ? answer->find('\n') : std::string::npos;
    if (line == std::string::npos || finished_) co_return;
    told_by_other_ = answer->substr(0, line) == channel::told;
    told_trouble_ = answer->substr(line + 1);
    finish();
  }

  // Whatever a stranger does ends only its own conversation.
  asio::awaitable<void> welcome(tcp::socket socket) {
    auto guest = std::make_shared<Guest>(Guest{std::move(socket), {}});
    guest->proof.key = gathering_.key;
    asio::steady_timer limit(io_, patience);
    try {
      PlacesFor places = [this](const asio::ip::address& came) { return places_for(came); };
      const auto nodes = gathering_.layout.nodes.size();
      const auto node = co_await before(limit, meet(*guest, nodes, std::move(places)));
      if (node) arrived(*node, guest);
    } catch (const std::exception&) {
    }
  }

  // The list grows at its end only: places keep their numbers.
  Places places_for(const asio::ip::address& came) {
    auto& all = addresses_.ranks;
    auto found = std::find(all.begin(), all.end(), came);
    if (found == all.end() && !addresses_.chosen) found = all.insert(all.end(), came);
    Places places{.port = port_.port(), .addresses = all, .came = std::nullopt};
    if (found != all.end()) places.came = static_cast<std::size_t>(found - all.begin());
    return places;
  }

  void arrived(NodeIndex node, const std::shared_ptr<Guest>& guest) {
    if (missing_.erase(node) == 0) return;
    guests_.emplace(node, guest);
    if (missing_.empty()) finish();
  }

  // Everybody is here, or it is too late.
  void finish() {
    if (finished_) return;
    finished_ = true;
    timer_.cancel();
    if (verdict().empty() && !meeting()) {
      check_all();
    } else {
      dismiss_all();
    }
  }

  // The guests have come by different addresses: one that all can reach has to be found.
  void check_all() {
    const Places places{.port = port_.port(), .addresses = addresses_.ranks, .came = std::nullopt};
    left_ = guests_.size();
    for (auto& [node, guest] : guests_) {
      asio::co_spawn(io_, check(guest, to_text(places)), asio::detached);
    }
  }

  asio::awaitable<void> check(std::shared_ptr<Guest> guest, std::string places) {
    asio::steady_timer limit(io_, patience);
    try {
      const auto answer = co_await before(limit, hear_reached(*guest, places));
      if (answer) note_reached(*guest, *answer);
    } catch (const std::exception&) {
      // It has died since it came; dismissing it changes nothing for it.
    }
    if (--left_ > 0) co_return;
    if (!meeting()) told_trouble_ = no_meeting_text();
    dismiss_all();
  }

  // The best place that every guest reaches.
  [[nodiscard]] std::optional<std::size_t> meeting() const {
    std::vector<std::vector<std::size_t>> reached;
    for (const auto& [node, guest] : guests_) reached.push_back(guest->report.reached);
    return common_place(addresses_.ranks.size(), reached);
  }

  [[nodiscard]] std::string no_meeting_text() const {
    for (const auto& [node, guest] : guests_) {
      if (!guest->unreached.empty()) {
        return guest->unreached.front() + " (the other nodes reach no common address either)";
      }
    }
    return fmt::format(
        "no address of {} is open to all nodes of the step; name a network with "
        "network=",
        gathering_.layout.nodes[gathering_.node]);
  }

  // The listener closes before anybody hears "go": a fast rank must not mistake it for rank 0's own
  // server.
  void dismiss_all() {
    std::error_code ignored;
    acceptor_.close(ignored);
    const auto why = verdict();
    const auto text = why.empty()
                          ? fmt::format("meet {} {}", meeting_address(), gathering_.exchange)
                          : "stop " + why;
    timer_.expires_after(farewell);
    timer_.async_wait([this](std::error_code stopped) {
      if (!stopped) io_.stop();
    });
    left_ = guests_.size();
    if (left_ == 0) io_.stop();
    for (auto& [node, guest] : guests_) {
      asio::co_spawn(io_, let_go(guest, text), asio::detached);
    }
  }

  asio::awaitable<void> let_go(std::shared_ptr<Guest> guest, std::string verdict) {
    try {
      co_await dismiss(*guest, verdict);
    } catch (const std::exception&) {
      // Its own agent says what happened there; Slurm sees the node's tasks fail.
    }
    // Not only the timer: a silent stranger would hold the step up to the end of our patience.
    if (--left_ == 0) io_.stop();
  }

  std::string verdict() const {
    if (!trouble_.empty()) return trouble_;
    if (!told_trouble_.empty()) return told_trouble_;
    return missing_.empty() ? merge_troubles(reports()) : missing_text();
  }

  std::vector<NamedReport> reports() const {
    const auto& names = gathering_.layout.nodes;
    std::vector<NamedReport> all{{names[gathering_.node], {trouble_, gathering_.warnings}}};
    for (const auto& [node, guest] : guests_) all.push_back({names[node], guest->report});
    return all;
  }

  std::string missing_text() const {
    std::vector<std::string> nodes;
    for (const auto node : missing_) nodes.push_back(gathering_.layout.nodes[node]);
    return fmt::format(
        "no word from {} within the time that agents wait for each other (gather_timeout); does "
        "slurmd there have muster.so in its plugstack.conf, and does port {} of {} let it in?",
        list_nodes(nodes), port_.port(), gathering_.layout.nodes[gathering_.node]);
  }

  [[nodiscard]] std::string meeting_address() const {
    return addresses_.ranks.at(meeting().value_or(0)).to_string();
  }

  Outcome outcome() const {
    Outcome outcome;
    outcome.failure = verdict();
    outcome.told_by_other = told_by_other_;
    outcome.rendezvous.address = meeting_address();
    outcome.rendezvous.port = port_.port();
    outcome.exchange = gathering_.exchange;
    outcome.warnings = merge_warnings(reports());
    return outcome;
  }

  static Outcome failed(std::string why) {
    Outcome outcome;
    outcome.failure = std::move(why);
    return outcome;
  }

  // First, so that it goes last: what the guests hold belongs to it.
  asio::io_context io_{1};
  const Gathering& gathering_;
  const HeldPort& port_;
  HostAddresses addresses_;
  std::string trouble_;
  std::string told_trouble_;  // of a node that cannot come, or of all together
  bool told_by_other_ = false;
  std::set<NodeIndex> missing_;
  std::map<NodeIndex, std::shared_ptr<Guest>> guests_;
  std::size_t left_ = 0;
  bool finished_ = false;
  tcp::acceptor acceptor_;
  asio::steady_timer timer_;
};

}  // namespace

Outcome host_gathering(const Gathering& gathering, const HeldPort& port,
                       const HostAddresses& addresses, const std::string& trouble) {
  return Host(gathering, port, addresses, trouble).run();
}

}  // namespace muster::agent
