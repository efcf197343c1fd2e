#include "core/srun/test_only.hpp"

#include "core/srun/line.hpp"
#include "core/srun/spare_nodes.hpp"

namespace muster::srun {

bool is_test_only(const Command& command) {
  return read_step(command).has("test-only");
}

// The last of several equal options counts. Components must not have different values of --distributed.
std::vector<std::string> estimate_command(const Command& command, const Environment& environment,
                                          std::uint32_t spares) {
  const auto components = read_components(command);
  auto words = command.words;
  for (auto i = components.size(); i-- > 0;) {
    const auto& line = components[i];
    std::vector<std::string> more;
    if (i == 0) more = with_spares(components, environment, spares);
    if (i == 0 || line.has("distributed")) more.emplace_back("--distributed=off");
    words.insert(words.begin() + static_cast<std::ptrdiff_t>(line.end), more.begin(), more.end());
  }
  return words;
}

}  // namespace muster::srun
