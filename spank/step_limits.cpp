#include "spank/step_limits.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

namespace muster::spank {
namespace {

constexpr std::string_view prefix = "SLURM_RLIMIT_";

struct Name {
  std::string_view text;
  int resource;
};

// Without NPROC: it limits everything that the user runs on the node, and exec fails beyond it. A site that
// does not pass srun's value on to the tasks (PropagateResourceLimits) must not lose the step because of it.
constexpr std::array<Name, 9> names{{{"CPU=", RLIMIT_CPU},
                                     {"FSIZE=", RLIMIT_FSIZE},
                                     {"DATA=", RLIMIT_DATA},
                                     {"STACK=", RLIMIT_STACK},
                                     {"CORE=", RLIMIT_CORE},
                                     {"RSS=", RLIMIT_RSS},
                                     {"NOFILE=", RLIMIT_NOFILE},
                                     {"MEMLOCK=", RLIMIT_MEMLOCK},
                                     {"AS=", RLIMIT_AS}}};

// "1024", or "U1024" if the user asked for it (srun --propagate).
void add(std::vector<StepLimit>& limits, int resource, std::string_view value) {
  if (value.starts_with('U')) value.remove_prefix(1);
  StepLimit limit{resource, 0};
  const auto* const end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, limit.soft);
  if (error == std::errc{} && stop == end) limits.push_back(limit);
}

}  // namespace

std::vector<StepLimit> step_limits(const std::vector<std::string>& environment) {
  std::vector<StepLimit> limits;
  for (std::string_view entry : environment) {
    if (!entry.starts_with(prefix)) continue;
    entry.remove_prefix(prefix.size());
    for (const auto& [text, resource] : names) {
      if (entry.starts_with(text)) add(limits, resource, entry.substr(text.size()));
    }
  }
  return limits;
}

void take_limits(const std::vector<StepLimit>& limits) {
  for (const auto& [resource, soft] : limits) {
    rlimit limit{};
    if (getrlimit(static_cast<__rlimit_resource_t>(resource), &limit) != 0) continue;
    limit.rlim_cur = std::min(soft, limit.rlim_max);
    setrlimit(static_cast<__rlimit_resource_t>(resource), &limit);
  }
}

}  // namespace muster::spank
