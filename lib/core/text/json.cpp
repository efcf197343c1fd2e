#include "core/text/json.hpp"

namespace muster::text {

nlohmann::json parse_json(std::string_view text, const nlohmann::json::parser_callback_t& seen) {
  return nlohmann::json::parse(text, seen);
}

std::string compact_text(const nlohmann::json& json, bool strict) {
  using Handler = nlohmann::json::error_handler_t;
  return json.dump(-1, ' ', false, strict ? Handler::strict : Handler::replace);
}

std::string readable_text(const nlohmann::ordered_json& json) {
  return json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace muster::text
