#include "launcher/program.hpp"

#include "launcher/command/usage_error.hpp"
#include "launcher/os/output.hpp"

#include <exception>

namespace muster {
namespace {

constexpr int exit_failure = 1;
constexpr int exit_usage = 2;

}  // namespace

int run_program(int argc, char** argv,
                const std::function<int(const std::vector<std::string>&)>& body) {
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
