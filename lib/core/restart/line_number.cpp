#include "core/restart/line_number.hpp"

#include "core/text/number.hpp"

#include <optional>

#include <fmt/format.h>

namespace muster::restart {
namespace {

constexpr std::uint32_t max_lines = 1'000'000;

// "RUN NEXT\n", always the same length, so that it can overwrite the previous one even if the disk is full.
std::optional<std::uint32_t> next_in(std::string_view counter, std::uint32_t run) {
  constexpr std::size_t digits = 10;
  if (counter.size() != 2 * digits + 2 || counter[digits] != ' ' || counter.back() != '\n')
    return std::nullopt;
  const auto of = text::number<std::uint32_t>(counter.substr(0, digits));
  const auto next = text::number<std::uint32_t>(counter.substr(digits + 1, digits));
  if (!of || !next || *of != run || *next > max_lines) return std::nullopt;
  return next;
}

}  // namespace

NumberedLine number_line(std::string_view counter, std::uint32_t run) {
  const auto number = next_in(counter, run).value_or(0);
  return {number, fmt::format("{:010} {:010}\n", run, number + 1)};
}

}  // namespace muster::restart
