// An agent's end of a watch: one connection to the supervisor while the node's tasks run. It reconnects when
// the connection breaks, keeps a bounded amount of what could not be sent yet, sends heartbeats, and compares
// the supervisor's clock. A failure here is never an error of the step; it only makes the report less
// detailed.
//
// Runs in its owner's io_context; it has no thread of its own.
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
  // The supervisor wants the ranks stopped. May be called again, for example after each connect.
  std::function<void(const End&)> end;
  std::function<void(const Signal&)> signal = {};  // a signal from the user, for each rank
  // There is a new connection: output that was in flight may be lost.
  std::function<void()> connected = {};
  std::function<void(const Shown&)> shown = {};
  // Returns the node's current counts. An agent without this function announces that it does not count.
  std::function<status::Counts()> count = {};
  // The supervisor asks why a rank is slow. The answer is sent later, by send_once().
  std::function<void(const Examine&)> examine = {};
  // There is no lease: the ranks must be suspended. Called repeatedly until go_on() or cut_off().
  std::function<void(std::chrono::nanoseconds silence)> hold = {};
  // There is a lease: the ranks may run until then. Called repeatedly.
  std::function<void(std::chrono::steady_clock::time_point until)> go_on = {};
  // The ranks have been suspended for hold_time(). Called once.
  std::function<void(std::chrono::nanoseconds silence)> cut_off = {};
  // Whether something other than muster has suspended the ranks. Called while there is no lease, and with
  // hang=.
  std::function<bool()> suspended = {};
  // There was a connection, and nothing has been answered for doubt_time(). Called once in each silence.
  std::function<void()> silent = {};
};

class WatchClient {
 public:
  // `fences`: another attempt could start, and the ranks must not run alongside it.
  WatchClient(asio::io_context& io, channel::Client supervisor, std::chrono::milliseconds heartbeat,
              bool fences, LinkEvents events);
  WatchClient(const WatchClient&) = delete;
  WatchClient& operator=(const WatchClient&) = delete;
  ~WatchClient();

  // Connects, and sends this hello after each connect. Call it again when something in it has changed.
  void start(Hello hello);

  // Sent in this order, as soon as there is a connection. The next connection repeats what a broken one may
  // have lost; the server accepts each rank's end only once.
  void send(FromAgent event);
  void send(std::vector<FromAgent> events);  // sends them together, for tasks that end together

  // Sent only if there is a connection, and not repeated.
  void send_once(const FromAgent& event);

  // Output of a rank. False if there is no connection; the output is then not kept.
  bool send(const view::OutputPiece& piece);

  // True from the first answered beat on, even while reconnecting.
  [[nodiscard]] bool established() const;

  // Converts a moment of this node's monotonic clock (steady_clock) to the supervisor's. Has unknown_error
  // until a beat has been answered.
  [[nodiscard]] report::Moment moment(std::chrono::steady_clock::time_point time) const;

  // Says bye, waits until everything has been sent or the deadline has passed, and ends the connection. Calls
  // `done` exactly once, never from within this call; immediately after it if there never was a connection.
  void finish(std::chrono::milliseconds deadline, std::function<void()> done);

 private:
  class State;
  std::shared_ptr<State> state_;
};

}  // namespace muster::watch
