#include "core/site/show.hpp"

#include "core/option/key_table.hpp"
#include "core/text/list.hpp"
#include "core/text/quote.hpp"

#include <iterator>
#include <map>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace muster::site {
namespace {

using Settings = std::map<option::Key, option::Setting>;
using Lines = std::back_insert_iterator<std::string>;
using Json = nlohmann::ordered_json;

const option::Setting* find(const Settings& settings, option::Key key) {
  const auto found = settings.find(key);
  return found == settings.end() ? nullptr : &found->second;
}

// What a job has whose user asks for nothing.
option::Setting value_of(const Config& config, const option::KeyInfo& key) {
  if (const auto* const fixed = find(config.policy.fix, key.key)) return *fixed;
  if (const auto* const given = find(config.defaults.values, key.key)) return *given;
  return {key.default_text, Origin::default_, "default"};
}

void add_line(std::string& text, std::string_view name, std::string_view value,
              const std::string& where) {
  if (where.empty()) {
    fmt::format_to(Lines(text), "{}: {}\n", name, value);
  } else {
    fmt::format_to(Lines(text), "{:<32}  # {}\n", fmt::format("{}: {}", name, value), where);
  }
}

void add_settings(std::string& text, std::string_view name, const Settings& settings, bool origin) {
  if (settings.empty()) return;
  fmt::format_to(Lines(text), "  {}:\n", name);
  for (const auto& [key, setting] : settings) {
    add_line(text, fmt::format("    {}", to_string(key)), text::in_quotes(setting.value),
             origin ? setting.where : "");
  }
}

std::string forbidden_text(const option::Forbidden& forbidden) {
  const std::string name(to_string(forbidden.key));
  return forbidden.value ? fmt::format("{}={}", name, text::printable(*forbidden.value)) : name;
}

std::string policy_yaml(const option::Policy& policy, bool origin) {
  std::string text;
  add_settings(text, "fix", policy.fix, origin);
  add_settings(text, "min", policy.min, origin);
  add_settings(text, "max", policy.max, origin);
  if (!policy.forbid.empty()) text += "  forbid:\n";
  for (const auto& forbidden : policy.forbid) {
    const auto item = fmt::format("    - {}", forbidden_text(forbidden));
    text += origin ? fmt::format("{:<32}  # {}\n", item, forbidden.where) : item + '\n';
  }
  if (policy.profiles) {
    const auto names = fmt::format("[{}]", text::join(policy.profiles->names, ", "));
    add_line(text, "  profiles", names, origin ? policy.profiles->where : "");
  }
  return text.empty() ? "policy: {}\n" : "policy:\n" + text;
}

Json key_json(const Config& config, const option::KeyInfo& key) {
  const auto setting = value_of(config, key);
  Json json{{"value", text::printable(setting.value)},
            {"origin", to_string(setting.origin)},
            {"where", text::printable(setting.where)},
            {"fixed", find(config.policy.fix, key.key) != nullptr}};
  json["forbidden"] = Json::array();
  for (const auto& forbidden : config.policy.forbid) {
    if (forbidden.key == key.key) json["forbidden"].push_back(forbidden_text(forbidden));
  }
  for (const auto& [name, bounds] :
       {std::pair{"min", &config.policy.min}, {"max", &config.policy.max}}) {
    const auto* const bound = find(*bounds, key.key);
    json[name] = bound == nullptr ? Json() : Json(bound->value);
  }
  return json;
}

}  // namespace

std::string to_yaml(const Config& config, bool origin) {
  std::string text = "defaults:\n";
  for (const auto& key : option::keys()) {
    const auto setting = value_of(config, key);
    add_line(text, fmt::format("  {}", key.name), text::in_quotes(setting.value),
             origin ? setting.where : "");
  }
  return text + policy_yaml(config.policy, origin);
}

std::string to_json(const Config& config) {
  Json json{{"version", 1}, {"keys", Json::object()}};
  for (const auto& key : option::keys())
    json["keys"][std::string(key.name)] = key_json(config, key);
  json["profiles"] = config.policy.profiles ? Json(config.policy.profiles->names) : Json();
  return json.dump(2) + '\n';
}

}  // namespace muster::site
