#include "rdma.hpp"

#include <filesystem>
#include <fstream>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace muster::agent {
namespace {

namespace fs = std::filesystem;

// The state file reads "4: ACTIVE".
bool active(const fs::path& port) {
  std::ifstream file(port / "state");
  std::string number, word;
  return static_cast<bool>(file >> number >> word) && word == "ACTIVE";
}

bool has_active_port(const fs::path& device) {
  std::error_code error;
  for (fs::directory_iterator port(device / "ports", error), end; !error && port != end;
       port.increment(error)) {
    if (active(port->path())) return true;
  }
  return false;
}

}  // namespace

bool has_rdma(const std::string& sys) {
  std::error_code error;
  return !fs::is_empty(fs::path(sys) / "class/infiniband", error) && !error;
}

std::string active_hcas(const std::string& sys) {
  std::set<std::string> names;
  std::error_code error;
  for (fs::directory_iterator device(fs::path(sys) / "class/infiniband", error), end;
       !error && device != end; device.increment(error)) {
    if (has_active_port(device->path())) names.insert(device->path().filename().string());
  }
  return names.empty() ? "" : fmt::format("={}", fmt::join(names, ","));
}

}  // namespace muster::agent
