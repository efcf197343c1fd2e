#include "launcher/program.hpp"

#include "launcher/command/usage_error.hpp"
#include "launcher/os/output.hpp"

#include <csignal>
#include <exception>

namespace muster {
namespace {

constexpr int exit_failure = 1;
constexpr int exit_usage = 2;

// A parent may ignore SIGCHLD, as a shell does after `trap '' CHLD`, and a program inherits that. The kernel
// then keeps no child's status, and waiting for a child never ends.
void take_back_own_children() {
  std::signal(SIGCHLD, SIG_DFL);
}

}  // namespace

int run_program(int argc, char** argv,
                const std::function<int(const std::vector<std::string>&)>& body) {
  take_back_own_children();
  try {
    return body({argv, argv + argc});
  } catch (const command::UsageError& error) {
    os::say(os::Severity::error, error.what());
    return exit_usage;
  } catch (const std::exception& error) {
    os::say(os::Severity::error, error.what());
    return exit_failure;
  }
}

}  // namespace muster
