#include "core/report/failed_rank.hpp"

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
  if (end.exception) return end.exception->message;
  return may_have_raised(end) ? std::string(named_exception(end)) : std::string();
}

std::string reason_of(const RankEnd& end) {
  auto raised = exception_of(end);
  return raised.empty() ? in_words(end.wait_status) : raised;
}

}  // namespace muster::report
