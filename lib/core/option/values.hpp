// The typed values of option keys: parsed from a Setting's text, and written back as text.
// Every parser throws Error in one line that names the key, the value and its source.
#pragma once

#include "core/option/settings.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

enum class Bind : std::uint8_t { auto_, none, core, l3, numa, socket, exclusive };
enum class Memory : std::uint8_t { local, strict, none };
enum class Gpus : std::uint8_t { shared, own };
enum class Ranks : std::uint8_t { slurm, contiguous };

// first <= last, neither privileged.
struct PortRange {
  std::uint16_t first;
  std::uint16_t last;

  friend bool operator==(const PortRange&, const PortRange&) = default;
};

// An elastic size: at least `min` nodes, at most `max` or all that there are.
struct NodeRange {
  std::uint32_t min;
  std::optional<std::uint32_t> max;

  friend bool operator==(const NodeRange&, const NodeRange&) = default;
};

// Which ranks' output the live view shows.
struct View {
  enum class Show : std::uint8_t { all, failed, ranks };
  Show show = Show::all;
  std::vector<std::uint32_t> ranks;  // only for Show::ranks

  friend bool operator==(const View&, const View&) = default;
};

Bind parse_bind(const Setting& setting);
Memory parse_memory(const Setting& setting);
Gpus parse_gpus(const Setting& setting);
Ranks parse_ranks(const Setting& setting);
std::vector<std::string> parse_network(const Setting& setting);  // auto: empty
std::optional<PortRange> parse_port(const Setting& setting);     // auto: none
std::uint32_t parse_count(Key key, const Setting& setting);      // restarts, spares
std::optional<NodeRange> parse_nodes(const Setting& setting);    // all: none
std::optional<std::string> parse_logs(const Setting& setting);   // off: none
View parse_view(const Setting& setting);
std::optional<std::chrono::seconds> parse_grace(const Setting& setting);  // auto: none
std::optional<std::chrono::minutes> parse_hang(const Setting& setting);   // off: none
bool parse_switch(Key key, const Setting& setting);

// The words as the user writes them.
std::string_view to_string(Bind bind);
std::string_view to_string(Memory memory);
std::string_view to_string(Gpus gpus);
std::string_view to_string(Ranks ranks);
std::string to_string(const PortRange& ports);
std::string to_string(const NodeRange& nodes);
std::string to_string(const View& view);
std::string to_string(std::uint32_t number);
std::string to_string(std::chrono::seconds time);
std::string to_string(std::chrono::minutes time);
std::string to_string(const std::string& text);
std::string network_text(const std::vector<std::string>& globs);
inline std::string switch_text(bool on) {
  return on ? "on" : "off";
}

template <class Value>
std::string text_or_default(Key key, const std::optional<Value>& value) {
  return value ? to_string(*value) : std::string(info(key).default_text);
}

// Two texts that mean the same have the same canonical text ("29500-29500" is "29500").
std::string canonical(Key key, const Setting& setting);

}  // namespace muster
