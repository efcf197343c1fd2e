#include "core/dump/recorder.hpp"

#include "core/contains.hpp"
#include "core/dump/line.hpp"
#include "core/error.hpp"
#include "core/text/json.hpp"

#include <fmt/format.h>

namespace muster::dump {
namespace {

using nlohmann::json;

constexpr int max_recorder_depth = 4;

[[noreturn]] void refuse_recorder(std::string_view what) {
  throw Error(fmt::format("a rank's flight recorder {}", what));
}

const json& field_at(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) refuse_recorder(fmt::format("lacks its field {}", name));
  return *found;
}

std::string text_at(const json& object, const char* name, std::size_t max_bytes) {
  const auto& value = field_at(object, name);
  if (!value.is_string()) refuse_recorder("has something other than text in a text field");
  return line_of(value.get_ref<const std::string&>(), max_bytes);
}

std::uint64_t number_at(const json& object, const char* name) {
  const auto& value = field_at(object, name);
  if (!value.is_number_unsigned())
    refuse_recorder("has something other than a number in a number field");
  return value.get<std::uint64_t>();
}

GroupProgress progress_of(const json& value) {
  if (!value.is_object()) refuse_recorder("has something other than a group in a group field");
  return {.group = text_at(value, "group", max_progress_bytes),
          .text = text_at(value, "text", max_progress_bytes),
          .backend = text_at(value, "backend", max_progress_bytes),
          .ranks = text_at(value, "ranks", max_progress_ranks_bytes),
          .enqueued = number_at(value, "enqueued"),
          .started = number_at(value, "started"),
          .completed = number_at(value, "completed"),
          .operation = text_at(value, "operation", max_progress_bytes)};
}

std::optional<std::uint32_t> rank_of(const json& value) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > max_recorder_rank)
    return std::nullopt;
  return value.get<std::uint32_t>();
}

}  // namespace

Recorder recorder_of(std::string_view text) {
  if (text.size() > max_recorder_bytes) refuse_recorder("sent too much data");
  const auto seen = [](int depth, json::parse_event_t /*event*/, json& /*parsed*/) {
    if (depth > max_recorder_depth) refuse_recorder("is nested too deeply");
    return true;
  };
  json value;
  try {
    value = text::parse_json(text, seen);
  } catch (const json::exception&) {
    refuse_recorder("did not answer in JSON");
  }
  if (!value.is_object()) refuse_recorder("did not answer with a JSON object");
  if (value.contains("error"))
    refuse_recorder("cannot be read: " + text_at(value, "error", max_progress_bytes));
  const auto& groups = field_at(value, "groups");
  if (!groups.is_array() || groups.size() > max_progress_groups)
    refuse_recorder("has no list of groups");
  Recorder recorder{.rank = rank_of(field_at(value, "rank"))};
  if (value.contains("nccl")) recorder.nccl = text_at(value, "nccl", max_progress_bytes);
  for (const auto& group : groups) recorder.groups.push_back(progress_of(group));
  return recorder;
}

Recorder moved_since(const Recorder& first, Recorder second) {
  for (auto& group : second.groups) {
    group.moves = !contains(first.groups, group);
  }
  return second;
}

}  // namespace muster::dump
