#include "launcher/os/host_name.hpp"

#include <array>

#include <unistd.h>

namespace muster::os {

std::string host_name() {
  constexpr std::size_t max_name = 255;
  std::array<char, max_name + 1> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "the submit host";
}

}  // namespace muster::os
