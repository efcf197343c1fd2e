// The guard of an agent's ranks, as seen in /proc.
#pragma once

#include "launcher/agent/ranks/process.hpp"
#include "unit/launcher/agent/ranks/script.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>

#include <sys/types.h>

namespace muster::ranks {

// 0 if the agent has no guard.
inline pid_t guard_of(pid_t agent) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const pid_t pid = std::atoi(entry.path().filename().c_str());
    const auto stat = pid > 0 ? stat_of("/proc", pid) : std::nullopt;
    if (!stat || stat->parent != agent || stat->state == 'Z') continue;
    std::ifstream file(entry.path() / "comm");
    std::string name;
    if (std::getline(file, name) && name == "muster-guard") return pid;
  }
  return 0;
}

// The guard takes its name once it has started.
inline pid_t await_guard_of(pid_t agent) {
  pid_t guard = 0;
  if (!comes_true([&] { return (guard = guard_of(agent)) > 0; }))
    throw std::runtime_error("no guard");
  return guard;
}

}  // namespace muster::ranks
