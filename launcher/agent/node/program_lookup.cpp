#include "launcher/agent/node/program_lookup.hpp"

#include "core/text/quote.hpp"
#include "launcher/os/executable.hpp"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

namespace muster::node {
std::string missing_program(const std::vector<std::string>& arguments,
                            const Environment& environment, const std::string& directory) {
  if (arguments.empty()) return {};
  const auto& name = arguments.front();
  if (name.find('/') == std::string::npos) {
    if (os::on_path(name, environment, directory)) return {};
    // Debian has no `python` unless a package or an environment provides it.
    const bool is_python3 = name == "python" && os::on_path("python3", environment, directory);
    return fmt::format("the program {} is not on the job's PATH; {}", text::printable_path(name),
                       is_python3 ? "did you mean python3?" : "use its full path");
  }
  const int error = os::why_not_executable(os::in_directory(directory, name));
  // These errors mean that the user mistyped; a slow or broken file system causes others.
  if (error != ENOENT && error != ENOTDIR && error != EACCES && error != EISDIR) return {};
  return fmt::format(
      "cannot start {}: {}; check that the path is right and the file is "
      "executable",
      text::printable_path(name), std::strerror(error));
}

}  // namespace muster::node
