// Writes a value as text and reads it back, both from one list of the type's fields:
//
//   struct Beat {
//     std::uint32_t number = 0;
//     std::string node;
//   };
//   template <class Io>
//   void fields(Io& io, Beat& beat) {
//     io(beat.number)(beat.node, record::Line{255});
//   }
//
//   const auto text = record::write(beat);
//   const auto beat = record::read<Beat>(text);  // nothing for any other text
//
// fields() is in the type's namespace and names every field once, in the order of the text. It supports
// numbers, bool, enums, durations, texts, arrays of bytes, std::optional, std::vector, std::map,
// std::variant, empty structs, and structs that have fields() themselves. limits.hpp bounds each of them.
//
// The text is for two processes of the same version. It begins with a number made from the types of all
// fields, so that a reader with another list refuses it. Then each field follows: a number as its digits
// and a space, a text as its length, a colon and its bytes. So the text contains no zero byte and no line
// feed unless one of its texts does, and can be the value of a variable.
//
// Nothing here throws, except what a function given to through() throws.
#pragma once

#include "core/record/limits.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace muster::record {

template <class T>
inline constexpr bool is_duration = false;
template <class Rep, class Period>
inline constexpr bool is_duration<std::chrono::duration<Rep, Period>> = true;
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_list = false;
template <class T>
inline constexpr bool is_list<std::vector<T>> = true;
template <class T>
inline constexpr bool is_map = false;
template <class Key, class T, class Less>
inline constexpr bool is_map<std::map<Key, T, Less>> = true;
template <class T>
inline constexpr bool is_variant = false;
template <class... Ts>
inline constexpr bool is_variant<std::variant<Ts...>> = true;
template <class T>
inline constexpr bool is_byte_array = false;
template <std::size_t size>
inline constexpr bool is_byte_array<std::array<unsigned char, size>> = true;
// A specialization says how a type of another library is written as text, by to() and from(): see through().
template <class T>
struct TextOf;
template <class T>
concept HasTextOf = requires {
  sizeof(TextOf<T>);
};
template <class T>
concept Text = std::same_as<T, std::string> || std::same_as<T, std::string_view>;

// An Io is what fields() is called with. fields() calls one of these functions for each field; Direction's
// members do the work for the simple ones.
template <class Direction>
class Io {
 public:
  // One field.
  template <class T, class... Limits>
  Direction& operator()(T& value, const Limits&... limits) {
    field(value, limits...);
    return self();
  }

  // A field whose type has a text form of its own: `to` makes the text; `from` reads it and returns the
  // value or an optional one.
  template <class T, class To, class From, class Limit>
  Direction& through(T& value, const To& to, const From& from, Limit limit) {
    std::string text;
    if constexpr (Direction::writes) text = to(value);
    self().text(text, limit);
    if constexpr (Direction::reads) {
      if (!self().good()) return self();
      if constexpr (is_optional<decltype(from(text))>) {
        auto made = from(text);
        self().require(made.has_value());
        if (made) value = std::move(*made);
      } else {
        value = from(text);
      }
    }
    return self();
  }

  // Distinguishes a type from another type whose fields have the same types. Writes nothing.
  Direction& named(std::string_view name) {
    if constexpr (Direction::describes) self().name(name);
    return self();
  }

  // A further condition, called after the fields that it is about: a reader refuses a text that does not
  // meet it.
  Direction& require(bool holds) {
    if constexpr (Direction::reads) {
      if (!holds) self().refuse();
    }
    return self();
  }

 private:
  Direction& self() { return static_cast<Direction&>(*this); }

  template <class T, class... Limits>
  void field(T& value, const Limits&... limits) {
    if constexpr (std::same_as<T, bool>) {
      number(value, Range{0, 1});
    } else if constexpr (std::is_enum_v<T>) {
      number(value, limits...);
    } else if constexpr (std::is_arithmetic_v<T>) {
      number(value, limits...);
    } else if constexpr (is_duration<T>) {
      static_assert(sizeof...(limits) == 1, "a duration needs a Range");
      number(value, limits...);
    } else if constexpr (Text<T>) {
      static_assert(sizeof...(limits) == 1, "a text needs a limit");
      self().text(value, limits...);
    } else if constexpr (HasTextOf<T>) {
      through(value, TextOf<T>::to, TextOf<T>::from, limits...);
    } else if constexpr (is_byte_array<T>) {
      self().bytes(value.data(), value.size());
    } else if constexpr (is_optional<T>) {
      optional(value, limits...);
    } else if constexpr (is_list<T> || is_map<T>) {
      static_assert(sizeof...(limits) > 0, "a list needs a limit");
      items(value, limits...);
    } else if constexpr (is_variant<T>) {
      variant(value, std::make_index_sequence<std::variant_size_v<T>>());
    } else if constexpr (!std::is_empty_v<T>) {
      fields(self(), value);
    }
  }

