// JSON from elsewhere, read without trust: a field that is missing, or of another type than its reader
// wants, is as if it were null.
#pragma once

#include "core/text/json.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::text {

// null where `json` is no object, or has no such field.
const nlohmann::json& field(const nlohmann::json& json, const char* name);

// An empty array where the field is none.
const nlohmann::json& array_in(const nlohmann::json& json, const char* name);

// "" where the field is no string. Any JSON string is UTF-8.
std::string string_in(const nlohmann::json& json, const char* name);

bool bool_in(const nlohmann::json& json, const char* name);

std::optional<std::uint32_t> number_in(const nlohmann::json& json, const char* name);
std::optional<std::int32_t> signed_in(const nlohmann::json& json, const char* name);

// 0 where the field is no number.
double decimal_in(const nlohmann::json& json, const char* name);

// The strings of an array of strings.
std::vector<std::string> strings_in(const nlohmann::json& json, const char* name);

}  // namespace muster::text
