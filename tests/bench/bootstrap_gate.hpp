// Marks where the measured time of a rank of the bootstrap benchmark begins and ends.
//
// The driver outside holds the lock file. A rank that is ready says so on the driver's socket and waits for
// the lock, which all ranks get at once. When it is done it says so, and does not change until the driver has
// looked at every process. So the measured time includes neither the start of processes nor the looking. It
// can include the start: a rank can restart its program when the gate opens.
#pragma once

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace bootstrap {

[[noreturn]] inline void fail(const std::string& what) {
  std::fprintf(stderr, "bootstrap: rank %s: %s\n", std::getenv("SLURM_PROCID"), what.c_str());
  std::_Exit(1);
}

// One clock for all namespaces of a machine.
inline std::int64_t nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

class Gate {
 public:
  explicit Gate(const std::string& directory) {
    if (took_over()) return;
    lock_ = open((directory + "/lock").c_str(), O_RDONLY | O_CLOEXEC);
    socket_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, (directory + "/socket").c_str(), sizeof address.sun_path - 1);
    if (lock_ < 0 ||
        connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      fail(directory + ": " + std::strerror(errno));
    }
  }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  ~Gate() {
    if (lock_ >= 0) close(lock_);
    close(socket_);
  }

  // As the last word of the rank's command line asks.
  std::int64_t enter(const std::string& what, char** argv) {
    return what == "exec" ? enter_by_exec(argv) : enter();
  }

  // Returns the time at which the gate opened for this rank.
  std::int64_t enter() {
    say("{\"ready\": 1}");
    if (flock(lock_, LOCK_SH) != 0 || flock(lock_, LOCK_UN) != 0) fail("the gate's lock");
    return nanoseconds();
  }

  // Restarts this program; there it returns the time before the restart, so that loading is measured as well.
  std::int64_t enter_by_exec(char** argv) {
    if (began_ != 0) return began_;
    const auto words = std::to_string(enter()) + " " + std::to_string(socket_);
    setenv(handed_over, words.c_str(), 1);
    fcntl(socket_, F_SETFD, 0);
    execv("/proc/self/exe", argv);
    fail(std::string("/proc/self/exe: ") + std::strerror(errno));
  }

  // `more` is the rest of a JSON object. Returns when every rank is done and the driver has looked at it.
  void leave(std::int64_t begin, std::int64_t end, const std::string& more = "") {
    say("{\"begin\": " + std::to_string(begin) + ", \"end\": " + std::to_string(end) + more + "}");
    char byte = 0;
    if (read(socket_, &byte, 1) != 1) fail("the driver has gone");
  }

 private:
  static constexpr auto handed_over = "BOOTSTRAP_BEGAN";

  // Whether the previous program in the same process has left its time and its connection.
  bool took_over() {
    const auto* const words = std::getenv(handed_over);
    if (!words) return false;
    char* end = nullptr;
    began_ = std::strtoll(words, &end, 10);
    socket_ = static_cast<int>(std::strtol(end, nullptr, 10));
    fcntl(socket_, F_SETFD, FD_CLOEXEC);
    unsetenv(handed_over);
    return true;
  }

  void say(const std::string& text) {
    const auto line = text + "\n";
    if (write(socket_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
      fail("the driver does not listen");
    }
  }

  int lock_ = -1;
  int socket_ = -1;
  std::int64_t began_ = 0;
};

}  // namespace bootstrap
