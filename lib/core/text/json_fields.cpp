#include "core/text/json_fields.hpp"

#include <limits>

namespace muster::text {
namespace {

using Json = nlohmann::json;

// Whole numbers only: the library would turn 3.7 into 3, and -1 into a large number.
std::optional<std::int64_t> whole_number(const Json& value) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (number > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
    return static_cast<std::int64_t>(number);
  }
  if (!value.is_number_integer()) return std::nullopt;
  return value.get<std::int64_t>();
}

template <class Number>
std::optional<Number> fitting(const Json& value) {
  const auto number = whole_number(value);
  if (!number || *number < std::numeric_limits<Number>::min() ||
      *number > std::numeric_limits<Number>::max()) {
    return std::nullopt;
  }
  return static_cast<Number>(*number);
}

}  // namespace

const Json& field(const Json& json, const char* name) {
  static const Json none;
  if (!json.is_object()) return none;
  const auto found = json.find(name);
  return found == json.end() ? none : *found;
}

const Json& array_in(const Json& json, const char* name) {
  static const Json none = Json::array();
  const auto& value = field(json, name);
  return value.is_array() ? value : none;
}

std::string string_in(const Json& json, const char* name) {
  const auto& value = field(json, name);
  return value.is_string() ? value.get<std::string>() : std::string();
}

bool bool_in(const Json& json, const char* name) {
  const auto& value = field(json, name);
  return value.is_boolean() && value.get<bool>();
}

std::optional<std::uint32_t> number_in(const Json& json, const char* name) {
  return fitting<std::uint32_t>(field(json, name));
}

std::optional<std::int32_t> signed_in(const Json& json, const char* name) {
  return fitting<std::int32_t>(field(json, name));
}

double decimal_in(const Json& json, const char* name) {
  const auto& value = field(json, name);
  return value.is_number() ? value.get<double>() : 0;
}

std::vector<std::string> strings_in(const Json& json, const char* name) {
  std::vector<std::string> strings;
  for (const auto& each : array_in(json, name)) {
    if (each.is_string()) strings.push_back(each.get<std::string>());
  }
  return strings;
}

}  // namespace muster::text
