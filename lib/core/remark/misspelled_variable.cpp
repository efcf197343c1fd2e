#include "core/remark/misspelled_variable.hpp"

#include "core/option/option.hpp"
#include "core/text/quote.hpp"
#include "core/text/suggestion.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

namespace muster::remark {
namespace {

constexpr std::string_view prefix = "MUSTER_";
constexpr std::size_t short_name = 5;

// What users may set in addition to the variables of the keys.
constexpr std::array<std::string_view, 8> of_users{
    "MUSTER_DISTRIBUTED",  "MUSTER_TIMEOUT",      "MUSTER_STOP_SIGNALS", "MUSTER_LIBRARY",
    "MUSTER_PMIX_LIBRARY", "MUSTER_NCCL_LIBRARY", "MUSTER_TRANSPORT",    "MUSTER_SECRET_FILE"};

// What muster itself sets, for tasks and for its own processes.
constexpr std::array<std::string_view, 17> of_muster{
    "MUSTER_SET",           "MUSTER_STEP",      "MUSTER_STEP_SOCKET", "MUSTER_SUPERVISOR",
    "MUSTER_TASK_PID",      "MUSTER_NUMBERING", "MUSTER_EXCHANGE",    "MUSTER_EXCHANGE_KEY",
    "MUSTER_TIMES",         "MUSTER_RECORD",    "MUSTER_RECORDER",    "MUSTER_STACKS",
    "MUSTER_HANDOVER",      "MUSTER_TORCH_ENV", "MUSTER_ENDPOINTS",   "MUSTER_OWN_ALLOCATION",
    "MUSTER_RANK_DIRECTORY"};

std::vector<std::string> names_for_users() {
  auto names = option::variable_names();
  names.insert(names.end(), of_users.begin(), of_users.end());
  return names;
}

// Whether it is a typing error rather than a different word: MUSTER_ROOT is not meant to be MUSTER_PORT.
bool is_slip(std::string_view name, std::string_view meant) {
  name.remove_prefix(prefix.size());
  meant.remove_prefix(prefix.size());
  const std::size_t slips = meant.size() > short_name ? 2 : 1;
  return text::edit_distance(name, meant) <= slips;
}

}  // namespace

std::string misspelled_variable(const Environment& environment) {
  const auto known = names_for_users();
  for (const auto& [variable, value] : environment) {
    const auto& name = variable;  // a lambda cannot capture a binding
    if (!name.starts_with(prefix)) continue;
    if (std::ranges::count(known, name) > 0 || std::ranges::count(of_muster, name) > 0) continue;
    const auto meant =
        std::ranges::find_if(known, [&](const auto& each) { return is_slip(name, each); });
    if (meant == known.end()) continue;
    return fmt::format("nothing reads {} in the environment; did you mean {}?",
                       text::printable(name), *meant);
  }
  return {};
}

}  // namespace muster::remark
