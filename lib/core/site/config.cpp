#include "core/site/config.hpp"

#include "core/error.hpp"
#include "core/file/yaml.hpp"
#include "core/option/conversion.hpp"
#include "core/option/key_table.hpp"
#include "core/text/quote.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace muster::site {
namespace {

constexpr std::array<std::string_view, 11> site_keys{
    "defaults", "policy",   "profiles", "port_range", "gather_timeout", "control_ports",
    "networks", "topology", "nics",     "rendezvous", "variables"};
constexpr std::array<std::string_view, 2> user_keys{"defaults", "profiles"};
constexpr std::array<std::string_view, 2> policy_keys{"fix", "forbid"};
constexpr std::array<std::string_view, 1> rendezvous_keys{"width"};
constexpr std::size_t max_rendezvous_width = 1'000'000;
constexpr std::chrono::seconds max_gather_timeout{3600};
constexpr std::string_view format = "this file's format";

// YAML users write true and false for a switch.
std::string option_text(const option::KeyInfo& key, const file::Yaml& value) {
  std::string text = value.text();
  if (!key.is_switch) return text;
  if (text == "true") return "on";
  return text == "false" ? "off" : text;
}

std::map<option::Key, option::Setting> parse_settings(const file::Yaml& mapping, Origin origin) {
  std::map<option::Key, option::Setting> settings;
  for (const file::Yaml::Entry& entry : mapping.entries()) {
    const option::KeyInfo& key = option::key_named(entry.key, entry.key_node.where());
    const option::Setting setting{option_text(key, entry.value), origin, entry.value.where()};
    canonical(key.key, setting);  // a wrong value is an error here, even if it is never used
    settings.emplace(key.key, setting);
  }
  return settings;
}

option::Forbidden parse_forbidden(const file::Yaml& item) {
  const std::string text = item.text();
  const std::size_t equals = text.find('=');
  const option::KeyInfo& key =
      option::key_named(std::string_view(text).substr(0, equals), item.where());
  if (equals == std::string::npos) return {key.key, std::nullopt, item.where()};
  const option::Setting setting{text.substr(equals + 1), Origin::site, item.where()};
  canonical(key.key, setting);
  return {key.key, setting.value, setting.where};
}

option::Policy parse_policy(const file::Yaml& mapping) {
  option::Policy policy;
  for (const file::Yaml::Entry& entry : mapping.entries()) {
    if (entry.key == "fix") {
      policy.fix = parse_settings(entry.value, Origin::site);
    } else if (entry.key == "forbid") {
      for (const file::Yaml& item : entry.value.items())
        policy.forbid.push_back(parse_forbidden(item));
    } else {
      throw unknown_key(entry, format, policy_keys);
    }
  }
  return policy;
}

std::vector<std::string> parse_directories(const file::Yaml& list) {
  std::vector<std::string> directories;
  for (const file::Yaml& item : list.items()) {
    directories.push_back(item.text());
    if (directories.back().starts_with('/')) continue;
    throw item.error(
        fmt::format("directory {}: a relative path means another place on each node; "
                    "write it from '/' on",
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
  const std::string text = value.text();
  int number = 0;
  const char* last = text.data() + text.size();
  const auto [end, fault] = std::from_chars(text.data(), last, number);
  const std::chrono::seconds timeout{number};
  if (fault == std::errc{} && end == last && timeout.count() > 0 && timeout <= max_gather_timeout) {
    return timeout;
  }
  throw value.error(
      fmt::format("gather_timeout {}: not a time that agents can wait; use 1 to {} "
                  "seconds",
                  text::in_quotes(text), max_gather_timeout.count()));
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

// An `Entry` that only the site's file may have.
Config with_site_entry(Config config, const file::Yaml::Entry& entry) {
  if (entry.key == "policy") {
    config.policy = parse_policy(entry.value);
  } else if (entry.key == "port_range") {
    config.port_range = parse_range(entry.value);
  } else if (entry.key == "networks") {
    config.networks = parse_network_rules(entry.value);
  } else if (entry.key == "topology") {
    config.topology = parse_topology_rules(entry.value);
  } else if (entry.key == "nics") {
    config.nics = parse_nic_rules(entry.value);
  } else if (entry.key == "control_ports") {
    config.control_ports = parse_optional_range(entry.value);
  } else if (entry.key == "rendezvous") {
    config.rendezvous_width = parse_rendezvous(entry.value);
  } else if (entry.key == "variables") {
    config.variables = parse_variable_rules(entry.value);
  } else if (entry.key == "gather_timeout") {
    config.gather_timeout = parse_timeout(entry.value);
  } else {
    throw unknown_key(entry, format, site_keys);
  }
  return config;
}

Config with_entry(Config config, const file::Yaml::Entry& entry, ConfigKind kind) {
  const Origin origin = kind == ConfigKind::site ? Origin::site : Origin::user;
  if (entry.key == "defaults") {
    config.defaults.values = parse_settings(entry.value, origin);
    return config;
  }
  if (entry.key == "profiles") {
    config.profile_dirs = parse_directories(entry.value);
    return config;
  }
  if (kind == ConfigKind::site) return with_site_entry(std::move(config), entry);
  if (std::ranges::count(site_keys, entry.key) > 0) {
    throw entry.key_node.error(fmt::format("{}: only the site's file may say this; remove it",
                                           text::in_quotes(entry.key)));
  }
  throw unknown_key(entry, format, user_keys);
}

}  // namespace

Config parse_config(std::string_view text, std::string_view file, ConfigKind kind) {
  Config config;
  for (const file::Yaml::Entry& entry : file::Yaml::parse(text, file).entries()) {
    config = with_entry(std::move(config), entry, kind);
  }
  return config;
}

Config load_config(const std::string& path, ConfigKind kind, const file::Trust& trust) {
  if (path.empty()) return {};
  const auto text = read_trusted_file(path, trust);
  return text ? parse_config(*text, path, kind) : Config{};
}

}  // namespace muster::site
