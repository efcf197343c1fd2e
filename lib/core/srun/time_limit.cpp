#include "core/srun/time_limit.hpp"

#include "core/srun/line.hpp"
#include "core/text/list.hpp"

#include <charconv>
#include <cstdint>
#include <vector>

namespace muster::srun {
namespace {

constexpr std::uint32_t longest = 1'000'000;  // limit for each number, so that nothing overflows

std::optional<std::int64_t> number(std::string_view text) {
  std::uint32_t value = 0;
  const auto* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end || value > longest) return std::nullopt;
  return value;
}

std::optional<std::vector<std::int64_t>> numbers(std::string_view text) {
  std::vector<std::int64_t> values;
  for (const auto part : text::split(text, ':')) {
    const auto value = number(part);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

std::optional<std::chrono::minutes> whole_minutes(std::chrono::seconds time) {
  if (time <= std::chrono::seconds{0}) return std::nullopt;
  return std::chrono::ceil<std::chrono::minutes>(time);
}

std::optional<std::chrono::minutes> with_days(std::string_view days, std::string_view rest) {
  const auto count = number(days);
  auto parts = numbers(rest);
  if (!count || !parts || parts->size() > 3) return std::nullopt;
  parts->resize(3);
  return whole_minutes(std::chrono::hours{24 * *count + parts->at(0)} +
                       std::chrono::minutes{parts->at(1)} + std::chrono::seconds{parts->at(2)});
}

}  // namespace

std::optional<std::chrono::minutes> time_limit(std::string_view text) {
  const auto dash = text.find('-');
  if (dash != std::string_view::npos) return with_days(text.substr(0, dash), text.substr(dash + 1));
  auto parts = numbers(text);
  if (!parts || parts->empty() || parts->size() > 3) return std::nullopt;
  if (parts->size() < 3) parts->insert(parts->begin(), 0);
  parts->resize(3);
  return whole_minutes(std::chrono::hours{parts->at(0)} + std::chrono::minutes{parts->at(1)} +
                       std::chrono::seconds{parts->at(2)});
}

std::optional<std::chrono::minutes> chosen_time_limit(const Environment& environment,
                                                      const Command& command) {
  const auto chosen = setting(read_step(command), environment, "time");
  return chosen ? time_limit(*chosen) : std::nullopt;
}

}  // namespace muster::srun
