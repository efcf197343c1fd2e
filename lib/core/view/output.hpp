// A piece of a rank's output, from the agent's read of the rank's file to the supervisor's terminal. On a
// watch it is sent in between the events.
#pragma once

#include "core/logs/names.hpp"
#include "core/record/limits.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace muster::view {

using logs::Stream;

struct Source {
  std::uint32_t rank = 0;
  Stream stream = Stream::out;

  friend auto operator<=>(const Source&, const Source&) = default;
};

struct OutputPiece {
  Source source;
  std::uint64_t offset = 0;
  std::string bytes = {};  // empty: only reports that the file reaches up to `offset`
  std::string node = {};   // the rank's node; known to the supervisor, so it is not sent

  [[nodiscard]] std::uint64_t end() const { return offset + bytes.size(); }

  friend bool operator==(const OutputPiece&, const OutputPiece&) = default;
};

inline constexpr std::size_t max_piece_bytes = std::size_t{32} << 10;
inline constexpr std::uint64_t max_offset = std::uint64_t{1} << 60;

template <class Io>
void fields(Io& io, OutputPiece& piece) {
  io(piece.source.rank)(piece.source.stream, record::Range{Stream::out, Stream::err});
  io(piece.offset, record::Range<std::uint64_t>{0, max_offset});
  io(piece.bytes, record::Max{max_piece_bytes});
}

std::string to_text(const OutputPiece& piece);

// Whether a message of a watch is output rather than an event.
bool is_output(std::string_view text);

// Throws Error for anything that to_text() cannot have written.
OutputPiece output_from_text(std::string_view text);

}  // namespace muster::view
