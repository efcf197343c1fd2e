// The bytes that a MAC or a digest covers.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <string_view>
#include <type_traits>
#include <utility>

namespace muster::secret {

// A view of bytes in any container of characters or bytes, or of a text.
class Part {
 public:
  Part(const char* text) : Part(std::string_view(text)) {}
  template <class Bytes>
  requires(!std::is_array_v<Bytes> && sizeof(*std::data(std::declval<const Bytes&>())) == 1)
      Part(const Bytes& bytes)
      : data_(reinterpret_cast<const unsigned char*>(std::data(bytes))), size_(std::size(bytes)) {}

  [[nodiscard]] const unsigned char* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  const unsigned char* data_;
  std::size_t size_;
};

using Parts = std::initializer_list<Part>;

}  // namespace muster::secret
