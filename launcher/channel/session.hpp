// A connection of the channel on which both ends may send at any time until it closes. It begins with the
// question `watch`. Every message is sealed (secret/seal.hpp): a forged, replayed, missing or reordered
// message ends the connection.
//
// On the wire: length (4 bytes, big endian), text, 32 bytes of MAC.
#pragma once

#include "core/layout/ids.hpp"
#include "launcher/channel/client.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace asio {
class io_context;
}  // namespace asio

namespace muster::channel {

inline constexpr std::string_view watch_question = "watch";
inline constexpr std::size_t max_session_text = std::size_t{64} << 10;

// Why a session has ended, if its owner did not end it.
enum class SessionEnd : std::uint8_t {
  closed,       // by the other end, or by that host's kernel: the host still responds
  unreachable,  // nothing arrives from the other end
  unproven,     // a message failed its proof, or was too long
  unread,       // the other end does not read what is sent
};

struct SessionEvents {
  std::function<void(std::string_view text)> message;
  std::function<void(SessionEnd)> ended;  // always the last call
};

// Destroying it ends the session, even within one of its events. Belongs to the thread of its io_context.
class Session {
 public:
  class Stream;
  explicit Session(std::shared_ptr<Stream> stream);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  // Nothing is read before this call; call it once.
  void receive(SessionEvents events);

  // Buffers the text in memory while the other end does not read. The session ends when the buffer is full.
  // A text that is too long also ends the session.
  void send(std::string_view text);
  void send(const std::vector<std::string_view>& texts);  // several messages, in one system call

 private:
  std::shared_ptr<Stream> stream_;
};

// Connects to the supervisor and asks it for a session. Calls `opened` once, with a null session if that
// fails or takes too long; does not call it if the io_context ends before that. Calls `refused` first if the
// supervisor's host answers that no process listens there.
void open_session(asio::io_context& io, const Client& client, std::chrono::milliseconds timeout,
                  std::function<void(std::unique_ptr<Session>)> opened,
                  std::function<void()> refused = {});

// What the supervisor does with its ends of sessions. A Server calls it in the Server's own thread.
class SessionHandler {
 public:
  SessionHandler() = default;
  SessionHandler(const SessionHandler&) = delete;
  SessionHandler& operator=(const SessionHandler&) = delete;
  virtual ~SessionHandler() = default;

  // Once, before the first session and before the thread runs.
  virtual void start(asio::io_context& io) = 0;

  // A node of the step, which says that it is number `node` of `nodes`.
  virtual void opened(std::unique_ptr<Session> session, layout::NodeIndex node,
                      std::uint32_t nodes) = 0;

  // The thread has ended, and its io_context ends next: nothing that belongs to it may be kept.
  virtual void stop() = 0;
};

}  // namespace muster::channel
