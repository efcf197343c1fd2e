#include "launcher/agent/slurm_command.hpp"

#include "core/text/list.hpp"
#include "core/text/quote.hpp"

#include <string_view>
#include <system_error>

#include <fmt/format.h>

namespace muster::agent {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view usual_path = "/usr/local/bin:/usr/bin:/bin";

// Requires the file itself, not a link: a user's link could have this name and lead to another of Slurm's
// programs. Without a file of that name, both members are empty.
FoundCommand examined(const fs::path& path, const SlurmOwners& owners) {
  std::error_code missing;
  auto file = fs::canonical(path, missing);
  if (missing || file.filename() != path.filename()) return {};
  const auto why = objection_to(parts_of(file), owners);
  if (why.empty()) return {std::move(file), {}};
  return {{}, fmt::format("{} is not used, because {}", text::printable(file.string()), why)};
}

}  // namespace

FoundCommand find_slurm_command(const std::string& name, const Environment& environment,
                                const SlurmOwners& owners) {
  const auto path = fmt::format("{}:{}", environment.get("PATH"), usual_path);
  FoundCommand refused;
  for (const auto directory : text::split(path, ':')) {
    if (!directory.starts_with('/')) continue;
    auto found = examined(fs::path(directory) / name, owners);
    if (!found.path.empty()) return found;
    if (refused.why.empty()) refused = std::move(found);
  }
  if (refused.why.empty()) refused.why = fmt::format("there is no {} on the job's PATH", name);
  return refused;
}

std::vector<std::string> slurm_environment(const Environment& environment,
                                           const SlurmOwners& owners) {
  std::vector<std::string> small{fmt::format("PATH={}", usual_path), "LC_ALL=C.UTF-8"};
  const auto& configuration = environment.get("SLURM_CONF");
  if (!configuration.empty() && !examined(configuration, owners).path.empty()) {
    small.push_back("SLURM_CONF=" + configuration);
  }
  return small;
}

}  // namespace muster::agent
