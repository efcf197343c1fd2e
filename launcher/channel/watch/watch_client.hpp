// An agent's end of a watch: one connection to the supervisor while the node's tasks run. Connects
// again when it breaks, keeps what could not be sent yet (bounded), sends heartbeats, and measures the
// supervisor's clock. A failure here is never an error of the step: it costs the report's detail.
//
// Runs in the io_context of its owner; no thread of its own.
#pragma once

#include "launcher/channel/client.hpp"
#include "launcher/channel/watch/events.hpp"
#include "launcher/channel/watch/lease.hpp"

#include <chrono>
#include <functional>
#include <memory>

#include <asio/io_context.hpp>

namespace muster::watch {

struct LinkEvents {
  // The supervisor wants the ranks ended. May come again, as after each connect.
  std::function<void(const End&)> end;
  std::function<void(const Signal&)> signal = {};  // the user's, for each rank
  // There is a connection, a new one: output that was under way may be lost.
  std::function<void()> connected = {};
  std::function<void(const Shown&)> shown = {};
  // What the node counts now. An agent without this says that it does not count.
  std::function<status::Counts()> count = {};
  // There is no lease: the ranks must be stopped. Called repeatedly until go_on() or cut_off().
  std::function<void(std::chrono::nanoseconds silence)> hold = {};
  // There is a lease: the ranks may run until then. Called repeatedly.
  std::function<void(std::chrono::steady_clock::time_point until)> go_on = {};
  // The ranks have been stopped for hold_time(). Called once.
  std::function<void(std::chrono::nanoseconds silence)> cut_off = {};
  // The link once stood, and nothing has been answered for doubt_time(). Once in each silence.
  std::function<void()> silent = {};
};

class WatchClient {
 public:
  // `fences`: another attempt could start, beside which the ranks must not run.
  WatchClient(asio::io_context& io, channel::Client supervisor, std::chrono::milliseconds heartbeat,
              bool fences, LinkEvents events);
  WatchClient(const WatchClient&) = delete;
  WatchClient& operator=(const WatchClient&) = delete;
  ~WatchClient();

  // Connects, and says this after each connect. Call it again when something in it has changed.
  void start(Hello hello);

  // Sent as soon as there is a connection, in this order. What a connection that broke may have lost
  // is sent again by the next one; the server takes each end of a rank once.
  void send(FromAgent event);
  void send(std::vector<FromAgent> events);  // in one piece: of tasks that end together

  // Output of a rank. False where there is no connection: nothing of this is kept.
  bool send(const view::OutputPiece& piece);

  // True from the first answered beat on, also while the connection is being made again.
  [[nodiscard]] bool established() const;

  // A moment of this node's monotonic clock (steady_clock), as the supervisor's. Where
  // no beat has been answered yet, one of unknown_error.
  [[nodiscard]] report::Moment moment(std::chrono::steady_clock::time_point time) const;

  // Says bye, and waits until everything has been sent or the deadline: then the connection ends.
  // `done` is called in any case, later and once; at once where there never was a connection.
  void finish(std::chrono::milliseconds deadline, std::function<void()> done);

 private:
  class State;
  std::shared_ptr<State> state_;
};

}  // namespace muster::watch
