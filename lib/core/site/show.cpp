#include "core/site/show.hpp"

#include "core/option/key_table.hpp"
#include "core/text/list.hpp"
#include "core/text/quote.hpp"

#include <iterator>
#include <map>
#include <optional>
#include <string>
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

// The value for a job whose user sets nothing.
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

void add_item(std::string& text, const std::string& item, const std::string& where) {
  text += where.empty() ? item + '\n' : fmt::format("{:<32}  # {}\n", item, where);
}

std::string forbidden_text(std::string name, const std::optional<std::string>& value) {
  return value ? fmt::format("{}={}", name, text::printable(*value)) : name;
}

std::string forbidden_text(const option::Forbidden& forbidden) {
  return forbidden_text(std::string(to_string(forbidden.key)), forbidden.value);
}

std::string forbidden_text(const option::ForbiddenVariable& forbidden) {
  return forbidden_text(forbidden.name, forbidden.value);
}

std::string shown(const option::VariableValue& value) {
  return text::in_quotes(value.value);
}

std::string shown(const option::VariableBound& bound) {
  return fmt::to_string(bound.number);
}

// add_settings() does not fit: a variable is not a key, and a bound is not text.
template <class Values>
void add_variables(std::string& text, std::string_view name, const Values& values, bool origin) {
  if (values.empty()) return;
  fmt::format_to(Lines(text), "    {}:\n", name);
  for (const auto& [variable, one] : values) {
    add_line(text, fmt::format("      {}", variable), shown(one), origin ? one.where : "");
  }
}

std::string variables_yaml(const option::VariablePolicy& policy, bool origin) {
  std::string text;
  add_variables(text, "fix", policy.fix, origin);
  add_variables(text, "min", policy.min, origin);
  add_variables(text, "max", policy.max, origin);
  if (!policy.forbid.empty()) text += "    forbid:\n";
  for (const auto& forbidden : policy.forbid) {
    add_item(text, fmt::format("      - {}", forbidden_text(forbidden)),
             origin ? forbidden.where : "");
  }
  return text.empty() ? text : "  variables:\n" + text;
}

std::string policy_yaml(const option::Policy& policy, bool origin) {
  std::string text;
  add_settings(text, "fix", policy.fix, origin);
  add_settings(text, "min", policy.min, origin);
  add_settings(text, "max", policy.max, origin);
  if (!policy.forbid.empty()) text += "  forbid:\n";
  for (const auto& forbidden : policy.forbid) {
    add_item(text, fmt::format("    - {}", forbidden_text(forbidden)),
             origin ? forbidden.where : "");
  }
  if (policy.profiles) {
    const auto names = fmt::format("[{}]", text::join(policy.profiles->names, ", "));
    add_line(text, "  profiles", names, origin ? policy.profiles->where : "");
  }
  text += variables_yaml(policy.variables, origin);
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

template <class Values, class Shown>
Json object_of(const Values& values, const Shown& shown) {
  auto json = Json::object();
  for (const auto& [name, one] : values) json[name] = shown(one);
  return json;
}

Json variables_json(const option::VariablePolicy& policy) {
  const auto text = [](const option::VariableValue& one) { return one.value; };
  const auto number = [](const option::VariableBound& one) { return one.number; };
  Json json{{"fix", object_of(policy.fix, text)}, {"forbid", Json::array()}};
  for (const auto& forbidden : policy.forbid) json["forbid"].push_back(forbidden_text(forbidden));
  json["min"] = object_of(policy.min, number);
  json["max"] = object_of(policy.max, number);
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
  json["variables"] = variables_json(config.policy.variables);
  return json.dump(2) + '\n';
}

}  // namespace muster::site
