#include "launcher/tools/preflight/nccl_environment.hpp"

#include "core/contains.hpp"
#include "core/error.hpp"
#include "core/text/list.hpp"
#include "launcher/agent/node/site_variables.hpp"
#include "launcher/channel/step/step_request.hpp"
#include "launcher/os/slurm_environment.hpp"
#include "launcher/site/site.hpp"

#include <array>
#include <set>

namespace muster::preflight {
namespace {

constexpr std::string_view own_library = "MUSTER_NCCL_LIBRARY";
constexpr const char* interface_variable = "NCCL_SOCKET_IFNAME";

// Variables that make NCCL write output that is not read, or that make a program a rank of a step.
constexpr std::array<std::string_view, 10> unwanted{
    "NCCL_DEBUG",           "NCCL_DEBUG_FILE", "NCCL_DEBUG_SUBSYS", "NCCL_TOPO_DUMP_FILE",
    "NCCL_GRAPH_DUMP_FILE", "NCCL_COMM_ID",    "GROUP_RANK",        "GROUP_WORLD_SIZE",
    "MASTER_ADDR",          "MASTER_PORT"};

bool is_unwanted(std::string_view name) {
  return name != own_library &&
         (os::shapes_a_step(name) || name.starts_with("PMI") || contains(unwanted, name));
}

}  // namespace

// Entries that end with a zero byte: NAME=VALUE from the site's file, NAME from NCCL's own files.
std::string site_settings(const site::SiteOptions& files, const Environment& environment,
                          const std::string& node) {
  try {
    const site::Site site(files, environment, false);
    const auto found =
        node::site_variables({.site = site, .environment = environment, .node = node, .nodes = 2});
    std::string text;
    for (const auto& [name, value] : found.others.files) text += name + '\0';
    for (const auto& each : found.others.site) text += each.name + '=' + each.value + '\0';
    return text;
  } catch (const Error&) {
    return {};  // the agents report what is wrong with the file
  }
}

Environment nccl_environment(Environment environment, const std::string& node,
                             const std::string& interface, std::string_view site) {
  std::set<std::string_view> in_files;
  const auto settings = text::split(site, '\0');
  for (const auto setting : settings) {
    if (setting.find('=') == std::string_view::npos) in_files.insert(setting);
  }
  for (const auto setting : settings) {
    const auto name = setting.substr(0, setting.find('='));
    if (name.size() == setting.size() || in_files.contains(name)) continue;
    environment.add_entry(setting);
  }
  environment.unset_if([](const auto& variable) {
    return variable.second == step::missing_plugin || is_unwanted(variable.first);
  });
  environment.set("SLURMD_NODENAME", node);
  // NVLink between nodes would hide the network, and exists only between some pairs of nodes.
  environment.set("NCCL_MNNVL_ENABLE", "0");
  if (!interface.empty() && !in_files.contains(interface_variable))
    environment.add(interface_variable, "=" + interface);
  return environment;
}

}  // namespace muster::preflight
