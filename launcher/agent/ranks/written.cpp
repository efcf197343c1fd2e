#include "launcher/agent/ranks/written.hpp"

#include "core/status/counters.hpp"
#include "launcher/agent/ranks/process_tree.hpp"
#include "launcher/os/small_file.hpp"

#include <optional>

#include <fmt/format.h>

namespace muster::ranks {
namespace {

constexpr std::size_t max_bytes = 4096;

std::optional<Written> written_by_process(pid_t pid) {
  const auto text = os::small_file(fmt::format("/proc/{}/io", pid), max_bytes);
  const auto calls = status::file_traffic(text);
  const auto storage = status::storage_traffic(text);
  if (!calls || !storage) return std::nullopt;
  return Written{.by_calls = calls->out, .to_storage = storage->out};
}

}  // namespace

std::vector<WrittenByProcess> written_by(const Ranks& ranks) {
  std::vector<pid_t> pids;
  for (const auto& rank : ranks.all()) pids.push_back(rank.runs() ? rank.process->pid() : 0);
  std::vector<WrittenByProcess> counted;
  for (const auto& processes : processes_by_rank(pids, ranks.below())) {
    auto& of_rank = counted.emplace_back();
    for (const auto pid : processes) {
      if (const auto written = written_by_process(pid)) of_rank.emplace(pid, *written);
    }
  }
  return counted;
}

}  // namespace muster::ranks