  template <class T>
  static constexpr auto raw(T value) {
    if constexpr (std::is_enum_v<T>) {
      return static_cast<std::underlying_type_t<T>>(value);
    } else if constexpr (is_duration<T>) {
      return value.count();
    } else {
      return value;
    }
  }

  // Converts to the widest type of its kind.
  template <class T>
  static constexpr auto wide(T value) {
    using Raw = decltype(raw(value));
    if constexpr (std::is_floating_point_v<Raw>) {
      return static_cast<double>(raw(value));
    } else if constexpr (std::is_signed_v<Raw>) {
      return static_cast<std::int64_t>(raw(value));
    } else {
      return static_cast<std::uint64_t>(raw(value));
    }
  }

  template <class T>
  void number(T& value, Any /*limit*/ = {}) {
    static_assert(!std::is_floating_point_v<T>, "a floating-point number needs a Range");
    static_assert(!std::is_enum_v<T>, "an enum needs a Range");
    using Limits = std::numeric_limits<T>;
    number(value, Range<T>{Limits::min(), Limits::max()});
  }

  template <class T, class Limit>
  void number(T& value, Range<Limit> limit) {
    auto number = wide(value);
    self().scalar(number, wide(T(limit.least)), wide(T(limit.most)));
    if constexpr (Direction::reads) value = T(static_cast<decltype(raw(value))>(number));
  }

  template <class T, class Limit>
  void number(T& value, Clamp<Limit> limit) {
    auto nearest = std::clamp(value, T(limit.least), T(limit.most));
    number(nearest, Range{T(limit.least), T(limit.most)});
    if constexpr (Direction::reads) value = nearest;
  }

  template <class T, class... Limits>
  void optional(std::optional<T>& value, const Limits&... limits) {
    bool has = value.has_value();
    field(has);
    if constexpr (Direction::describes) {
      T of_its_type{};
      field(of_its_type, limits...);
    } else {
      if constexpr (Direction::reads) value = has ? std::optional<T>(T{}) : std::nullopt;
      if (value) field(*value, limits...);
    }
  }

  template <class List, class Limit, class... Limits>
  void items(List& list, Limit limit, const Limits&... limits) {
    const auto [skipped, count] = self().counted(list.size(), limit);
    if constexpr (Direction::writes) {
      auto item = list.begin();
      for (std::size_t i = 0; i < skipped; ++i) ++item;
      for (std::size_t i = 0; i < count; ++i) each(*item++, limits...);
    } else {
      if constexpr (Direction::reads) list.clear();
      for (std::size_t i = 0; i < count && self().good(); ++i) take(list, limits...);
    }
  }

  template <class T, class... Limits>
  void each(T& item, const Limits&... limits) {
    field(item, limits...);
  }
  template <class Key, class T, class KeyLimit, class... Limits>
  void each(std::pair<const Key, T>& item, const KeyLimit& key_limit, const Limits&... limits) {
    field(const_cast<Key&>(item.first), key_limit);  // NOLINT: as in write()
    field(item.second, limits...);
  }

  template <class T, class... Limits>
  void take(std::vector<T>& list, const Limits&... limits) {
    T item{};
    field(item, limits...);
    list.push_back(std::move(item));
  }
  template <class Key, class T, class Less, class KeyLimit, class... Limits>
  void take(std::map<Key, T, Less>& map, const KeyLimit& key_limit, const Limits&... limits) {
    Key key{};
    T value{};
    field(key, key_limit);
    field(value, limits...);
    require(map.emplace(std::move(key), std::move(value)).second);
  }

  template <class Variant, std::size_t... indexes>
  void variant(Variant& value, std::index_sequence<indexes...> /*all*/) {
    auto chosen = value.index();
    number(chosen, Range<std::size_t>{0, sizeof...(indexes) - 1});
    const auto alternative = [&]<std::size_t index>() {
      if constexpr (!Direction::writes) value.template emplace<index>();
      field(std::get<index>(value));
    };
    ((Direction::describes || chosen == indexes ? alternative.template operator()<indexes>()
                                                : void()),
     ...);
  }
};

class Writer : public Io<Writer> {
 public:
  static constexpr bool writes = true;
  static constexpr bool reads = false;
  static constexpr bool describes = false;

