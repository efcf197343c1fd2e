// The request on its way to the agents: the text of each value that is not its default. The texts go through
// the same parsers as the user's.
#include "core/error.hpp"
#include "core/option/conversion.hpp"
#include "core/option/key_table.hpp"
#include "core/record/record.hpp"
#include "core/request/request.hpp"
#include "core/text/quote.hpp"

#include <utility>

namespace muster::request {
namespace {

constexpr record::Max max_value{8192};  // longer than any path
constexpr record::Max max_key{64};

struct SentValue {
  option::Setting setting;
};
template <class Io>
void fields(Io& io, SentValue& value) {
  auto& [text, origin, where] = value.setting;
  io(text, max_value)(origin, record::Range{Origin::user, Origin::default_});
  // Messages show `where`, and a message must be one line whatever bytes a file name contains.
  io.through(where, text::printable_path, text::printable_path, max_value);
}

struct SentRequest {
  SentValue profile;
  std::map<std::string, SentValue> values;
};
template <class Io>
void fields(Io& io, SentRequest& sent) {
  // A value that is missing is the default, so both ends must have the same keys and defaults.
  for (const auto& key : option::keys()) io.named(key.name).named(key.default_text);
  io(sent.profile)(sent.values, record::Max{option::keys().size()}, max_key);
}

Request received(SentRequest sent) {
  auto settings = option::default_settings();
  settings.profile = std::move(sent.profile.setting);
  for (auto& [name, value] : sent.values)
    settings.values[option::key_named(name, "request").key] = std::move(value.setting);
  return make_request(settings);
}

}  // namespace

std::string to_text(const Request& request) {
  SentRequest sent;
  const auto& [origin, where] = request.profile_source;
  sent.profile.setting = {request.profile, origin, where};
  for (const auto& key : option::keys()) {
    const auto from = source(request, key.key);
    option::Setting setting{value_of(request, key.key), from.origin, from.where};
    if (setting != option::Setting{key.default_text, Origin::default_, "default"})
      sent.values[std::string(key.name)] = {std::move(setting)};
  }
  return record::write(sent);
}

std::optional<Request> request_from_text(std::string_view text) {
  auto sent = record::read<SentRequest>(text);
  try {
    return sent ? std::optional(received(std::move(*sent))) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace muster::request
