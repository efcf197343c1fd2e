// How each type of value is read from text and written back, and the range in which it must be: one ValueKind
// per type. Reading throws an Error of one line that names the key, the value and its source. range() is text
// for people, such as "1s to 1h"; empty if there is no range. For key_table.cpp only.
#pragma once

#include "core/option/value_parsing.hpp"
#include "core/option/value_words.hpp"
#include "core/option/values.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::option {

// One word of an enum, or on and off.
template <class Value>
struct ValueKind {
  static Value parse(const Given& given) { return words_of<Value>.at(parse_word(given)).value; }
  static std::string print(Value value, std::string_view /*none*/) {
    return std::string(word_for(value));
  }
  static std::string range() { return {}; }
};

// The unit of a number without one; 0 if the value is not a time.
template <class Value>
inline constexpr std::chrono::seconds unit_of{0};
template <class Value>
inline constexpr std::chrono::seconds unit_of<std::optional<Value>> = unit_of<Value>;
template <>
inline constexpr std::chrono::seconds unit_of<std::chrono::seconds>{1};
template <>
inline constexpr std::chrono::seconds unit_of<Heartbeat>{1};
template <>
inline constexpr std::chrono::seconds unit_of<HealthTimeout>{1};
template <>
inline constexpr std::chrono::seconds unit_of<Preflight>{1};
template <>
inline constexpr std::chrono::seconds unit_of<Stop>{60};
template <>
inline constexpr std::chrono::seconds unit_of<Hang>{60};

// A value, or the key's word for none.
template <class Value>
struct ValueKind<std::optional<Value>> {
  static std::optional<Value> parse(const Given& given) {
    if (given.setting.value == given.key.none) return std::nullopt;
    return ValueKind<Value>::parse(given);
  }
  static std::string print(const std::optional<Value>& value, std::string_view none) {
    return value ? ValueKind<Value>::print(*value, none) : std::string(none);
  }
  static std::string range() { return ValueKind<Value>::range(); }
};

// Free text. `none`, the word for an empty list, is used only by lists.

template <>
struct ValueKind<std::vector<std::string>> {  // interface globs separated by '+'
  static std::vector<std::string> parse(const Given& given);
  static std::string print(const std::vector<std::string>& value, std::string_view none);
  static std::string range();
};

template <>
struct ValueKind<PortRange> {
  static PortRange parse(const Given& given);
  static std::string print(const PortRange& value, std::string_view none);
  static std::string range();
};

template <>
struct ValueKind<std::uint32_t> {  // restarts, requeues, nodes kept in reserve
  static std::uint32_t parse(const Given& given);
  static std::string print(std::uint32_t value, std::string_view none);
  static std::string range();
};

template <>
struct ValueKind<ExitCodes> {
  static ExitCodes parse(const Given& given);
  static std::string print(const ExitCodes& value, std::string_view none);
  static std::string range();
};

template <>
struct ValueKind<NodeRange> {
  static NodeRange parse(const Given& given);
  static std::string print(const NodeRange& value, std::string_view none);
  static std::string range();
};

template <>
struct ValueKind<GroupRange> {
  static GroupRange parse(const Given& given);
  static std::string print(const GroupRange& value, std::string_view none);
  static std::string range();
};

template <>
struct ValueKind<std::string> {
  static std::string parse(const Given& given);
  static std::string print(const std::string& value, std::string_view none);
  static std::string range();
};

template <>
struct ValueKind<View> {
  static View parse(const Given& given);
  static std::string print(const View& value, std::string_view none);
  static std::string range();
};

template <>
struct ValueKind<std::chrono::seconds> {
  static std::chrono::seconds parse(const Given& given);
  static std::string print(std::chrono::seconds value, std::string_view none);
  static std::string range();
};

template <>
struct ValueKind<Stop> {
  static Stop parse(const Given& given);
  static std::string print(Stop value, std::string_view none);
  static std::string range();
};

template <>
struct ValueKind<Heartbeat> {
  static Heartbeat parse(const Given& given);
  static std::string print(Heartbeat value, std::string_view none);
  static std::string range();
};

template <>
struct ValueKind<HealthTimeout> {
  static HealthTimeout parse(const Given& given);
  static std::string print(HealthTimeout value, std::string_view none);
  static std::string range();
};

template <>
struct ValueKind<Preflight> {
  static Preflight parse(const Given& given);
  static std::string print(const Preflight& value, std::string_view none);
  static std::string range();
};

template <>
struct ValueKind<Slow> {
  static Slow parse(const Given& given);
  static std::string print(const Slow& value, std::string_view none);
  static std::string range();
};

template <>
struct ValueKind<Metrics> {
  static Metrics parse(const Given& given);
  static std::string print(const Metrics& value, std::string_view none);
  static std::string range();
};

template <>
struct ValueKind<Hang> {
  static Hang parse(const Given& given);
  static std::string print(const Hang& value, std::string_view none);
  static std::string range();
};

}  // namespace muster::option
