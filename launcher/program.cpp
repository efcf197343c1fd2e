#include "launcher/program.hpp"

#include "core/text/quote.hpp"
#include "launcher/command/usage_error.hpp"

#include <cstdio>
#include <exception>

namespace muster {
namespace {

constexpr int exit_failure = 1;
constexpr int exit_usage = 2;

void report(const char* what) {
  // It may quote any text of a user or a file: keep one line, without terminal control characters.
  std::fprintf(stderr, "muster: %s\n", text::printable_path(what).c_str());
}

}  // namespace

int run_program(int argc, char** argv,
                const std::function<int(const std::vector<std::string>&)>& body) {
  try {
    return body({argv, argv + argc});
  } catch (const command::UsageError& error) {
    report(error.what());
    return exit_usage;
  } catch (const std::exception& error) {
    report(error.what());
    return exit_failure;
  }
}

}  // namespace muster
