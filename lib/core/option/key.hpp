// A key of --distributed that exists, as an index into the table of keys.hpp. Settings and requests need
// nothing more from the table, so changing it recompiles few files.
#pragma once

#include <compare>
#include <cstddef>
#include <string_view>

namespace muster::option {

class Key {
 public:
  // Defined with the table: code that names a key includes keys.hpp.
  explicit consteval Key(std::string_view name);

  [[nodiscard]] constexpr std::size_t index() const { return index_; }

  friend auto operator<=>(const Key&, const Key&) = default;

 private:
  std::size_t index_;
};

}  // namespace muster::option
