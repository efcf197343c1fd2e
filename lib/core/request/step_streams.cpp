#include "core/request/step_streams.hpp"

#include "core/option/key_table.hpp"
#include "core/option/keys.hpp"
#include "core/request/for_job.hpp"
#include "core/text/list.hpp"

#include <array>
#include <span>
#include <vector>

#include <fmt/format.h>

namespace muster::request {
namespace {

using option::Key;

constexpr Key logs("logs");
constexpr Key view("view");
constexpr Key prefix("prefix");

// A shell exits with the code of the last command that was typed, so that code is no failure; it may be idle;
// and it must stay where it is.
constexpr std::array not_for_shells{
    Key("restarts"),  Key("nodes"), Key("spares"),     Key("groups"), Key("drain"),
    Key("preflight"), Key("hang"),  Key("succession"), logs,          Key("report")};
constexpr std::array only_logs{logs};

// The names of the keys that were left out: "restarts=, logs=".
std::string leave_out(Request& request, std::span<const Key> keys, const std::string& where,
                      const srun::Command& command, const option::Policy& policy) {
  std::vector<std::string> names;
  for (const auto key : keys) {
    if (is_on_line(request, key, command)) continue;
    if (set_for_step(request, key, info(key).default_text, where, policy))
      names.push_back(fmt::format("{}=", to_string(key)));
  }
  return text::join(names, ", ");
}

// Without this, `$(srun hostname)` would be the name of rank 0's node only.
void show_all(Request& request, const option::Policy& policy) {
  const std::string where = "standard output is a pipe";
  const bool chose_prefix = source(request, prefix).origin != Origin::default_;
  if (set_for_step(request, view, "all", where, policy) && !chose_prefix)
    set_for_step(request, prefix, "none", where, policy);
}

}  // namespace

AdaptedRequest adapt_to_streams(Request request, const StepStreams& streams,
                                const srun::Command& command, const option::Policy& policy) {
  const auto where = streams.interactive ? "--pty" : streams.elsewhere;
  if (!where.empty()) {
    const auto keys = streams.interactive ? std::span<const Key>(not_for_shells)
                                          : std::span<const Key>(only_logs);
    const auto names = leave_out(request, keys, where, command, policy);
    if (names.empty()) return {std::move(request)};
    return {std::move(request),
            fmt::format("{}: this step runs without {}, set for the whole job", where, names)};
  }
  const bool chose_view = source(request, view).origin != Origin::default_;
  if (request.logs && streams.piped && !chose_view && !is_on_line(request, logs, command))
    show_all(request, policy);
  return {std::move(request)};
}

}  // namespace muster::request
