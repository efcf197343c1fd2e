// One rank of a storm's step: meets the others at MASTER_ADDR:MASTER_PORT and records whom it met.
//
//   storm_rank DIRECTORY LAUNCH NONCE HOLD_MS tcpstore|grpc [PORTS FIRST_JOB]
//
// Rank 0 listens as torch's TCPStore does (SO_REUSEADDR, every address), or as gRPC does
// (also SO_REUSEPORT), and keeps listening while the step lives. A guest says which step it belongs to
// and is told the same. LAUNCH and NONCE come from the program that started the step, not through the
// rendezvous under test. Without MASTER_PORT the port is read from PORTS, one line for each job from
// FIRST_JOB on. Results go to DIRECTORY/notes, one per line:
//   LAUNCH RANK NODE PORT BEGIN_MS END_MS met|taken|mixed|unmet|left|broken DETAIL
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds patience{30000};  // for the meeting, and for the host's farewell
constexpr milliseconds answer_patience{5000};
constexpr milliseconds pause{20};

class Socket {
 public:
  explicit Socket(int fd = -1) : fd_(fd) {}
  Socket(Socket&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  Socket& operator=(Socket&&) = delete;  // a growing vector does not need it
  ~Socket() {
    if (fd_ >= 0) close(fd_);
  }
  [[nodiscard]] int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_;
};

// What a rank says about itself, and what it hears.
struct Greeting {
  std::array<char, 40> launch{};
  std::array<char, 40> nonce{};

