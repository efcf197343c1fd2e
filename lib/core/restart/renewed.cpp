#include "core/restart/renewed.hpp"

#include "core/restart/saved.hpp"
#include "core/text/json.hpp"

#include <utility>

namespace muster::restart {
namespace {

using Json = nlohmann::json;

constexpr std::uint32_t max_lines = 1'000'000;
constexpr std::uint32_t max_nodes = 1'000'000;

std::optional<std::uint32_t> number(const Json& json, const char* name, std::uint32_t most) {
  const auto& value = json.at(name);
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > most) return std::nullopt;
  return value.get<std::uint32_t>();
}

}  // namespace

std::string to_text(const Renewed& renewed, std::chrono::system_clock::time_point start) {
  const Saved saved{.begun = static_cast<std::uint32_t>(renewed.past.size()), .past = renewed.past};
  return text::compact_text(Json{{"line", renewed.line},
                                 {"allocated", renewed.allocated},
                                 {"attempts", to_text(saved, start)}});
}

std::optional<Renewed> renewed_from(std::string_view text,
                                    std::chrono::system_clock::time_point start) {
  if (text.size() > 2 * max_saved_bytes) return std::nullopt;
  try {
    const auto json = text::parse_json(text);
    const auto line = number(json, "line", max_lines);
    const auto allocated = number(json, "allocated", max_nodes);
    auto saved = saved_from(json.at("attempts").get<std::string>(), start);
    if (!line || !allocated || !saved || saved->past.empty()) return std::nullopt;
    return Renewed{*line, *allocated, std::move(saved->past)};
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace muster::restart
