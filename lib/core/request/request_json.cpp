// The request on the wire:
//   {"version":1,"profile":["torch","option","--distributed"],"keys":{"bind":["none",...]}}
// Keys with their default value are omitted. The texts go through the same parsers as the user's.
#include "core/error.hpp"
#include "core/option/conversion.hpp"
#include "core/option/key_table.hpp"
#include "core/request/request.hpp"
#include "core/text/json.hpp"
#include "core/text/quote.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace muster::request {
namespace {

using Json = nlohmann::json;

constexpr int version = 1;
constexpr int max_depth = 3;
constexpr std::size_t max_text = 8192;  // longer than any path
constexpr std::array origins{Origin::user,    Origin::option,  Origin::site,
                             Origin::slurm,   Origin::binding, Origin::rendezvous,
                             Origin::profile, Origin::default_};

Error broken(std::string_view why) {
  return Error{
      fmt::format("request from the submit host: {}; is the same muster "
                  "version installed on every node?",
                  why)};
}

Json to_triple(const option::Setting& setting) {
  return Json::array({setting.value, to_string(setting.origin), setting.where});
}

Json parse(std::string_view text) {
  if (text.size() > max_request_json_bytes) throw broken("it is too long");
  const auto shallow = [](int depth, Json::parse_event_t, Json&) {
    if (depth > max_depth) throw broken("it is nested too deeply");
    return true;
  };
  try {
    return text::parse_json(text, shallow);
  } catch (const Json::exception&) {
    throw broken("it is not JSON");
  }
}

const Json& member(const Json& object, const char* name) {
  if (!object.is_object()) throw broken("an object is missing");
  const auto found = object.find(name);
  if (found == object.end()) throw broken(fmt::format("it lacks '{}'", name));
  return *found;
}

std::string text_at(const Json& triple, std::size_t index) {
  const Json& part = triple[index];
  if (!part.is_string()) throw broken("a value is not text");
  auto text = part.get<std::string>();
  if (text.size() > max_text) throw broken("a value is too long");
  return text;
}

Origin parse_origin(std::string_view word) {
  const auto spelled = [word](Origin origin) { return to_string(origin) == word; };
  const auto* found = std::ranges::find_if(origins, spelled);
  if (found == origins.end()) throw broken(fmt::format("unknown origin {}", text::in_quotes(word)));
  return *found;
}

option::Setting from_triple(const Json& triple) {
  if (!triple.is_array() || triple.size() != 3) throw broken("a value is not a triple");
  // Messages show `where`, and a message must be one line whatever bytes a file name contains.
  auto where = text::printable_path(text_at(triple, 2));
  return {text_at(triple, 0), parse_origin(text_at(triple, 1)), std::move(where)};
}

}  // namespace

std::string to_json(const Request& request) {
  Json all = Json::object();
  for (const option::KeyInfo& key : option::keys()) {
    const Source from = source(request, key.key);
    const option::Setting setting{value_of(request, key.key), from.origin, from.where};
    if (setting != option::Setting{key.default_text, Origin::default_, "default"}) {
      all[std::string(key.name)] = to_triple(setting);
    }
  }
  const option::Setting profile{request.profile, request.profile_source.origin,
                                request.profile_source.where};
  const Json json{{"version", version}, {"profile", to_triple(profile)}, {"keys", all}};
  // A path in `where` may hold any bytes; JSON may not.
  std::string text = text::compact_text(json);
  if (text.size() <= max_request_json_bytes) return text;
  throw Error(fmt::format("request: {} bytes: the limit is {}; shorten its values", text.size(),
                          max_request_json_bytes));
}

Request request_from_json(std::string_view text) {
  const Json json = parse(text);
  const Json& stated = member(json, "version");
  if (!stated.is_number_integer() || stated != version) throw broken("its version is another one");
  const Json& all = member(json, "keys");
  if (!all.is_object()) throw broken("'keys' is not an object");

  option::Settings settings = option::default_settings();
  settings.profile = from_triple(member(json, "profile"));
  for (const auto& [name, triple] : all.items()) {
    settings.values[option::key_named(name, "request").key] = from_triple(triple);
  }
  return make_request(settings);
}

}  // namespace muster::request
