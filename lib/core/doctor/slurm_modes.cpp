#include "core/doctor/slurm_modes.hpp"

#include "core/text/list.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace muster::doctor {
namespace {

bool has_word(const std::string& list, std::string_view wanted) {
  const auto words = text::split(list, ',');
  return std::ranges::find(words, wanted) != words.end();
}

// Plugins that a site need not have: Slurm prints "(null)", "none" or the like for none.
std::string chosen_plugin(const Facts& facts, const char* key) {
  constexpr std::array<std::string_view, 5> none{"(null)", "none", "tls/none", "topology/flat",
                                                 "topology/default"};
  auto plugin = facts.text(key);
  return std::ranges::find(none, plugin) == none.end() ? plugin : std::string();
}

// Slurm 26.05 and newer name the groups of jobs by their SLUIDs, with cgroup/v2.
bool names_groups_by_sluid(const Facts& facts) {
  return facts.text("release") >= "26.05" && facts.text("slurm.CgroupPlugin") == "cgroup/v2" &&
         facts.text("slurm.CgroupJobIdPaths") != "yes";
}

}  // namespace

std::vector<std::string> slurm_modes(const Facts& facts) {
  std::vector<std::string> modes;
  const auto parameters = facts.text("slurm.SlurmctldParameters");
  for (const auto* const word : {"enable_stepmgr", "enable_expedited_requeue"}) {
    if (has_word(parameters, word)) modes.emplace_back(word);
  }
  if (facts.text("slurm.AuthType") == "auth/slurm") modes.emplace_back("auth/slurm");
  for (const auto* const key :
       {"slurm.TLSType", "slurm.NamespaceType", "slurm.JobContainerType", "slurm.TopologyPlugin"}) {
    if (auto plugin = chosen_plugin(facts, key); !plugin.empty())
      modes.push_back(std::move(plugin));
  }
  if (has_word(facts.text("slurm.SelectTypeParameters"), "CR_NO_DIST_TOPO_BLOCK")) {
    modes.emplace_back("CR_NO_DIST_TOPO_BLOCK");
  }
  if (names_groups_by_sluid(facts)) modes.emplace_back("control groups by SLUID");
  return modes;
}

}  // namespace muster::doctor
