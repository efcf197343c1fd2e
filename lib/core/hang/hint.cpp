#include "core/hang/hint.hpp"

#include "core/text/amounts.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace muster::hang {
namespace {

constexpr std::size_t max_ranks_columns = 40;

// torch compiles a C++ extension while it holds a lock file, and waits until another process's lock file is
// gone. Nothing removes the file if that process was killed, for example by muster between two attempts:
// https://github.com/pytorch/pytorch/issues/189245
bool waits_for_lock(const dump::Group& group) {
  return std::ranges::any_of(group.stack, [](const dump::Frame& frame) {
    return frame.function.ends_with("wait") && frame.file.ends_with("torch/utils/file_baton.py");
  });
}

}  // namespace

std::string hint(const dump::Dump& dump) {
  std::set<std::uint32_t> ranks;
  for (const auto& group : dump.groups)
    if (waits_for_lock(group)) ranks.insert(group.ranks.begin(), group.ranks.end());
  if (ranks.empty()) return {};
  return fmt::format(
      "{} {} {} for a lock file of torch's C++ extensions (below TORCH_EXTENSIONS_DIR, by default "
      "~/.cache/torch_extensions), which a process that was killed while it compiled may have left: if "
      "nothing is compiling, remove the file named lock and restart",
      text::plural(ranks.size(), "rank"), text::ranges_within(ranks, max_ranks_columns),
      ranks.size() == 1 ? "waits" : "wait");
}

}  // namespace muster::hang
