#include "launcher/topology/cache/key.hpp"

#include "core/environment.hpp"
#include "core/text/list.hpp"
#include "launcher/site/installed.hpp"
#include "launcher/site/site.hpp"

#include <algorithm>
#include <fstream>
#include <set>
#include <system_error>

#include <fmt/format.h>
#include <sys/stat.h>

namespace muster::topology::cache {
namespace {

namespace fs = std::filesystem;

std::string first_line(const fs::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

std::set<std::string> names_in(const fs::path& directory) {
  std::set<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error))
    names.insert(entry->path().filename());
  return names;
}

// Each device of a class with its location on the bus. Interfaces of containers and screen connectors come
// and go, so they do not count.
std::set<std::string> devices_of_class(const fs::path& directory) {
  std::set<std::string> devices;
  for (const auto& name : names_in(directory)) {
    if (name.find('-') != name.npos) continue;
    std::error_code error;
    const auto place = fs::read_symlink(directory / name, error).string();
    if (place.find("/virtual/") == place.npos) devices.insert(place.empty() ? name : place);
  }
  return devices;
}

// Which MIG instances exist: each one has a directory.
std::set<std::string> mig_instances(const fs::path& capabilities) {
  std::set<std::string> instances;
  for (const auto& gpu : names_in(capabilities))
    for (const auto& instance : names_in(capabilities / gpu / "mig"))
      instances.insert(
          fmt::format("{}/{}:{}", gpu, instance,
                      text::join(names_in(capabilities / gpu / "mig" / instance), "+")));
  return instances;
}

void add(std::string& text, std::string_view what, const std::set<std::string>& values) {
  text += fmt::format("{} {}\n", what, text::join(values, " "));
}

void add_devices(std::string& text, const fs::path& root) {
  const auto sys = root / "sys";
  add(text, "pci", names_in(sys / "bus/pci/devices"));
  for (const char* kind : {"infiniband", "net", "drm"})
    add(text, kind, devices_of_class(sys / "class" / kind));
  add(text, "kfd", names_in(sys / "class/kfd/kfd/topology/nodes"));
  add(text, "nvidia", names_in(root / "proc/driver/nvidia/gpus"));
  add(text, "mig", mig_instances(root / "proc/driver/nvidia/capabilities"));
}

// Users can make hwloc read another machine, or only parts of this one.
bool environment_steers_hwloc() {
  const auto environment = site::current_environment();
  return std::ranges::any_of(environment,
                             [](const auto& each) { return each.first.starts_with("HWLOC_"); });
}

std::optional<CacheKey> key_of_boot(const fs::path& root) {
  const auto boot = first_line(root / "proc/sys/kernel/random/boot_id");
  if (boot.empty() || environment_steers_hwloc()) return std::nullopt;
  return CacheKey{boot, fmt::format("boot {}\nmuster {}\nhwloc {}\n", boot,
                                    site::installed_version(), hwloc::hwloc_version())};
}

}  // namespace

std::optional<CacheKey> scan_key(hwloc::Scan scan, const fs::path& root) {
  auto key = key_of_boot(root);
  if (!key) return std::nullopt;
  const auto system = root / "sys/devices/system";
  key->text += fmt::format("scan {}\ncpus {}\nnodes {}\n",
                           scan == hwloc::Scan::devices ? "devices" : "processors",
                           first_line(system / "cpu/online"), first_line(system / "node/online"));
  if (scan == hwloc::Scan::devices) add_devices(key->text, root);
  return key;
}

std::optional<CacheKey> file_key(const std::string& file, const fs::path& root) {
  auto key = key_of_boot(root);
  struct stat status {};
  if (!key || stat(file.c_str(), &status) != 0) return std::nullopt;
  key->text += fmt::format("file {}\ninode {} {}\nsize {}\nchanged {}.{:09} {}.{:09}\n", file,
                           status.st_dev, status.st_ino, status.st_size, status.st_mtim.tv_sec,
                           status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec);
  add_devices(key->text, root);
  return key;
}

}  // namespace muster::topology::cache
