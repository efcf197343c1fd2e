#include "core/option/values.hpp"

#include "core/option/synonyms.hpp"
#include "core/option/value_parsing.hpp"
#include "core/text/suggestion.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>

namespace muster {
namespace {

constexpr std::uint32_t max_port = 65535;
constexpr std::uint32_t first_unprivileged_port = 1024;
constexpr std::uint32_t max_count = 1'000'000;
constexpr std::uint32_t max_grace_seconds = 24 * 60 * 60;
constexpr std::uint32_t max_hang_minutes = 30 * 24 * 60;
constexpr std::size_t max_glob_bytes = 64;

// The value's place in the key's words, which is also its place in the enum.
std::size_t parse_word(Key key, const Setting& setting) {
  check_text(key, setting);
  const std::span<const Word> words = info(key).words;
  const auto found = std::ranges::find(words, setting.value, &Word::text);
  if (found == words.end()) {
    const auto known_elsewhere = translation(key, setting.value);
    throw invalid(key, setting, "unknown value",
                  known_elsewhere.empty() ? suggestion(setting.value, available_words(info(key)))
                                          : known_elsewhere);
  }
  return static_cast<std::size_t>(found - words.begin());
}

std::uint16_t parse_one_port(const Setting& setting, std::string_view text) {
  const Limits limits{first_unprivileged_port, max_port, "ports below 1024 are privileged"};
  return static_cast<std::uint16_t>(parse_number(Key::port, setting, text, limits));
}

void check_glob(const Setting& setting, std::string_view glob) {
  if (glob == "auto") {
    throw invalid(Key::network, setting, "auto stands alone", "use auto, or names without it");
  }
  if (glob.size() > max_glob_bytes) {
    throw invalid(Key::network, setting, "no interface has so long a name",
                  fmt::format("use {} bytes at most", max_glob_bytes));
  }
  if (glob.find_first_of("/ ") != std::string_view::npos) {
    throw invalid(Key::network, setting, "no interface name has a '/' or a space",
                  "use names as `ip link` shows them, such as ib0 or eth*");
  }
}

}  // namespace

Bind parse_bind(const Setting& setting) {
  return static_cast<Bind>(parse_word(Key::bind, setting));
}

Memory parse_memory(const Setting& setting) {
  return static_cast<Memory>(parse_word(Key::memory, setting));
}

Gpus parse_gpus(const Setting& setting) {
  return static_cast<Gpus>(parse_word(Key::gpus, setting));
}

Ranks parse_ranks(const Setting& setting) {
  return static_cast<Ranks>(parse_word(Key::ranks, setting));
}

bool parse_switch(Key key, const Setting& setting) {
  return parse_word(key, setting) == 0;
}

std::vector<std::string> parse_network(const Setting& setting) {
  check_text(Key::network, setting);
  if (setting.value == "auto") return {};
  std::vector<std::string> globs;
  for (const std::string_view glob : split_list(Key::network, setting)) {
    check_glob(setting, glob);
    globs.emplace_back(glob);
  }
  return globs;
}

std::optional<PortRange> parse_port(const Setting& setting) {
  check_text(Key::port, setting);
  if (setting.value == "auto") return std::nullopt;
  const std::string_view text = setting.value;
  const std::size_t dash = text.find('-');
  const std::uint16_t first = parse_one_port(setting, text.substr(0, dash));
  if (dash == std::string_view::npos) return PortRange{first, first};
  const std::uint16_t last = parse_one_port(setting, text.substr(dash + 1));
  if (first > last) {
    throw invalid(Key::port, setting, "empty range", fmt::format("use {}-{}", last, first));
  }
  return PortRange{first, last};
}

std::uint32_t parse_count(Key key, const Setting& setting) {
  check_text(key, setting);
  return parse_number(key, setting, setting.value, {0, max_count});
}

std::optional<NodeRange> parse_nodes(const Setting& setting) {
  check_text(Key::nodes, setting);
  if (setting.value == "all") return std::nullopt;
  const std::string_view text = setting.value;
  const std::size_t colon = text.find(':');
  const Limits limits{1, max_count};
  NodeRange range{parse_number(Key::nodes, setting, text.substr(0, colon), limits), std::nullopt};
  if (colon == std::string_view::npos) return range;
  range.max = parse_number(Key::nodes, setting, text.substr(colon + 1), limits);
  if (range.min > *range.max) {
    throw invalid(Key::nodes, setting, "empty range",
                  fmt::format("use {}:{}", *range.max, range.min));
  }
  return range;
}

std::optional<std::string> parse_logs(const Setting& setting) {
  check_text(Key::logs, setting);
  if (setting.value == "off") return std::nullopt;
  return setting.value;
}

View parse_view(const Setting& setting) {
  check_text(Key::view, setting);
  if (setting.value == "all") return {View::Show::all, {}};
  if (setting.value == "failed") return {View::Show::failed, {}};
  View view{View::Show::ranks, {}};
  for (const std::string_view rank : split_list(Key::view, setting)) {
    view.ranks.push_back(parse_number(Key::view, setting, rank, {0, max_count}));
  }
  return view;
}

std::optional<std::chrono::seconds> parse_grace(const Setting& setting) {
  check_text(Key::grace, setting);
  if (setting.value == "auto") return std::nullopt;
  return std::chrono::seconds(
      parse_number(Key::grace, setting, setting.value, {0, max_grace_seconds}));
}

std::optional<std::chrono::minutes> parse_hang(const Setting& setting) {
  check_text(Key::hang, setting);
  if (setting.value == "off") return std::nullopt;
  return std::chrono::minutes(
      parse_number(Key::hang, setting, setting.value, {1, max_hang_minutes}));
}

}  // namespace muster
