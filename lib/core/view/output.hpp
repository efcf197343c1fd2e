// A piece of a rank's output on its way from the agent that reads the rank's files to the supervisor
// that shows it. Beside the events of a watch, which are JSON, it is bytes: a kind that no JSON
// begins with, the stream, the rank, where in the file the piece begins, and the piece.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace muster::view {

enum class Stream : std::uint8_t { out = 1, err = 2 };  // as the program's descriptor

struct Source {
  std::uint32_t rank = 0;
  Stream stream = Stream::out;

  friend auto operator<=>(const Source&, const Source&) = default;
};

struct Output {
  Source source;
  std::uint64_t offset = 0;
  std::string_view bytes = {};  // none: the file goes as far as the offset

  [[nodiscard]] std::uint64_t end() const { return offset + bytes.size(); }

  friend bool operator==(const Output&, const Output&) = default;
};

inline constexpr std::size_t head_bytes = 14;  // of a piece as text, before its bytes
inline constexpr std::size_t max_piece_bytes = std::size_t{32} << 10;
inline constexpr std::uint64_t max_offset = std::uint64_t{1} << 60;

std::string to_text(const Output& output);

// A message of a watch that is output, and no event.
bool is_output(std::string_view text);

// Its bytes are the text's. Throws Error for anything that to_text() cannot have written.
Output output_from_text(std::string_view text);

}  // namespace muster::view
