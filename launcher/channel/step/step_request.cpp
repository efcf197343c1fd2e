#include "launcher/channel/step/step_request.hpp"

#include "core/error.hpp"
#include "core/option/keys.hpp"
#include "core/record/record.hpp"
#include "launcher/channel/step/another_attempt.hpp"
#include "launcher/channel/watch/lease.hpp"

#include <utility>

#include <fmt/format.h>

namespace muster::step {

std::string to_text(const StepRequest& attempt) {
  auto text = record::write(attempt);
  if (text.size() <= max_request_bytes) return text;
  throw Error(fmt::format("the request takes {} bytes: the limit is {}; shorten its values",
                          text.size(), max_request_bytes));
}

StepRequest step_request_from_text(std::string_view text) {
  auto attempt = record::read<StepRequest>(text);
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
