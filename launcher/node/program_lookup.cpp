#include "launcher/node/program_lookup.hpp"

#include "core/text/quote.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::node {
namespace {

// An empty entry of PATH is the job's directory.
std::string in_directory(const std::string& directory, const std::string& path) {
  return path.starts_with('/') ? path : fmt::format("{}/{}", directory, path);
}

// Zero, or errno.
int why_not(const std::string& path) {
  struct stat file {};
  if (stat(path.c_str(), &file) != 0) return errno;
  if (S_ISDIR(file.st_mode)) return EISDIR;
  return access(path.c_str(), X_OK) == 0 ? 0 : errno;
}

bool on_path(const std::string& name, const Environment& environment,
             const std::string& directory) {
  const auto found = environment.find("PATH");
  const std::string path = found == environment.end() ? "/bin:/usr/bin" : found->second;
  std::string_view rest = path;
  while (true) {
    const auto colon = rest.find(':');
    const auto entry = in_directory(directory, std::string(rest.substr(0, colon)));
    if (why_not(entry + '/' + name) == 0) return true;
    if (colon == std::string_view::npos) return false;
    rest.remove_prefix(colon + 1);
  }
}

}  // namespace

std::string missing_program(const std::vector<std::string>& arguments,
                            const Environment& environment, const std::string& directory) {
  if (arguments.empty()) return {};
  const auto& name = arguments.front();
  if (name.find('/') == std::string::npos) {
    if (on_path(name, environment, directory)) return {};
    return fmt::format("the program {} is not on the job's PATH; give its path",
                       text::printable_path(name));
  }
  const int error = why_not(in_directory(directory, name));
  // These are the user's typing errors; a slow or broken file system is not one.
  if (error != ENOENT && error != ENOTDIR && error != EACCES && error != EISDIR) return {};
  return fmt::format("cannot start {}: {}; check its path and its x bit",
                     text::printable_path(name), std::strerror(error));
}

}  // namespace muster::node
