// A profile, which may be the user's own file.
#include "core/profile/profile.hpp"

#include "core/error.hpp"
#include "target.hpp"

namespace {

using namespace muster;

void read_input(std::string_view text) {
  const auto file = profile::parse_profile(text, "fuzz.yaml");
  const auto resolved = profile::resolve_profile("fuzz", [&](const std::string& name) {
    if (name == "fuzz") return file;
    if (name == "torch") return profile::parse_profile("environment: {RANK: '{rank}'}", "t.yaml");
    throw Error("no such profile");
  });
  for (const auto& variable : resolved.environment) {
    fuzz::expect(!variable.name.empty(), "a variable has no name");
    fuzz::expect(variable.name.find_first_of(std::string_view("=\0", 2)) == std::string::npos,
                 "a name cannot be in an environment");
  }
  profile::PlaceholderValues values;
  for (const auto& info : profile::placeholders()) values[info.placeholder] = {"1", Origin::slurm};
  for (const auto& variable : profile::expand(resolved, values, {}).variables) {
    fuzz::expect(variable.value.find('\0') == std::string::npos,
                 "a value cannot be in an environment");
  }
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  return {
      "summary: a\nmode: rank\ninclude: torch\nenvironment:\n  RANK: \"{rank}\"\n  A: "
      "\"x{{y}}\"\n",
      "environment: {A: b, C: \"{master_addr}:{master_port}\"}\n",
      "summary: b\nmode: agent\ninclude: torch\nwithout: [RANK]\nrequires: [one_task_per_node, "
      "slurm_ranks]\ngpus: all\n"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::one_input(data, size, {.base = 4U << 20, .per_byte = 8192}, read_input);
}
