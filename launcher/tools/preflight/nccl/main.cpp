// muster-preflight-nccl: the program with which a node's part of preflight= tests NCCL together with another
// node. It is a separate process because it opens third-party code: a driver that hangs or a library that
// crashes costs only this test. It reports whether the GPU and NCCL can be used, and then answers each order
// on its standard input with one line.
#include "launcher/tools/preflight/nccl/all_reduce.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>

#include <fcntl.h>
#include <unistd.h>

namespace {

using namespace muster::preflight::nccl;

// Whatever libraries print goes to standard error instead of mixing with the answers.
class Output {
 public:
  Output() : own_(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)) {
    dup2(STDERR_FILENO, STDOUT_FILENO);
  }
  [[nodiscard]] bool say(const Answer& answer) const {
    const auto line = to_line(answer) + '\n';
    return write(own_, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  }

 private:
  int own_;
};

// Reads up to the newline; no value once the other end is closed, or has sent more than an order can contain.
std::optional<std::string> next_line() {
  std::string line;
  char byte = 0;
  while (line.size() <= max_line) {
    const auto size = read(STDIN_FILENO, &byte, 1);
    if (size != 1) return std::nullopt;
    if (byte == '\n') return line;
    line += byte;
  }
  return std::nullopt;
}

// False if the other end is no longer there.
bool test(const Nccl& nccl, const Gpu& gpu, const Order& order, const Output& output) {
  Pair pair(nccl, gpu);
  Answer answer;
  try {
    answer = {Outcome::measured, 0, pair.test(order), {}};
  } catch (const TooLate& late) {
    answer = {Outcome::late, 0, {}, late.what()};
  } catch (const std::exception& error) {
    answer = {Outcome::failed, 0, {}, error.what()};
  }
  return output.say(answer);
}

int run(const Output& output) {
  std::signal(SIGPIPE, SIG_IGN);
  try {
    const auto nccl = open_nccl();
    const Gpu gpu(max_bytes);
    if (!output.say({Outcome::ready, nccl.version, {}, {}})) return EXIT_FAILURE;
    while (const auto line = next_line()) {
      const auto order = order_in(*line);
      if (!order || !test(nccl, gpu, *order, output)) return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
  } catch (const NothingHere& nothing) {
    return output.say({Outcome::left_out, 0, {}, nothing.what()}) ? EXIT_SUCCESS : EXIT_FAILURE;
  } catch (const std::exception& error) {
    return output.say({Outcome::failed, 0, {}, error.what()}) ? EXIT_SUCCESS : EXIT_FAILURE;
  }
}

}  // namespace

int main(int argc, char** /*argv*/) {
  if (argc > 1 || isatty(STDIN_FILENO) != 0) {
    std::fputs(
        "muster-preflight-nccl is started by muster for preflight=; see docs/guides/preflight.md\n",
        stderr);
    return EXIT_FAILURE;
  }
  const Output output;
  const int code = run(output);
  // Drivers have threads, and code that runs at exit; the GPU has been given back.
  std::fflush(nullptr);
  _exit(code);
}
