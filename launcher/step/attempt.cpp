#include "launcher/step/attempt.hpp"

#include "core/error.hpp"

#include <limits>

#include <nlohmann/json.hpp>
#include <sodium.h>

namespace muster {
namespace {

constexpr std::size_t max_bytes = max_request_json_bytes + 2048;

[[noreturn]] void fail() {
  throw Error("the request did not arrive whole from srun; is muster of one version everywhere?");
}

std::string to_hex(const StepKey& key) {
  std::string text(2 * key.size() + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), key.data(), key.size());
  text.pop_back();
  return text;
}

StepKey from_hex(const std::string& text) {
  StepKey key{};
  std::size_t size = 0;
  if (sodium_hex2bin(key.data(), key.size(), text.data(), text.size(), nullptr, &size, nullptr) !=
          0 ||
      size != key.size()) {
    fail();
  }
  return key;
}

std::uint32_t count(const nlohmann::json& json) {
  constexpr std::uint64_t most = 1'000'000;
  if (!json.is_number_unsigned() || json.get<std::uint64_t>() > most) fail();
  return json.get<std::uint32_t>();
}

std::string node_name(const nlohmann::json& json) {
  constexpr std::size_t most_characters = 255;
  auto name = json.get<std::string>();
  if (name.size() > most_characters) fail();
  return name;
}

// [PORT, ADDRESS...]
nlohmann::json channel_to_json(const channel::Address& channel) {
  auto json = nlohmann::json::array({channel.port});
  for (const auto& address : channel.addresses) json.push_back(address);
  return json;
}

channel::Address channel_from_json(const nlohmann::json& json) {
  constexpr std::size_t most_characters = 64;
  if (!json.is_array() || json.empty() || json.size() > channel::max_addresses + 1) fail();
  channel::Address channel;
  const auto port = count(json[0]);
  if (port > std::numeric_limits<std::uint16_t>::max()) fail();
  channel.port = static_cast<std::uint16_t>(port);
  for (std::size_t i = 1; i < json.size(); ++i) {
    channel.addresses.push_back(json[i].get<std::string>());
    if (channel.addresses.back().size() > most_characters) fail();
  }
  return channel;
}

std::string hint_from_json(const nlohmann::json& json) {
  constexpr std::size_t most_characters = 256;
  auto hint = json.get<std::string>();
  if (hint.size() > most_characters) fail();
  return hint;
}

}  // namespace

std::string to_json(const Attempt& attempt) {
  // The request is JSON already; nested as text it stays the core's own business.
  const nlohmann::json json{{"attempt", attempt.number},
                            {"channel", channel_to_json(attempt.channel)},
                            {"draw", attempt.draw},
                            {"hint", attempt.hint},
                            {"key", to_hex(attempt.key)},
                            {"program_elsewhere", attempt.program_elsewhere},
                            {"request", to_json(attempt.request)}};
  return json.dump();
}

Attempt attempt_from_json(std::string_view text) {
  if (text.size() > max_bytes) fail();
  try {
    const auto json = nlohmann::json::parse(text);
    return {.request = request_from_json(json.at("request").get_ref<const std::string&>()),
            .number = count(json.at("attempt")),
            .key = from_hex(json.at("key").get<std::string>()),
            .program_elsewhere = json.at("program_elsewhere").get<bool>(),
            .channel = channel_from_json(json.at("channel")),
            .hint = hint_from_json(json.at("hint")),
            .draw = node_name(json.at("draw"))};
  } catch (const nlohmann::json::exception&) {
    fail();
  }
}

}  // namespace muster
