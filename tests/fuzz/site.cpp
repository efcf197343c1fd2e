// The site's and the user's configuration file.
#include "core/error.hpp"
#include "core/site/config.hpp"
#include "target.hpp"

#include <optional>

namespace {

using namespace muster;
using site::ConfigKind;

std::optional<site::Config> parse(std::string_view text, ConfigKind kind) {
  try {
    return site::parse_config(text, "fuzz.yaml", kind);
  } catch (const Error& refusal) {
    fuzz::expect_one_line(refusal.what());
    return std::nullopt;
  }
}

void read_input(std::string_view text) {
  const auto user = parse(text, ConfigKind::user);
  if (user) {
    fuzz::expect(user->policy == option::Policy{}, "a user sets policy");
    fuzz::expect(user->topology == site::TopologyRules{}, "a user sets topologies");
    fuzz::expect(user->nics.empty() && user->networks.empty(), "a user sets networks");
  }
  const auto config = parse(text, ConfigKind::site);
  if (!config) return;
  rule_for(config->topology, "a1");
  site::profile_directories(user.value_or(site::Config{}), *config, {}, "/usr/share/muster");
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  return {
      "topology: {cache: auto, gpus: all, rules: [{nodes: 'a[1-2]', file: /a}, {nodes: ['b*'], "
      "nccl: /b, map: [{gpu: 0, cpus: 0-3, nics: [mlx5_0]}]}]}\n",
      "defaults:\n  profile: torch\n  bind: none\npolicy:\n  fix: {port: 20000-21000}\n  forbid: "
      "[bind=none]\nprofiles: [/etc/muster/profiles]\nport_range: 61000-65535\n",
      "defaults: {profile: jax, smt: all}\nprofiles: [~/p]\n",
      "networks:\n  - {partition: gpu, network: ib0}\n  - {features: ib, network: ib1}\nnics:\n  - "
      "{nodes: 'n[1-4]', nics: [mlx5_0, mlx5_1]}\ngather_timeout: 60\n"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::one_input(data, size, {.base = 16U << 20, .per_byte = 16384}, read_input);
}
