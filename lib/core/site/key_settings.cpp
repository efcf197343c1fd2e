#include "core/site/key_settings.hpp"

#include "core/file/yaml.hpp"
#include "core/option/conversion.hpp"
#include "core/option/key_table.hpp"

#include <string>

namespace muster::site {
namespace {

// In YAML, people write true and false for on and off.
std::string option_text(const option::KeyInfo& key, const file::Yaml& value) {
  std::string text = value.text();
  if (!key.is_switch) return text;
  if (text == "true") return "on";
  return text == "false" ? "off" : text;
}

}  // namespace

std::map<option::Key, option::Setting> parse_key_settings(const file::Yaml& mapping,
                                                          Origin origin) {
  std::map<option::Key, option::Setting> settings;
  for (const file::Yaml::Entry& entry : mapping.entries()) {
    const option::KeyInfo& key = option::key_named(entry.key, entry.key_node.where());
    const option::Setting setting{option_text(key, entry.value), origin, entry.value.where()};
    canonical(key.key, setting);  // a wrong value is an error here even if it is never used
    settings.emplace(key.key, setting);
  }
  return settings;
}

}  // namespace muster::site
