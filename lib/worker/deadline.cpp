#include "worker/deadline.hpp"

#include <array>
#include <cstdio>

namespace muster::worker {

std::string Deadline::elapsed() const {
  const std::chrono::duration<double> seconds = Clock::now() - start_;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f s", seconds.count());
  return text.data();
}

}  // namespace muster::worker
