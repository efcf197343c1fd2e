// Asks this user's supervisors on this host.
#pragma once

#include "core/environment.hpp"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace muster::control {

struct Place {
  std::filesystem::path directory;
  std::string socket;
};

// Where supervisors listen, or have listened.
std::vector<Place> places(const Environment& environment, const std::string& host);

// One question, {"ask": NAME}, and the line that answers it. Nothing where nobody of this user's answers
// in time; the socket of a process that has ended is removed.
std::optional<std::string> ask(const Place& place, const std::string& question,
                               std::chrono::milliseconds timeout, std::size_t max_bytes);

}  // namespace muster::control
