#include "core/srun/gpu_total.hpp"

#include "core/text/list.hpp"
#include "core/text/number.hpp"

#include <vector>

#include <fmt/format.h>

namespace muster::srun {

std::optional<std::string> gpus_for(std::string_view gpus, std::uint64_t from, std::uint64_t to) {
  std::vector<std::string> parts;
  for (const auto part : text::split(gpus, ',')) {
    // Including its colon; empty if there is none.
    const auto type = part.substr(0, part.rfind(':') + 1);
    const auto count = text::number<std::uint32_t>(part.substr(type.size()));
    if (!count || from == 0 || *count % from != 0) return std::nullopt;
    parts.push_back(fmt::format("{}{}", type, *count / from * to));
  }
  return text::join(parts, ",");
}

}  // namespace muster::srun
