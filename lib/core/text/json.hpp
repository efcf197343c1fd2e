// JSON as text. Only json.cpp instantiates the library's parser and printer, because compiling them is slow.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace muster::text {

// Throws nlohmann::json::exception if the text is not JSON, and whatever `seen` throws.
nlohmann::json parse_json(std::string_view text,
                          const nlohmann::json::parser_callback_t& seen = nullptr);

// One line without spaces. Bytes that are not UTF-8 are replaced; with `strict` they throw
// nlohmann::json::exception.
std::string compact_text(const nlohmann::json& json, bool strict = false);

// For people and programs: one value per line, with a newline after the last.
std::string readable_text(const nlohmann::ordered_json& json);

}  // namespace muster::text
