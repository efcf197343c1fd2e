#include "core/site/config.hpp"

#include "core/error.hpp"
#include "core/file/trusted_directory.hpp"
#include "core/file/yaml.hpp"
#include "core/option/conversion.hpp"
#include "core/option/keys.hpp"
#include "core/site/key_settings.hpp"
#include "core/site/policy.hpp"
#include "core/text/duration.hpp"
#include "core/text/quote.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace muster::site {
namespace {

constexpr std::array<std::string_view, 13> site_keys{
    "include",       "defaults", "policy",   "rules", "profiles",   "port_range", "gather_timeout",
    "control_ports", "networks", "topology", "nics",  "rendezvous", "variables"};
constexpr std::array<std::string_view, 2> user_keys{"defaults", "profiles"};
constexpr std::array<std::string_view, 1> rendezvous_keys{"width"};
constexpr std::size_t max_rendezvous_width = 1'000'000;
constexpr std::chrono::seconds max_gather_timeout{3600};
constexpr std::string_view format = "this file's format";

std::vector<std::string> parse_directories(const file::Yaml& list) {
  std::vector<std::string> directories;
  for (const file::Yaml& item : list.items()) {
    directories.push_back(item.text());
    if (directories.back().starts_with('/')) continue;
    throw item.error(
        fmt::format("directory {}: a relative path may mean a different place on each "
                    "node; use an absolute path",
                    text::in_quotes(directories.back())));
  }
  return directories;
}

std::optional<option::PortRange> parse_optional_range(const file::Yaml& value) {
  return parse_value(option::Key("port"), {value.text(), Origin::site, value.where()}).port;
}

option::PortRange parse_range(const file::Yaml& value) {
  const auto range = parse_optional_range(value);
  if (range) return *range;
  throw value.error("port_range auto: a range is needed; use A-B, such as 61000-65535");
}

std::chrono::seconds parse_timeout(const file::Yaml& value) {
  const auto text = value.text();
  const auto timeout = text::duration(text, std::chrono::seconds(1));
  if (timeout && timeout->count() > 0 && *timeout <= max_gather_timeout) return *timeout;
  throw value.error(fmt::format(
      "gather_timeout {}: not a valid duration; use 1s to {}, {}; a number without a unit means seconds",
      text::in_quotes(text), text::to_text(max_gather_timeout), text::duration_forms));
}

std::optional<std::size_t> parse_width(const file::Yaml& value) {
  const std::string text = value.text();
  if (text == "auto") return std::nullopt;
  std::size_t width = 0;
  const char* last = text.data() + text.size();
  const auto [end, fault] = std::from_chars(text.data(), last, width);
  if (fault == std::errc{} && end == last && width > 0 && width <= max_rendezvous_width) {
    return width;
  }
  throw value.error(fmt::format("width {}: not a number of nodes; use auto, or 1 to {}",
                                text::in_quotes(text), max_rendezvous_width));
}

std::optional<std::size_t> parse_rendezvous(const file::Yaml& mapping) {
  std::optional<std::size_t> width;
  for (const file::Yaml::Entry& entry : mapping.entries()) {
    if (entry.key != "width") throw unknown_key(entry, format, rendezvous_keys);
    width = parse_width(entry.value);
  }
  return width;
}

// The items of the higher-priority file come first.
template <class Item>
std::vector<Item> on_top(std::vector<Item> upper, const std::vector<Item>& below) {
  upper.insert(upper.end(), below.begin(), below.end());
  return upper;
}

void set_defaults(Config& config, const file::Yaml& mapping, Origin origin) {
  for (auto& [key, setting] : parse_key_settings(mapping, origin)) {
    config.defaults.values.insert_or_assign(key, setting);
  }
}

// A relative path is relative to the file's directory.
std::string parse_include(const file::Yaml& value, std::string_view file) {
  auto directory = value.text();
  if (directory.starts_with('/')) return directory;
  const auto slash = file.rfind('/');
  return fmt::format("{}/{}", slash == std::string_view::npos ? "." : file.substr(0, slash),
                     directory);
}

// Adds an entry that only the site's file may have.
Config with_site_entry(Config config, const file::Yaml::Entry& entry) {
  if (entry.key == "policy") {
    config.policy = with_policy(std::move(config.policy), parse_policy(entry.value));
  } else if (entry.key == "rules") {
    config.rules = on_top(parse_job_rules(entry.value), config.rules);
  } else if (entry.key == "port_range") {
    config.port_range = parse_range(entry.value);
  } else if (entry.key == "networks") {
    config.networks = on_top(parse_network_rules(entry.value), config.networks);
  } else if (entry.key == "topology") {
    config.topology = parse_topology_rules(entry.value);
  } else if (entry.key == "nics") {
    config.nics = on_top(parse_nic_rules(entry.value), config.nics);
  } else if (entry.key == "control_ports") {
    config.control_ports = parse_optional_range(entry.value);
  } else if (entry.key == "rendezvous") {
    config.rendezvous_width = parse_rendezvous(entry.value);
  } else if (entry.key == "variables") {
    config.variables = on_top(parse_variable_rules(entry.value), config.variables);
  } else if (entry.key == "gather_timeout") {
    config.gather_timeout = parse_timeout(entry.value);
  } else {
    throw unknown_key(entry, format, site_keys);
  }
  return config;
}

Config with_entry(Config config, const file::Yaml::Entry& entry, std::string_view file,
                  ConfigKind kind) {
  const Origin origin = kind == ConfigKind::site ? Origin::site : Origin::user;
  if (entry.key == "defaults") {
    set_defaults(config, entry.value, origin);
    return config;
  }
  if (entry.key == "profiles") {
    config.profile_dirs = on_top(parse_directories(entry.value), config.profile_dirs);
    return config;
  }
  if (kind == ConfigKind::site && entry.key == "include") {
    config.include = parse_include(entry.value, file);
    return config;
  }
  if (kind == ConfigKind::site) return with_site_entry(std::move(config), entry);
  if (std::ranges::count(site_keys, entry.key) > 0) {
    throw entry.key_node.error(fmt::format("{}: only the site's file may set this; remove it",
                                           text::in_quotes(entry.key)));
  }
  throw unknown_key(entry, format, user_keys);
}

// The files of the included directory, from lowest to highest priority.
Config included(const std::string& directory, const file::Trust& trust) {
  Config config;
  auto files = file::trusted_files(directory, ".yaml", trust, max_included_files);
  std::size_t bytes_left = file::max_file_bytes;
  for (auto file = files.rbegin(); file != files.rend(); ++file) {
    const auto text = file::read_trusted_file(*file, trust, bytes_left);
    if (!text) continue;  // removed in the meantime
    bytes_left -= text->size();
    config = parse_config(*text, *file, ConfigKind::site, std::move(config));
    if (config.include.empty()) continue;
    throw Error(
        fmt::format("{}: include: an included file cannot include others; put those files into {}",
                    text::printable_path(*file), text::printable_path(directory)));
  }
  return config;
}

}  // namespace

Config parse_config(std::string_view text, std::string_view file, ConfigKind kind, Config below) {
  for (const file::Yaml::Entry& entry : file::Yaml::parse(text, file).entries()) {
    below = with_entry(std::move(below), entry, file, kind);
  }
  return below;
}

Config load_config(const std::string& path, ConfigKind kind, const file::Trust& trust) {
  if (path.empty()) return {};
  const auto text = read_trusted_file(path, trust);
  if (!text) return {};
  auto config = parse_config(*text, path, kind);
  if (config.include.empty()) return config;
  return parse_config(*text, path, kind, included(config.include, trust));
}

}  // namespace muster::site
