// The process environment as a value, so that decisions can be tested without a process.
//
// Kept as one text: a process joins its step once and reads some thirty variables, so building a tree of a
// hundred nodes would cost more than it saves.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::worker {

class Environment {
 public:
  using Map = std::map<std::string, std::string, std::less<>>;

  Environment() = default;
  explicit Environment(const Map& variables);

  static Environment of_process();

  // Empty if the variable is not set, or is set to an empty value.
  std::string_view get(std::string_view name) const {
    return find(name).value_or(std::string_view{});
  }
  bool has(std::string_view name) const { return !get(name).empty(); }
  // True even if it is set to an empty value.
  bool is_set(std::string_view name) const { return find(name).has_value(); }

  // A whole decimal number from 0 to `max`; no value if it is not set. Throws Error for any other text.
  std::optional<int> number(std::string_view name, int max) const;

 private:
  // Where a variable is located in text_.
  struct Variable {
    std::size_t begin = 0;
    std::size_t name_length = 0;
    std::size_t value_length = 0;
  };

  void add(std::string_view name, std::string_view value);
  std::optional<std::string_view> find(std::string_view name) const;

  std::string text_;
  std::vector<Variable> variables_;
};

}  // namespace muster::worker
