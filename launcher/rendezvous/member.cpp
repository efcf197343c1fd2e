// A guest's side of gather.hpp.
#include "launcher/channel/questions.hpp"
#include "launcher/channel/timed.hpp"
#include "launcher/rendezvous/find_leader.hpp"
#include "launcher/rendezvous/node_report.hpp"
#include "launcher/rendezvous/rendezvous.hpp"

#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_future.hpp>
#include <fmt/format.h>

namespace muster::agent {
namespace {

using channel::before;
using channel::receive_message;
using channel::send_message;

constexpr milliseconds patience{5000};   // for the host's last word
constexpr milliseconds tell_time{1500};  // for the supervisor's word on who tells

class Guest {
 public:
  Guest(const Gathering& gathering, const std::vector<Port>& ports, const WayToHost& way,
        std::string trouble)
      : gathering_(gathering),
        trouble_(std::move(trouble)),
        timer_(io_),
        search_(io_, gathering, ports, way) {}

  Outcome run() {
    auto result = asio::co_spawn(io_, attend_to_the_end(), asio::use_future);
    io_.run();
    return result.get();
  }

 private:
  // A question to the supervisor may still wait for its answer, and nobody for the question.
  asio::awaitable<Outcome> attend_to_the_end() {
    auto outcome = co_await attend();
    asio::post(io_, [this] { io_.stop(); });
    co_return outcome;
  }

  asio::awaitable<Outcome> attend() {
    auto met = co_await search_.find();
    if (!met) co_return co_await give_up(search_.failure());
    try {
      co_return co_await take_part(*met);
    } catch (const std::exception&) {
      // The host is gone: its own node says why, if anything there still can.
      co_return failed(
          fmt::format("lost the agent of {} before the step could start; look for its "
                      "message above",
                      host_name()));
    }
  }

  asio::awaitable<Outcome> take_part(Met& met) {
    const auto places = places_from_text(met.welcome);
    if (!places) throw channel::Stranger("a welcome that is none");
    const auto report = co_await report_on(*places, met.address);
    if (trouble_.empty()) trouble_ = report.trouble;
    co_await send_message(met.socket, met.proof, "ready", to_text(report));
    while (true) {
      timer_.expires_at(gathering_.deadline + patience);
      auto told = co_await before(timer_, receive_message(met.socket, met.proof, "go"));
      if (!told) throw channel::Stranger("silent for too long");
      const auto [word, rest] = split(*told);
      if (word != "check") co_return outcome(word, rest, places->port);
      co_await check(met, rest);
    }
  }

  // Which address the ranks will use is open yet. In the usual case it is the one that led here,
  // and nothing more needs to be tried.
  asio::awaitable<NodeReport> report_on(Places places, asio::ip::address host) {
    NodeReport report{trouble_, gathering_.warnings};
    if (!trouble_.empty()) co_return report;
    if (places.came && places.addresses[*places.came] == host) {
      report.reached = {*places.came};
      co_return report;
    }
    const auto errors = co_await search_.reach(places);
    report.reached = without_error(errors);
    if (report.reached.empty()) {
      report.trouble =
          search_.cannot_reach({places.addresses.front(), places.port}, errors.front());
    }
    co_return report;
  }

  asio::awaitable<void> check(Met& met, std::string text) {
    const auto places = places_from_text(text);
    if (!places) throw channel::Stranger("places that are none");
    const auto errors = co_await search_.reach(*places);
    auto answer = to_text(without_error(errors));
    for (std::size_t i = 0; i < errors.size(); ++i) {
      if (!errors[i]) continue;
      answer += '\n' + search_.cannot_reach({places->addresses[i], places->port}, errors[i]);
    }
    co_await send_message(met.socket, met.proof, "reached", answer);
  }

  static std::vector<std::size_t> without_error(const std::vector<asio::error_code>& errors) {
    std::vector<std::size_t> indexes;
    for (std::size_t i = 0; i < errors.size(); ++i) {
      if (!errors[i]) indexes.push_back(i);
    }
    return indexes;
  }

  static std::pair<std::string, std::string> split(const std::string& text) {
    const auto space = std::min(text.find(' '), text.size());
    return {text.substr(0, space), text.substr(std::min(space + 1, text.size()))};
  }

  // 0 where there is none.
  static Port port_of(const std::string& text) {
    const auto ports = parse_reserved_ports(text, 1);
    return ports.empty() ? Port{0} : ports.front();
  }

  static Outcome outcome(const std::string& word, const std::string& rest, Port port) {
    Outcome outcome;
    outcome.told_by_other = true;
    if (word == "meet") {
      const auto [address, exchange] = split(rest);
      outcome.rendezvous = {.address = address, .port = port};
      outcome.exchange = port_of(exchange);
    } else {
      outcome.failure = rest;
    }
    return outcome;
  }

  // Of the nodes that cannot go on, one tells the user.
  asio::awaitable<Outcome> give_up(std::string why) {
    auto outcome = failed(std::move(why));
    const auto answer =
        co_await gathering_.caller.async_ask("trouble", outcome.failure, Clock::now() + tell_time);
    outcome.told_by_other = answer == channel::told;
    co_return outcome;
  }

  [[nodiscard]] Outcome failed(std::string why) const {
    Outcome outcome;
    outcome.failure = trouble_.empty() ? std::move(why) : trouble_;
    return outcome;
  }

  [[nodiscard]] std::string host_name() const {
    return gathering_.layout.nodes[gathering_.layout.node_of_task.front()];
  }

  asio::io_context io_{1};
  const Gathering& gathering_;
  std::string trouble_;
  asio::steady_timer timer_;
  Search search_;
};

}  // namespace

Outcome join_gathering(const Gathering& gathering, const std::vector<Port>& ports,
                       const WayToHost& way, const std::string& trouble) {
  return Guest(gathering, ports, way, trouble).run();
}

}  // namespace muster::agent
