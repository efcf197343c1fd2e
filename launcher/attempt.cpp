#include "attempt.hpp"

#include "core/error.hpp"

#include <nlohmann/json.hpp>
#include <sodium.h>

namespace muster {
namespace {

constexpr std::size_t max_bytes = max_request_json_bytes + 1024;

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

}  // namespace

StepKey make_step_key() {
  if (sodium_init() < 0) throw Error("libsodium found no source of random numbers; is /dev there?");
  StepKey key{};
  randombytes_buf(key.data(), key.size());
  return key;
}

std::string to_json(const Attempt& attempt) {
  // The request is JSON already; nested as text it stays the core's own business.
  const nlohmann::json json{{"attempt", attempt.number},
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
            .program_elsewhere = json.at("program_elsewhere").get<bool>()};
  } catch (const nlohmann::json::exception&) {
    fail();
  }
}

}  // namespace muster
