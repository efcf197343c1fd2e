#include "error_directory.hpp"

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>

namespace muster::agent {

namespace fs = std::filesystem;

ErrorDirectory::ErrorDirectory(const std::string& base, const std::string& run_id,
                               std::size_t tasks) {
  // mkdtemp: /tmp is everybody's, and a name that can be foreseen can be taken first.
  auto name = fmt::format("{}/muster-{}-XXXXXX", base, run_id);
  if (mkdtemp(name.data()) == nullptr) return;
  path_ = name;
  for (std::size_t task = 0; task < tasks; ++task) {
    std::error_code full_disk;
    fs::create_directory(fs::path(path_) / fmt::to_string(task), full_disk);
  }
}

ErrorDirectory::~ErrorDirectory() {
  if (path_.empty()) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace muster::agent
