#include "core/status/counters.hpp"

#include "core/text/list.hpp"
#include "core/text/number.hpp"

#include <algorithm>
#include <vector>

namespace muster::status {
namespace {

std::vector<std::string_view> words(std::string_view line) {
  std::vector<std::string_view> found;
  for (const auto word : text::split(line, ' ')) {
    if (!word.empty()) found.push_back(word);
  }
  return found;
}

std::optional<std::int64_t> value(std::string_view text, std::string_view name) {
  for (const auto line : text::split(text, '\n')) {
    const auto parts = words(line);
    if (parts.size() == 2 && parts[0] == name) return text::number<std::int64_t>(parts[1]);
  }
  return std::nullopt;
}

std::optional<Traffic> traffic(std::string_view text, std::string_view in_name,
                               std::string_view out_name) {
  const auto in = value(text, in_name);
  const auto out = value(text, out_name);
  if (!in || !out) return std::nullopt;
  return Traffic{*in, *out};
}

}  // namespace

std::optional<Traffic> network_traffic(std::string_view text,
                                       const std::function<bool(std::string_view)>& wanted) {
  constexpr std::size_t in_column = 0;
  constexpr std::size_t out_column = 8;
  std::optional<Traffic> sum;
  for (const auto line : text::split(text, '\n')) {
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    auto name = line.substr(0, colon);
    name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
    const auto columns = words(line.substr(colon + 1));
    if (columns.size() <= out_column || !wanted(name)) continue;
    const auto in = text::number<std::int64_t>(columns[in_column]);
    const auto out = text::number<std::int64_t>(columns[out_column]);
    if (!in || !out) continue;
    sum = sum.value_or(Traffic());
    sum->in += *in;
    sum->out += *out;
  }
  return sum;
}

std::optional<Traffic> file_traffic(std::string_view text) {
  return traffic(text, "rchar:", "wchar:");
}

std::optional<Traffic> storage_traffic(std::string_view text) {
  return traffic(text, "read_bytes:", "write_bytes:");
}

}  // namespace muster::status
