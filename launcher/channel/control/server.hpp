// The supervisor's end of the channel for its user's questions: a Unix socket that only this user can
// reach, and a thread that answers while an attempt runs.
//
//   client -> server   one JSON object on one line, {"ask": NAME, ...}, at most 4 KiB
//   server -> client   one line, the answer; then the connection ends
//
// Each NAME has a handler. Other users get no answer.
#pragma once

#include "core/environment.hpp"
#include "launcher/os/descriptor.hpp"

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <thread>

namespace muster::control {

inline constexpr std::size_t max_question_bytes = 4096;

// The socket in its directory, from open() to close(). Without a socket (no directory, no descriptor)
// questions cannot be asked; everything else works.
class Socket {
 public:
  // Where it will be. Touches nothing, so that a launch does not wait for it.
  Socket(Environment environment, std::string host);
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket() { close(); }

  // Does nothing if it is already open. Tells the user, once, if there is no place for it.
  void open();
  void close();
  [[nodiscard]] int descriptor() const { return listener_.get(); }

 private:
  bool listen_in(const std::filesystem::path& directory);

  Environment environment_;
  std::string host_;
  os::Descriptor directory_ = os::Descriptor();
  std::string name_;
  os::Descriptor listener_ = os::Descriptor();
  bool told_ = false;  // the user knows that there is no place
};

// By NAME: returns the answer to a question, one line without its newline. May take a second; never called
// concurrently.
using Handlers = std::map<std::string, std::function<std::string(const std::string& question)>>;

class Server {
 public:
  // Opens the socket in start(), and answers from then on. The socket must outlive it.
  Server(Socket& socket, Handlers handlers);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server();  // ends the thread

  // Call it after all forks, because a process with threads must not fork.
  void start();

 private:
  using Clock = std::chrono::steady_clock;

  void run() const;
  void attend(const os::Descriptor& client) const;
  [[nodiscard]] bool await(int descriptor, short events, Clock::time_point deadline) const;

  Socket& socket_;
  int listener_ = -1;
  const Handlers handlers_;
  os::Descriptor stops_;
  std::thread thread_;
};

}  // namespace muster::control
