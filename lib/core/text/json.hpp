// JSON as text. One file generates the library's parser and printer, which are heavier than what
// most of the files that know JSON do with it.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace muster::text {

// Throws nlohmann::json::exception where the text is no JSON, and what `seen` throws.
nlohmann::json parse_json(std::string_view text,
                          const nlohmann::json::parser_callback_t& seen = nullptr);

// One line without spaces. Bytes that are not UTF-8 are replaced; where `strict`, they are a
// nlohmann::json::exception.
std::string compact_text(const nlohmann::json& json, bool strict = false);

// For people and programs: one line for each value, with an end of line after the last.
std::string readable_text(const nlohmann::ordered_json& json);

}  // namespace muster::text
