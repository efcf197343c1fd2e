#include "launcher/channel/step/step_request.hpp"

#include "core/error.hpp"
#include "core/option/keys.hpp"
#include "core/text/json.hpp"
#include "launcher/channel/step/another_attempt.hpp"
#include "launcher/channel/watch/lease.hpp"

#include <limits>

namespace muster::step {
namespace {

// Linux limits a variable to this length. The request is text inside the attempt's JSON, so each quote
// takes two bytes.
constexpr std::size_t max_bytes = std::size_t{128} << 10;

[[noreturn]] void fail() {
  throw Error(
      "the request arrived truncated from srun; is the same muster version installed on every node?");
}

secret::Key key_from_hex(const std::string& text) {
  const auto key = secret::key_from_hex(text);
  if (!key) fail();
  return *key;
}

std::uint32_t count(const nlohmann::json& json) {
  constexpr std::uint64_t max_count = 1'000'000;
  if (!json.is_number_unsigned() || json.get<std::uint64_t>() > max_count) fail();
  return json.get<std::uint32_t>();
}

std::string node_name(const nlohmann::json& json) {
  constexpr std::size_t max_characters = 255;
  auto name = json.get<std::string>();
  if (name.size() > max_characters) fail();
  return name;
}

std::string step_name(const nlohmann::json& json) {
  constexpr std::size_t max_characters = 64;
  auto name = json.get<std::string>();
  if (name.size() > max_characters) fail();
  return name;
}

// [PORT, ADDRESS...]
nlohmann::json channel_to_json(const channel::Address& channel) {
  auto json = nlohmann::json::array({channel.port});
  for (const auto& address : channel.addresses) json.push_back(address);
  return json;
}

channel::Address channel_from_json(const nlohmann::json& json) {
  constexpr std::size_t max_characters = 64;
  if (!json.is_array() || json.empty() || json.size() > channel::max_addresses + 1) fail();
  channel::Address channel;
  const auto port = count(json[0]);
  if (port > std::numeric_limits<std::uint16_t>::max()) fail();
  channel.port = static_cast<std::uint16_t>(port);
  for (std::size_t i = 1; i < json.size(); ++i) {
    channel.addresses.push_back(json[i].get<std::string>());
    if (channel.addresses.back().size() > max_characters) fail();
  }
  return channel;
}

std::string hint_from_json(const nlohmann::json& json) {
  constexpr std::size_t max_characters = 256;
  auto hint = json.get<std::string>();
  if (hint.size() > max_characters) fail();
  return hint;
}

// [NUMBER, ARRAY, ARRAY_TASK, NAME, USER, NODE]
nlohmann::json job_to_json(const logs::JobName& job) {
  return nlohmann::json::array(
      {job.number, job.array, job.array_task, job.name, job.user, job.node});
}

std::string part_of_job(const nlohmann::json& json) {
  auto part = json.get<std::string>();
  if (part.size() > logs::max_job_name) fail();
  return part;
}

logs::JobName job_from_json(const nlohmann::json& json) {
  constexpr std::size_t parts = 6;
  if (!json.is_array() || json.size() != parts) fail();
  return {part_of_job(json[0]), part_of_job(json[1]), part_of_job(json[2]),
          part_of_job(json[3]), part_of_job(json[4]), part_of_job(json[5])};
}

}  // namespace

std::string to_json(const StepRequest& attempt) {
  // The request is already JSON; as nested text, only the core needs to understand it.
  const nlohmann::json json{{"attempt", attempt.number},
                            {"batch_host", attempt.batch_host},
                            {"chose_cpus", attempt.chose_cpus},
                            {"channel", channel_to_json(attempt.channel)},
                            {"draw", attempt.draw},
                            {"ends_by_first_failure", attempt.ends_by_first_failure},
                            {"hint", attempt.hint},
                            {"job", job_to_json(attempt.job)},
                            {"key", secret::to_hex(attempt.key)},
                            {"program_elsewhere", attempt.program_elsewhere},
                            {"quiet", attempt.quiet},
                            {"request", to_json(attempt.request)},
                            {"supervisor_step", attempt.supervisor_step}};
  // The user may have given any bytes as a node name; JSON must be UTF-8.
  return text::compact_text(json);
}

StepRequest step_request_from_json(std::string_view text) {
  if (text.size() > max_bytes) fail();
  try {
    const auto json = text::parse_json(text);
    return {.request = request::request_from_json(json.at("request").get_ref<const std::string&>()),
            .number = count(json.at("attempt")),
            .key = key_from_hex(json.at("key").get<std::string>()),
            .program_elsewhere = json.at("program_elsewhere").get<bool>(),
            .channel = channel_from_json(json.at("channel")),
            .hint = hint_from_json(json.at("hint")),
            .draw = node_name(json.at("draw")),
            .quiet = json.at("quiet").get<bool>(),
            .chose_cpus = json.at("chose_cpus").get<bool>(),
            .ends_by_first_failure = json.at("ends_by_first_failure").get<bool>(),
            .batch_host = node_name(json.at("batch_host")),
            .job = job_from_json(json.at("job")),
            .supervisor_step = step_name(json.at("supervisor_step"))};
  } catch (const nlohmann::json::exception&) {
    fail();
  }
}

bool another_may_start(const request::Request& request) {
  return request.restarts > 0 || request.requeue > 0 || request.succession;
}

std::chrono::milliseconds node_loss_timeout(const request::Request& request) {
  const bool named = source(request, option::Key("heartbeat")).origin != Origin::default_;
  if (!named && !another_may_start(request)) return option::heartbeat_without_restarts;
  return watch::loss_time(request.heartbeat.limit);
}

}  // namespace muster::step
