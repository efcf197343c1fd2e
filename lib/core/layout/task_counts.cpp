#include "core/layout/task_counts.hpp"

#include "core/error.hpp"
#include "core/slurm/hostlist.hpp"
#include "core/text/quote.hpp"
#include "wire/layout_line.hpp"

#include <charconv>

#include <fmt/format.h>

namespace muster::layout {
namespace {

[[noreturn]] void fail(std::string_view text) {
  throw Error(fmt::format("cannot read the task counts {}; they should look like 2(x3),1",
                          text::in_quotes(text)));
}

// Removes leading digits and returns them.
std::uint32_t take_number(std::string_view& rest, std::string_view whole) {
  std::uint32_t value = 0;
  const auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (error != std::errc{}) fail(whole);
  rest.remove_prefix(static_cast<std::size_t>(stop - rest.data()));
  return value;
}

bool take(std::string_view& rest, std::string_view expected) {
  if (!rest.starts_with(expected)) return false;
  rest.remove_prefix(expected.size());
  return true;
}

}  // namespace

std::vector<std::uint32_t> expand_task_counts(std::string_view text) {
  std::vector<std::uint32_t> counts;
  std::uint64_t tasks = 0;
  auto rest = text;
  do {
    const auto count = take_number(rest, text);
    std::uint32_t repeat = 1;
    if (take(rest, "(x")) {
      repeat = take_number(rest, text);
      if (!take(rest, ")")) fail(text);
    }
    if (repeat == 0 || counts.size() + repeat > slurm::max_hosts) fail(text);
    tasks += std::uint64_t{count} * repeat;
    if (tasks > wire::max_tasks) fail(text);
    counts.insert(counts.end(), repeat, count);
  } while (take(rest, ","));
  if (!rest.empty()) fail(text);
  return counts;
}

}  // namespace muster::layout
