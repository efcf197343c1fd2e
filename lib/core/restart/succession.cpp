#include "core/restart/succession.hpp"

#include "core/text/number.hpp"

#include <fmt/format.h>

namespace muster::restart {
namespace {

constexpr std::string_view name_begin = "muster-successor-";

}  // namespace

std::string successor_name(Generation generation) {
  return fmt::format("{}{}", name_begin, generation);
}

std::optional<Generation> successor_generation(std::string_view name) {
  if (!name.starts_with(name_begin)) return std::nullopt;
  return text::number<Generation>(name.substr(name_begin.size()));
}

Right right_to_supervise(Generation own, const HostlessJob& now) {
  if (now.job.state != "RUNNING") return Right::lost;
  if (now.successor.value_or(0) > own + 1) return Right::lost;
  return now.host_lost ? Right::unknown : Right::holds;
}

}  // namespace muster::restart
