// Bounded binary encoding of the messages between the shim and its agent.
//
// Both ends run on one node and come from one build, so integers travel in native byte order. The decoder
// never trusts a length: a short or hostile buffer makes ok() false and yields empty values. No list has more
// items than the buffer can hold, and all lists together have no more than the limit given to the decoder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::wire {

class Encoder {
 public:
  void u32(std::uint32_t value);
  void u64(std::uint64_t value);
  void text(std::string_view value);
  void texts(const std::vector<std::string>& values);
  void u32s(const std::vector<std::uint32_t>& values);
  void u64s(const std::vector<std::uint64_t>& values);

  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

class Decoder {
 public:
  // `max_items`: limit for all lists together.
  explicit Decoder(std::string_view bytes, std::size_t max_items = SIZE_MAX)
      : rest_(bytes), items_left_(max_items) {}

  std::uint32_t u32();
  std::uint64_t u64();
  std::string text();
  std::vector<std::string> texts();
  std::vector<std::uint32_t> u32s();
  std::vector<std::uint64_t> u64s();

  // A list's length; refused if the remaining bytes cannot hold that many items of `item_bytes` each, or if
  // there are too many items.
  std::uint32_t count(std::size_t item_bytes);

  // True as long as no read has failed.
  [[nodiscard]] bool ok() const { return ok_; }
  // True if, in addition, every byte was read.
  [[nodiscard]] bool done() const { return ok_ && rest_.empty(); }

 private:
  std::string_view take(std::size_t size);

  std::string_view rest_;
  std::size_t items_left_;
  bool ok_ = true;
};

}  // namespace muster::wire
