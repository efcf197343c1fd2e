#include "launcher/tools/preflight/nccl_program.hpp"

#include "core/error.hpp"
#include "core/rendezvous/endpoint.hpp"
#include "launcher/agent/port/held_port.hpp"
#include "launcher/os/executable.hpp"
#include "launcher/os/open_files.hpp"
#include "launcher/os/small_file.hpp"
#include "secret/mac.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::preflight {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds answer_timeout{200};  // after its time limit
constexpr milliseconds exit_timeout{1500};   // a driver needs time to release a GPU
constexpr milliseconds kill_timeout{100};

[[noreturn]] void become(const char* program, char* const* environment, int input, int output,
                         pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  const int null = open("/dev/null", O_RDWR);
  dup2(input, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(null, STDERR_FILENO);
  os::close_others();
  constexpr rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  std::array<char*, 2> arguments{const_cast<char*>(program), nullptr};
  execve(program, arguments.data(), environment);
  _exit(127);
}

double milliseconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
      .count();
}

std::unique_ptr<port::HeldPort> free_port() {
  try {
    auto held = port::HeldPort::hold_free(port::Admits::own_user);
    return held ? std::make_unique<port::HeldPort>(std::move(*held)) : nullptr;
  } catch (const Error&) {
    return nullptr;
  }
}

std::string place_text(const channel::Address& place) {
  return rendezvous::endpoint_text(place.addresses.front(), place.port);
}

}  // namespace

bool has_nvidia_gpu(const std::filesystem::path& root) {
  return !os::names_in(root / "proc/driver/nvidia/gpus").empty();
}

std::string nccl_key(const secret::Key& key, std::uint32_t test) {
  return secret::to_hex(secret::derive_key(key, {"preflight nccl", fmt::to_string(test)}));
}

NcclProgram::NcclProgram(std::filesystem::path program, Environment environment)
    : program_(std::move(program)), environment_(std::move(environment)) {}

NcclProgram::~NcclProgram() {
  end();
}

bool NcclProgram::launch() {
  std::array<int, 2> orders{-1, -1};
  std::array<int, 2> answers{-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, orders.data()) != 0) return false;
  orders_ = os::Descriptor(orders[0]);
  const os::Descriptor input(orders[1]);
  if (pipe2(answers.data(), O_CLOEXEC) != 0) return false;
  answers_ = os::Descriptor(answers[0]);
  const os::Descriptor output(answers[1]);
  std::vector<std::string> variables;
  for (const auto& [name, value] : environment_) variables.push_back(name + '=' + value);
  const auto pointers = os::exec_pointers(variables);
  heard_.clear();
  ready_ = false;
  const auto parent = getpid();
  child_ = fork();
  if (child_ == 0) become(program_.c_str(), pointers.data(), input.get(), output.get(), parent);
  return child_ > 0;
}

NcclStart NcclProgram::start(const NcclStartOrder& order) {
  using State = NcclStart::State;
  const auto begin = Clock::now();
  test_limit_ = order.test;
  const auto nothing = [&](State state, std::string why) {
    end();
    return NcclStart{state, milliseconds_since(begin), 0, 0, std::move(why)};
  };
  if (access(program_.c_str(), X_OK) != 0)
    return nothing(State::left_out, program_.string() + " is not installed");
  port_ = free_port();
  if (!port_) return nothing(State::left_out, "no port is free");
  if (!launch()) return nothing(State::left_out, "cannot start a process");
  const auto answer = next_answer(begin + order.start);
  if (!answer) {
    const bool late = Clock::now() >= begin + order.start;
    return late ? nothing(State::late, "its GPU or NCCL does not answer")
                : nothing(State::failed, "the driver or NCCL has terminated the program");
  }
  if (answer->outcome == nccl::Outcome::left_out) return nothing(State::left_out, answer->why);
  if (answer->outcome != nccl::Outcome::ready) return nothing(State::failed, answer->why);
  ready_ = true;
  return {State::ready,
          milliseconds_since(begin),
          static_cast<std::uint32_t>(answer->version),
          port_->port(),
          {}};
}

// A program that was killed in the previous test is started again; this test's time includes that.
NcclReport NcclProgram::test(const NcclOrder& order, const secret::Key& key) {
  const auto begin = Clock::now();
  const auto limit = test_limit_;
  NcclReport report{0, false, {.test = order.number}};
  const auto fail = [&](bool late, std::string why) {
    report.late = late;
    report.report.failure = std::move(why);
    report.time = milliseconds_since(begin);
    return report;
  };
  if (child_ <= 0 && !launch()) return fail(false, "cannot start a process");
  if (!ready_) {
    const auto first = next_answer(begin + limit);
    ready_ = first && first->outcome == nccl::Outcome::ready;
  }
  const auto left = std::chrono::floor<milliseconds>(begin + limit - Clock::now());
  std::optional<nccl::Answer> answer;
  if (ready_ && left.count() > 0) {
    const channel::Address own{port_->port(), {"127.0.0.1"}};
    const nccl::Order line{order.connects ? 1 : 0, order.small, left,
                           place_text(order.connects ? order.partner : own),
                           nccl_key(key, order.number)};
    if (say(nccl::to_line(line) + '\n')) answer = next_answer(begin + limit + answer_timeout);
  }
  if (!answer) {
    const bool late = Clock::now() >= begin + limit;
    end();
    launch();
    return fail(late,
                late ? "NCCL does not answer" : "NCCL or the driver has terminated the program");
  }
  if (answer->outcome != nccl::Outcome::measured)
    return fail(answer->outcome == nccl::Outcome::late, answer->why);
  const auto& [latency, mean, bandwidth] = answer->figures;
  report.time = milliseconds_since(begin);
  report.report.measure = Measure{latency, mean, 0, bandwidth};
  return report;
}

void NcclProgram::end() {
  orders_ = os::Descriptor();
  if (child_ <= 0) return;
  if (ready_ && await_end(Clock::now() + exit_timeout)) return;
  kill(child_, SIGKILL);
  await_end(Clock::now() + kill_timeout);
  child_ = -1;
}

bool NcclProgram::await_end(Clock::time_point deadline) {
  constexpr milliseconds interval{5};
  while (waitpid(child_, nullptr, WNOHANG) == 0) {
    if (Clock::now() >= deadline) return false;
    std::this_thread::sleep_for(interval);
  }
  child_ = -1;
  return true;
}

bool NcclProgram::say(const std::string& line) const {
  return send(orders_.get(), line.data(), line.size(), MSG_DONTWAIT | MSG_NOSIGNAL) ==
         static_cast<ssize_t>(line.size());
}

// No value if no answer arrives in time, the program has ended, or the line is not one of the program's own.
std::optional<nccl::Answer> NcclProgram::next_answer(Clock::time_point deadline) {
  while (heard_.size() <= nccl::max_line) {
    const auto end = heard_.find('\n');
    if (end != std::string::npos) {
      const auto line = heard_.substr(0, end);
      heard_.erase(0, end + 1);
      return nccl::answer_in(line);
    }
    const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now()).count();
    pollfd ready{answers_.get(), POLLIN, 0};
    const int count = poll(&ready, 1, static_cast<int>(std::max<long>(left, 0)));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return std::nullopt;
    std::array<char, nccl::max_line> block{};
    const auto size = read(answers_.get(), block.data(), block.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return std::nullopt;
    heard_.append(block.data(), static_cast<std::size_t>(size));
  }
  return std::nullopt;
}

}  // namespace muster::preflight
