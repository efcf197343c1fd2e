#include "launcher/os/executable.hpp"

#include <cerrno>
#include <string_view>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::os {

std::string in_directory(const std::string& directory, const std::string& path) {
  return path.starts_with('/') ? path : fmt::format("{}/{}", directory, path);
}

int why_not_executable(const std::string& path) {
  struct stat file {};
  if (stat(path.c_str(), &file) != 0) return errno;
  if (S_ISDIR(file.st_mode)) return EISDIR;
  return access(path.c_str(), X_OK) == 0 ? 0 : errno;
}

bool on_path(const std::string& name, const Environment& environment,
             const std::string& directory) {
  const auto* const set = environment.if_set("PATH");
  const std::string path = set == nullptr ? "/bin:/usr/bin" : *set;
  std::string_view rest = path;
  while (true) {
    const auto colon = rest.find(':');
    const auto entry = in_directory(directory, std::string(rest.substr(0, colon)));
    if (why_not_executable(entry + '/' + name) == 0) return true;
    if (colon == std::string_view::npos) return false;
    rest.remove_prefix(colon + 1);
  }
}

std::vector<char*> exec_pointers(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const auto& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace muster::os
