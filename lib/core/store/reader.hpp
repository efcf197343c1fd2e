// Cuts what a client has sent into requests. Pure; a client's bytes may arrive in any pieces.
#pragma once

#include "core/store/request.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::store {

// The numbers of the operations differ between torch's releases.
enum class Dialect : std::uint8_t { up_to_2_0, of_2_1, since_2_2 };

class Reader {
 public:
  explicit Reader(const Limits& limits = {}) : limits_(limits) {}

  void add(std::string_view bytes);

  // The next request; no value if the rest of it has not come yet. `old`: what a client speaks that did not
  // begin with the magic number of 2.2 and newer. Throws Error if no client of torch sends this.
  std::optional<Request> next(Dialect old);

  // Bytes that wait here for the rest of their request.
  [[nodiscard]] std::size_t size() const { return bytes_.size() - begin_; }

 private:
  [[nodiscard]] bool begins_with_magic() const;
  void compact();

  Limits limits_;
  std::optional<bool> is_new_;  // speaks the newest dialect
  std::string bytes_;
  std::size_t begin_ = 0;   // of the next request in `bytes_`
  std::size_t needed_ = 1;  // how many bytes of it there must be before another look is worth it
};

}  // namespace muster::store
