#include "launcher/channel/step/step_request.hpp"

#include "core/error.hpp"
#include "core/option/keys.hpp"
#include "core/record/record.hpp"
#include "launcher/channel/step/another_attempt.hpp"
#include "launcher/channel/watch/lease.hpp"
#include "launcher/site/installed.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace muster::step {

namespace {

// The version comes before the record, so that a node with another one can name both.
constexpr char after_version = ' ';
constexpr std::size_t max_version_bytes = 32;

bool looks_like_version(std::string_view text) {
  const auto allowed = [](char letter) {
    return (letter >= '0' && letter <= '9') || letter == '.' || (letter >= 'a' && letter <= 'z');
  };
  return text.size() <= max_version_bytes && std::ranges::count(text, '.') == 2 &&
         std::ranges::all_of(text, allowed);
}

// Throws Error if another version sent the text. Empty if no version did.
std::string_view without_version(std::string_view text) {
  const auto end = text.find(after_version);
  if (end == std::string_view::npos) return {};
  const auto sent = text.substr(0, end);
  const auto own = site::installed_version();
  if (sent == own) return text.substr(end + 1);
  if (!looks_like_version(sent)) return {};
  throw Error(fmt::format(
      "srun's host has muster {}, and this node has muster {}: install the same version on all nodes",
      sent, own));
}

}  // namespace

std::string to_text(const StepRequest& attempt) {
  auto text =
      fmt::format("{}{}{}", site::installed_version(), after_version, record::write(attempt));
  if (text.size() <= max_request_bytes) return text;
  throw Error(fmt::format("the request is {} bytes long, but the limit is {}; shorten its values",
                          text.size(), max_request_bytes));
}

StepRequest step_request_from_text(std::string_view text) {
  auto attempt = record::read<StepRequest>(without_version(text));
  if (!attempt)
    throw Error(
        "the request arrived truncated from srun; is the same muster version installed on every node?");
  return std::move(*attempt);
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
