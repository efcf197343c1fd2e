// Standard output and standard error for the ranks' bytes. A stream that has failed (its reader is gone, its
// disk is full) receives nothing more.
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
  // `descriptors`: one for each of the two streams.
  explicit Writer(std::array<int, 2> descriptors) : descriptors_(descriptors) {}

  // Waits while the stream accepts nothing, unless the writer is abandoned.
  void write(const ScreenText& piece);

  // Called from any thread: nothing more is written after the current write.
  void abandon() { abandoned_ = true; }
  // How many bytes were written in total.
  [[nodiscard]] std::uint64_t written() const { return written_; }

  // Returns the reason for each failed stream once. For the thread that writes.
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