  void scalar(std::uint64_t value, std::uint64_t least = 0, std::uint64_t most = 0);
  void scalar(std::int64_t value, std::int64_t least, std::int64_t most);
  void scalar(double value, double least, double most);
  template <class Limit>
  void text(std::string_view value, Limit limit) {
    append(fitting(value, limit));
  }
  void bytes(const unsigned char* bytes, std::size_t size);  // as hexadecimal digits
  struct Items {
    std::size_t skipped;
    std::size_t count;
  };
  Items counted(std::size_t have, Max limit);
  Items counted(std::size_t have, First limit);
  Items counted(std::size_t have, Last limit);

  std::string take() { return std::move(text_); }

 private:
  void append(std::string_view value);

  std::string text_;
};

// Trusts no length. After it has refused something, it reads nothing more.
class Reader : public Io<Reader> {
 public:
  static constexpr bool writes = false;
  static constexpr bool reads = true;
  static constexpr bool describes = false;

  explicit Reader(std::string_view text) : rest_(text) {}

  void scalar(std::uint64_t& value, std::uint64_t least, std::uint64_t most);
  void scalar(std::int64_t& value, std::int64_t least, std::int64_t most);
  void scalar(double& value, double least, double most);
  template <Text T, class Limit>
  void text(T& value, Limit limit) {
    const auto found = take_text(limit.size);
    require(fits(found, limit));
    if (good()) value = found;
  }
  void bytes(unsigned char* bytes, std::size_t size);
  template <class Limit>
  std::pair<std::size_t, std::size_t> counted(std::size_t /*have*/, Limit limit) {
    return {0, take_count(limit.size)};
  }

  void refuse() { good_ = false; }
  [[nodiscard]] bool good() const { return good_; }
  [[nodiscard]] bool done() const { return good_ && rest_.empty(); }

 private:
  template <class Number>
  void take_number(Number& value, Number least, Number most);
  std::string_view take_text(std::size_t max);
  std::size_t take_count(std::size_t max);

  std::string_view rest_;
  bool good_ = true;
};

// Makes a number from the types of a value's fields.
class Shape : public Io<Shape> {
 public:
  static constexpr bool writes = false;
  static constexpr bool reads = false;
  static constexpr bool describes = true;

  void scalar(std::uint64_t /*value*/, std::uint64_t /*least*/, std::uint64_t /*most*/) {
    add('u');
  }
  void scalar(std::int64_t /*value*/, std::int64_t /*least*/, std::int64_t /*most*/) { add('i'); }
  void scalar(double /*value*/, double /*least*/, double /*most*/) { add('d'); }
  template <Text T, class Limit>
  void text(T& /*value*/, Limit /*limit*/) {
    add('t');
  }
  void bytes(const unsigned char* /*bytes*/, std::size_t size) {
    add('b');
    add(static_cast<char>(size));
  }
  template <class Limit>
  std::pair<std::size_t, std::size_t> counted(std::size_t /*have*/, Limit /*limit*/) {
    add('l');
    return {0, 1};
  }
  void name(std::string_view name) {
    for (const char letter : name) add(letter);
  }
  [[nodiscard]] static bool good() { return true; }

  [[nodiscard]] std::uint32_t number() const { return number_; }

 private:
  // FNV-1a
  void add(char letter) { number_ = (number_ ^ static_cast<unsigned char>(letter)) * 16777619U; }

  std::uint32_t number_ = 2166136261U;
};

template <class T>
std::uint32_t shape_of() {
  static const auto shape = [] {
    T value{};
    Shape made;
    made(value);
    return made.number();
  }();
  return shape;
}

template <class T>
std::string write(const T& value) {
  Writer writer;
  writer.scalar(shape_of<T>());
  // fields() takes the same type in both directions; a writer changes nothing.
  writer(const_cast<T&>(value));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  return writer.take();
}

// Whether a text begins as one of this type does. Such a text may still be damaged.
template <class T>
bool begins(std::string_view text) {
  std::uint64_t shape = 0;
  Reader reader(text);
  reader.scalar(shape, shape_of<T>(), shape_of<T>());
  return reader.good();
}

// No value for a text that write() cannot have written. Views in the value point into the text.
template <class T>
std::optional<T> read(std::string_view text) {
  Reader reader(text);
  std::uint64_t shape = 0;
  reader.scalar(shape, shape_of<T>(), shape_of<T>());
  T value{};
  if (reader.good()) reader(value);
  return reader.done() ? std::optional<T>(std::move(value)) : std::nullopt;
}

}  // namespace muster::record
