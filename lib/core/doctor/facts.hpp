// What one host reports about itself: names and short texts, such as "limit.memlock" and "8388608". Values
// that could not be read are absent, so that no check mistakes a missing value for a good one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace muster::doctor {

inline constexpr std::size_t max_facts = 400;       // per host
inline constexpr std::size_t max_fact_bytes = 400;  // per value, which is truncated there

class Facts {
 public:
  using Map = std::map<std::string, std::string, std::less<>>;

  // Control characters become \xNN. Facts beyond max_facts are dropped.
  void set(std::string_view name, std::string_view value);
  void set_number(std::string_view name, std::uint64_t value);

  [[nodiscard]] bool has(std::string_view name) const { return all_.contains(name); }
  [[nodiscard]] std::string text(std::string_view name) const;  // empty if it is absent
  [[nodiscard]] std::optional<std::uint64_t> number(std::string_view name) const;
  // For thresholds: 0 if there is no such number.
  [[nodiscard]] std::uint64_t count(std::string_view name) const {
    return number(name).value_or(0);
  }
  [[nodiscard]] const Map& all() const { return all_; }

 private:
  Map all_;
};

}  // namespace muster::doctor