  bool operator==(const Greeting&) const = default;
};

struct Step {
  std::string directory;
  Greeting identity;
  milliseconds hold{};
  bool grpc = false;
  int rank = 0;
  int size = 1;
  in_port_t port = 0;
  Clock::time_point begin = Clock::now();
};

long since_boot(Clock::time_point time) {
  return std::chrono::duration_cast<milliseconds>(time.time_since_epoch()).count();
}

void note(const Step& step, const std::string& kind, const std::string& detail = "-") {
  std::array<char, 256> node{};
  gethostname(node.data(), node.size() - 1);
  const auto line = std::string(step.identity.launch.data()) + ' ' + std::to_string(step.rank) +
                    ' ' + node.data() + ' ' + std::to_string(step.port) + ' ' +
                    std::to_string(since_boot(step.begin)) + ' ' +
                    std::to_string(since_boot(Clock::now())) + ' ' + kind + ' ' + detail + '\n';
  const Socket file(open((step.directory + "/notes").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  // One write: the lines of several ranks do not interleave.
  if (write(file.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size())) abort();
}

// A rank that fails tells the other ranks of its step, so that they need not wait for their deadline.
std::string failure_mark(const Step& step) {
  return step.directory + "/failed/" + step.identity.launch.data();
}

int fail(const Step& step, const std::string& kind, const std::string& detail = "-") {
  note(step, kind, detail);
  const Socket mark(open(failure_mark(step).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
  return 1;
}

bool another_has_failed(const Step& step) {
  return access(failure_mark(step).c_str(), F_OK) == 0;
}

void set_patience(int fd, milliseconds time) {
  const timeval value{time.count() / 1000, 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &value, sizeof value);
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &value, sizeof value);
}

bool say(int fd, const Greeting& greeting) {
  return send(fd, &greeting, sizeof greeting, MSG_NOSIGNAL) == sizeof greeting;
}

bool hear(int fd, Greeting& greeting) {
  return recv(fd, &greeting, sizeof greeting, MSG_WAITALL) == sizeof greeting;
}

Socket listening(const Step& step) {
  Socket socket(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int yes = 1;
  const int no = 0;
  setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (step.grpc) setsockopt(socket.get(), SOL_SOCKET, SO_REUSEPORT, &yes, sizeof yes);
  setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
  sockaddr_in6 any{};
  any.sin6_family = AF_INET6;
  any.sin6_port = htons(step.port);
  if (bind(socket.get(), reinterpret_cast<const sockaddr*>(&any), sizeof any) != 0 ||
      listen(socket.get(), 128) != 0) {
    return Socket();
  }
  return socket;
}

// Greets one guest. Returns whether it belongs to this step; records a foreign one.
bool welcome(const Step& step, const Socket& guest, bool& mixed) {
  set_patience(guest.get(), answer_patience);
  Greeting other;
  if (!hear(guest.get(), other) || !say(guest.get(), step.identity)) return false;
  if (other == step.identity) return true;
  mixed = true;
  note(step, "mixed", other.launch.data());
  return false;
}

int host(const Step& step) {
  const auto listener = listening(step);
  if (!listener) return fail(step, errno == EADDRINUSE ? "taken" : "broken", std::to_string(errno));
  std::vector<Socket> guests;  // held open, as a store's clients are
  const auto wanted = static_cast<std::size_t>(step.size - 1);
  bool mixed = false;
  auto end = step.begin + patience;
  while (Clock::now() < end) {
    if (guests.size() < wanted && another_has_failed(step)) return fail(step, "left");
    pollfd ready{listener.get(), POLLIN, 0};
    if (poll(&ready, 1, static_cast<int>(pause.count())) != 1) continue;
    Socket guest(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!guest || !welcome(step, guest, mixed)) continue;
    guests.push_back(std::move(guest));
    if (guests.size() == wanted) end = Clock::now() + step.hold;
  }
  if (guests.size() < wanted) return fail(step, "unmet", std::to_string(guests.size()));
  note(step, "met");
  return mixed ? 1 : 0;
}

// In the ephemeral range a connection may get the very port that it wants to reach as its own.
bool is_to_itself(const Socket& socket) {
  sockaddr_in mine{};
  sockaddr_in theirs{};
  socklen_t size = sizeof mine;
  getsockname(socket.get(), reinterpret_cast<sockaddr*>(&mine), &size);
  getpeername(socket.get(), reinterpret_cast<sockaddr*>(&theirs), &size);
  return mine.sin_port == theirs.sin_port && mine.sin_addr.s_addr == theirs.sin_addr.s_addr;
}

Socket connected(const Step& step, const sockaddr_in& address) {
  Socket socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  set_patience(socket.get(), answer_patience);
  if (connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      is_to_itself(socket) || !say(socket.get(), step.identity)) {
    return Socket();
  }
  return socket;
}

int stay(const Step& step, const Socket& socket) {
  set_patience(socket.get(), patience + step.hold);
  char byte = 0;
  if (recv(socket.get(), &byte, 1, 0) != 0) return fail(step, "broken", "no farewell");
  note(step, "met");
  return 0;
}

int visit(const Step& step, const char* master) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(step.port);
  if (inet_pton(AF_INET, master, &address.sin_addr) != 1) return fail(step, "broken", master);
  while (Clock::now() < step.begin + patience) {
    Greeting other;
    const auto socket = connected(step, address);
    if (socket && hear(socket.get(), other)) {
      if (other == step.identity) return stay(step, socket);
      return fail(step, "mixed", other.launch.data());
    }
    if (another_has_failed(step)) return fail(step, "left");
    std::this_thread::sleep_for(pause);
  }
  return fail(step, "unmet");
}

const char* variable(const char* name, const char* otherwise) {
  const auto* const value = std::getenv(name);
  return value ? value : otherwise;
}

in_port_t find_port(int argc, char** argv) {
  if (const auto* const port = std::getenv("MASTER_PORT")) return std::stoi(port);
  if (argc < 8) return 0;
  std::ifstream ports(argv[6]);
  constexpr int line_size = 6;
  ports.seekg((std::stol(variable("SLURM_JOB_ID", "")) - std::stol(argv[7])) * line_size);
  int port = 0;
  ports >> port;
  return port;
}

void copy(std::array<char, 40>& to, const char* from) {
  std::strncpy(to.data(), from, to.size() - 1);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6) {
    std::cerr
        << "usage: storm_rank DIRECTORY LAUNCH NONCE HOLD_MS tcpstore|grpc [PORTS FIRST_JOB]\n";
    return 2;
  }
  Step step;
  step.directory = argv[1];
  copy(step.identity.launch, argv[2]);
  copy(step.identity.nonce, argv[3]);
  step.hold = milliseconds(std::stol(argv[4]));
  step.grpc = std::string(argv[5]) == "grpc";
  step.rank = std::stoi(variable("RANK", variable("SLURM_PROCID", "0")));
  step.size = std::stoi(variable("WORLD_SIZE", variable("SLURM_NTASKS", "1")));
  step.port = find_port(argc, argv);
  const auto* const master = std::getenv("MASTER_ADDR");
  if (step.port == 0 || !master) return fail(step, "broken", "no place to meet");
  return step.rank == 0 ? host(step) : visit(step, master);
}
