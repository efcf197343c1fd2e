// Variables that files set for NCCL and for muster's ranks. They are read in child processes, because a home
// directory may hang, and a site's rule may run a script.
#include "core/error.hpp"
#include "core/lint/lint.hpp"
#include "launcher/agent/node/library_settings.hpp"
#include "launcher/agent/node/site_variables.hpp"
#include "launcher/os/bounded_child.hpp"
#include "launcher/site/site.hpp"
#include "launcher/tools/doctor/gather.hpp"

#include <fmt/format.h>

namespace muster::doctor {
namespace {

void add(std::string& lines, std::string_view place, const std::string& name,
         const std::string& value, const std::string& where) {
  const bool is_one_line = (value + where).find('\n') == std::string::npos;
  if (!lint::is_looked_at(name) || !is_one_line) return;
  lines += fmt::format("{0}.{1}={2}\n{0}.where.{1}={3}\n", place, name, value, where);
}

std::string lines_of_files(const Surroundings& surroundings, const std::string&) {
  std::string lines;
  for (const auto& setting : node::placed_settings(surroundings.root, surroundings.environment))
    add(lines, "conf", setting.name, setting.value, setting.where);
  return lines;
}

// A file that cannot be used gets a row of its own.
std::string lines_of_site(const Surroundings& surroundings, const std::string& config) {
  std::string lines;
  try {
    const site::Site site({.config = config}, surroundings.environment, false);
    const auto& node = surroundings.environment.get("SLURMD_NODENAME");
    const auto found = node::site_variables({.site = site,
                                             .environment = surroundings.environment,
                                             .node = node,
                                             .nodes = 2,
                                             .root = surroundings.root});
    for (const auto& one : found.others.site) add(lines, "site", one.name, one.value, one.where);
  } catch (const Error&) {
    return {};
  }
  return lines;
}

}  // namespace

void add_variable_facts(const Surroundings& surroundings, Facts& facts) {
  const auto named = facts.text("config.path");
  const auto config =
      below(surroundings, named.empty() ? site::installed_config() : named).string();
  for (auto* const lines : {lines_of_files, lines_of_site}) {
    if (const auto found =
            os::answer_of_child([&] { return lines(surroundings, config); }, child_timeout))
      add_lines(*found, facts);
  }
}

}  // namespace muster::doctor
