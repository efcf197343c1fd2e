// A piece of a rank's output on a watch, and what a terminal gets from it. An input is one message; an
// accepted one comes back the same, is bounded, and is harmless to a terminal that also shows other ranks.
#include "core/view/composer.hpp"
#include "core/view/flow.hpp"
#include "core/view/output.hpp"
#include "target.hpp"

#include <algorithm>

namespace {

using namespace muster;
using namespace muster::view;

constexpr Composer::Time now{};

bool is_control(char byte) {
  const auto code = static_cast<unsigned char>(byte);
  return (code < 0x20 && byte != '\t' && byte != '\n' && byte != '\x1b') || code == 0x7F;
}

// Colours are the only sequences that remain.
void expect_harmless(std::string_view shown) {
  fuzz::expect(std::ranges::none_of(shown, is_control), "a control character is shown");
  for (auto escape = shown.find('\x1b'); escape != std::string_view::npos;
       escape = shown.find('\x1b', escape + 1)) {
    const auto end = shown.find_first_not_of("0123456789;:", escape + 2);
    const bool colour = shown.substr(escape + 1).starts_with('[') &&
                        end != std::string_view::npos && shown[end] == 'm';
    fuzz::expect(colour, "an escape is shown that is no colour");
  }
}

void show(const OutputPiece& output) {
  Composer raw({.raw = true}, 1, {});
  raw.add(output.source, output.bytes, now);
  const auto same = raw.take(now);
  fuzz::expect(output.bytes.empty() || same.at(0).bytes == output.bytes, "raw bytes change");

  Composer composer({.prefix = Prefix::rank}, 2, {});
  composer.add(output.source, output.bytes, now);
  for (const auto& piece : composer.take(now)) expect_harmless(piece.bytes);
  for (const auto& piece : composer.finish(true)) expect_harmless(piece.bytes);
  for (const auto& line : last_lines(output.bytes, false)) expect_harmless(line);
}

void read_input(std::string_view input) {
  const auto output = output_from_text(input);
  fuzz::expect(output_from_text(to_text(output)) == output, "output changes");
  fuzz::expect(output.bytes.size() <= max_piece_bytes, "a piece is too long");
  Receiving receiving;
  auto piece = output;
  if (receiving.take(piece)) fuzz::expect(piece == output, "the first piece changes");
  fuzz::expect(receiving.next() == output.end(), "bytes are counted wrongly");
  fuzz::expect(!receiving.take(piece), "bytes count twice");
  show(output);
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  std::vector<std::string> seeds;
  for (const std::string bytes :
       {"", "line\n", "\r 10%\r 20%", "\x1b[31mred\x1b[0m\x1b[2J\n", "\xC2\x9B", "a\nb\r\n\tc"}) {
    seeds.push_back(to_text({.source = {1, Stream::out}, .offset = 7, .bytes = bytes}));
  }
  seeds.push_back(
      to_text({.source = {2, Stream::err}, .offset = 0, .bytes = std::string(9000, 'x')}));
  return seeds;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::one_input(data, size, {.base = 4U << 20, .per_byte = 2048}, read_input);
}
