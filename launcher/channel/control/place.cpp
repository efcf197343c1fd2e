#include "launcher/channel/control/place.hpp"

#include "core/contains.hpp"
#include "launcher/os/user_secret.hpp"

#include <algorithm>
#include <cstring>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::control {
namespace {

namespace fs = std::filesystem;

bool is_ours(const fs::path& directory) {
  struct stat found {};
  return lstat(directory.c_str(), &found) == 0 && S_ISDIR(found.st_mode) &&
         found.st_uid == geteuid();
}

}  // namespace

std::vector<fs::path> directories(const Environment& environment, const std::string& host) {
  std::vector<fs::path> found;
  const auto add_runtime = [&found](const fs::path& runtime) {
    const auto directory = runtime / "muster";
    if (!runtime.is_absolute() || !is_ours(runtime)) return;
    if (!contains(found, directory)) found.push_back(directory);
  };
  add_runtime(environment.get("XDG_RUNTIME_DIR"));
  add_runtime(fmt::format("/run/user/{}", geteuid()));
  const auto state = os::state_directory(environment);
  if (!state.empty()) found.push_back(fs::path(state) / ("control-" + host));
  found.emplace_back(fmt::format("/tmp/muster-control-{}", geteuid()));
  return found;
}

os::Descriptor open_private(const fs::path& directory) {
  os::Descriptor opened(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat found {};
  if (!opened || fstat(opened.get(), &found) != 0) return os::Descriptor();
  const bool alone = found.st_uid == geteuid() && (found.st_mode & (S_IRWXG | S_IRWXO)) == 0;
  return alone ? std::move(opened) : os::Descriptor();
}

sockaddr_un address_in(const os::Descriptor& directory, const std::string& name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const auto path = fmt::format("/proc/self/fd/{}/{}", directory.get(), name);
  std::memcpy(address.sun_path, path.data(), std::min(path.size(), sizeof address.sun_path - 1));
  return address;
}

std::vector<std::string> sockets_in(const fs::path& directory) {
  std::vector<std::string> names;
  std::error_code none;
  for (auto entry = fs::directory_iterator(directory, none);
       !none && entry != fs::directory_iterator() && names.size() < max_sockets;
       entry.increment(none)) {
    if (entry->path().extension() == ".socket") names.push_back(entry->path().filename());
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace muster::control
