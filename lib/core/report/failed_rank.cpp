#include "core/report/failed_rank.hpp"

#include "core/report/abort_line.hpp"
#include "core/report/exit_status.hpp"
#include "core/report/peer_loss.hpp"

#include <csignal>

namespace muster::report {
namespace {

// A signal from elsewhere is reason enough: the last lines may contain an exception that was handled long
// before.
bool may_have_raised(const RankEnd& end) {
  if (end.wait_status == 0 || end.out_of_memory) return false;
  const auto signal = end_signal(end.wait_status);
  return !signal || *signal == SIGABRT || end.ended_by_muster;
}

}  // namespace

std::string exception_of(const RankEnd& end) {
  if (end.exception && !end.exception->of_signal) return end.exception->message;
  if (may_have_raised(end)) {
    const auto named = end.exception ? std::string_view() : named_exception(end);
    const auto words = named.empty() ? abort_line(end) : named;
    if (!words.empty()) return std::string(words);
  }
  return end.exception ? end.exception->message : std::string();
}

std::string reason_of(const RankEnd& end) {
  auto raised = exception_of(end);
  return raised.empty() ? in_words(end.wait_status) : raised;
}

}  // namespace muster::report
