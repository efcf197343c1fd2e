// The process environment as a value, so that decisions can be tested without a process.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace muster::worker {

class Environment {
 public:
  using Map = std::map<std::string, std::string, std::less<>>;

  Environment() = default;
  explicit Environment(Map variables) : variables_(std::move(variables)) {}

  static Environment of_process();

  // Empty for a variable that is not set, or set to nothing.
  std::string_view get(std::string_view name) const;
  bool has(std::string_view name) const { return !get(name).empty(); }
  // Also where it is set to nothing.
  bool is_set(std::string_view name) const { return variables_.contains(name); }

  // A whole decimal number from 0 to `max`; nothing when unset. Throws Error for any other text.
  std::optional<int> number(std::string_view name, int max) const;

 private:
  Map variables_;
};

}  // namespace muster::worker
