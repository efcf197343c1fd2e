#include "core/view/output.hpp"

#include "core/error.hpp"

namespace muster::view {
namespace {

constexpr char kind = '\x01';
constexpr std::size_t rank_place = 2;
constexpr std::size_t offset_place = rank_place + sizeof(std::uint32_t);
static_assert(offset_place + sizeof(std::uint64_t) == head_bytes);

void append(std::string& text, std::uint64_t number, std::size_t bytes) {
  while (bytes-- > 0) text += static_cast<char>((number >> (8 * bytes)) & 0xFF);
}

std::uint64_t number(std::string_view digits) {
  std::uint64_t value = 0;
  for (const char digit : digits) value = value << 8 | static_cast<std::uint8_t>(digit);
  return value;
}

Stream stream_of(char code) {
  if (code == static_cast<char>(Stream::out)) return Stream::out;
  if (code == static_cast<char>(Stream::err)) return Stream::err;
  throw Error("a rank's output is of no stream");
}

}  // namespace

std::string to_text(const OutputPiece& piece) {
  std::string text;
  text.reserve(head_bytes + piece.bytes.size());
  text += kind;
  text += static_cast<char>(piece.source.stream);
  append(text, piece.source.rank, sizeof(std::uint32_t));
  append(text, piece.offset, sizeof(std::uint64_t));
  return text += piece.bytes;
}

bool is_output(std::string_view text) {
  return text.starts_with(kind);
}

OutputPiece output_from_text(std::string_view text) {
  if (!is_output(text) || text.size() < head_bytes) throw Error("a rank's output lacks its head");
  if (text.size() > head_bytes + max_piece_bytes) throw Error("a piece of output is too long");
  const auto rank = number(text.substr(rank_place, sizeof(std::uint32_t)));
  OutputPiece piece{.source = {static_cast<std::uint32_t>(rank), stream_of(text[1])},
                    .offset = number(text.substr(offset_place, sizeof(std::uint64_t))),
                    .bytes = std::string(text.substr(head_bytes))};
  if (piece.offset > max_offset) throw Error("a rank's output is longer than any file");
  return piece;
}

}  // namespace muster::view
