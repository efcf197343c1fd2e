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

// Where supervisors listen, or used to listen.
std::vector<Place> places(const Environment& environment, const std::string& host);

struct Answer {
  bool reached = false;             // whether a process of this user listens there
  std::optional<std::string> line;  // nullopt if it did not answer in time
};

// Asks one question, {"ask": NAME}, and returns the line that answers it. Removes the socket of a process
// that has ended.
Answer ask(const Place& place, const std::string& question, std::chrono::milliseconds timeout,
           std::size_t max_bytes);

}  // namespace muster::control
