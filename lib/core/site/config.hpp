// The site's muster.yaml and the user's config.yaml as values. docs/reference/configuration.md
// describes the format.
#pragma once

#include "core/environment.hpp"
#include "core/file/trusted_file.hpp"
#include "core/option/policy.hpp"
#include "core/option/port_range.hpp"
#include "core/option/settings.hpp"
#include "core/site/job_rules.hpp"
#include "core/site/network_rules.hpp"
#include "core/site/nic_rules.hpp"
#include "core/site/topology_rules.hpp"
#include "core/site/variable_rules.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::site {

// The user's file may have `defaults:` and `profiles:` only; the rest belongs to the site.
enum class ConfigKind : std::uint8_t { site, user };

struct Config {
  std::string include;  // a directory with further files; an absolute path
  option::Layer defaults;
  option::Policy policy;
  std::vector<JobRule> rules;                   // rules for some jobs; for_job() applies them
  std::vector<std::string> profile_dirs;        // absolute; searched before the built-in one
  option::PortRange port_range{61000, 65535};   // for ports that no setting chose
  std::chrono::seconds gather_timeout{30};      // how long agents wait for each other
  std::optional<std::size_t> rendezvous_width;  // how many members of a step rendezvous at one node
  std::optional<option::PortRange> control_ports;  // on the submit host; none: any free one
  std::vector<NetworkRule> networks;               // these override network= in the defaults
  TopologyRules topology;
  std::vector<NicRule> nics;
  std::vector<VariableRule> variables;

  friend bool operator==(const Config&, const Config&) = default;
};

// `text` merged over `below`, which comes from files of lower priority. The Error is "FILE:LINE:COLUMN: what:
// why; what to do".
Config parse_config(std::string_view text, std::string_view file, ConfigKind kind,
                    Config below = {});

inline constexpr std::size_t max_included_files = 64;

// Reads the file and the files of the directory that it includes. If several files set a value, the first
// one counts: `path` itself, then the others by name. Lists are joined in this order. Returns the built-in
// values if the file does not exist.
Config load_config(const std::string& path, ConfigKind kind, const file::Trust& trust);

// $XDG_CONFIG_HOME/muster/config.yaml or ~/.config/muster/config.yaml; empty if HOME is not set.
std::string user_config_path(const Environment& environment);

// The directories searched for profiles: the user's directories, profiles/ next to the user's file,
// the site's directories, and finally `builtin`.
std::vector<std::string> profile_directories(const Config& user, const Config& site,
                                             const Environment& environment,
                                             const std::string& builtin);

}  // namespace muster::site
