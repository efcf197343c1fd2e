// Reads untrusted JSON. A missing field, or one of an unexpected type, counts as null.
#pragma once

#include "core/text/json.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::text {

// null if `json` is not an object or has no such field.
const nlohmann::json& field(const nlohmann::json& json, const char* name);

// An empty array if the field is not an array.
const nlohmann::json& array_in(const nlohmann::json& json, const char* name);

// "" if the field is not a string. JSON strings are always UTF-8.
std::string string_in(const nlohmann::json& json, const char* name);

bool bool_in(const nlohmann::json& json, const char* name);

std::optional<std::uint32_t> number_in(const nlohmann::json& json, const char* name);
std::optional<std::int32_t> signed_in(const nlohmann::json& json, const char* name);

// 0 if the field is not a number.
double decimal_in(const nlohmann::json& json, const char* name);

// The strings of an array of strings.
std::vector<std::string> strings_in(const nlohmann::json& json, const char* name);

}  // namespace muster::text
