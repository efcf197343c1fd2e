// Standard output and standard error for bytes of ranks: a stream that takes nothing more (its reader
// has gone, its disk is full) is left alone from then on.
#pragma once

#include "core/view/composer.hpp"
#include "core/view/output.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace muster::view {

class Writer {
 public:
  // Of the two streams.
  explicit Writer(std::array<int, 2> descriptors) : descriptors_(descriptors) {}

  // Waits as long as the stream takes nothing, unless it is abandoned.
  void write(const ScreenText& piece);

  // From any thread: nothing more is written after what is being written now.
  void abandon() { abandoned_ = true; }
  // How many bytes ever.
  [[nodiscard]] std::uint64_t written() const { return written_; }

  // Once for each stream that has failed: why. From the thread that writes.
  std::string take_failure();

 private:
  bool write_some(Stream stream, std::string_view& bytes);

  const std::array<int, 2> descriptors_;
  std::array<bool, 2> failed_{};
  std::string failure_;
  std::atomic<bool> abandoned_ = false;
  std::atomic<std::uint64_t> written_ = 0;
};

}  // namespace muster::view
