#include "launcher/supervisor/attempts/progress.hpp"

#include "launcher/os/small_file.hpp"

namespace muster::attempts {

std::string progress_of(const std::string& file) {
  constexpr std::size_t max_bytes = 4096;
  return os::small_file(file, max_bytes);
}

}  // namespace muster::attempts
