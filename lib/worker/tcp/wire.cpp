#include "worker/tcp/wire.hpp"

#include <string_view>

namespace muster::worker::tcp {
namespace {

constexpr std::string_view magic = "mstr";

std::uint16_t parse_format(Parser& parser) {
  if (parser.text(magic.size()) != magic) throw Garbled("something that is not muster's protocol");
  return parser.u16();
}

template <class Array>
Array parse_array(Parser& parser) {
  Array array;
  const auto bytes = parser.raw(array.size());
  std::copy(bytes.begin(), bytes.end(), array.begin());
  return array;
}

std::size_t parse_rest(Parser& parser) {
  const std::size_t rest = parser.u16();
  if (rest > max_introduction_bytes) throw Garbled("an introduction that is too long");
  return rest;
}

}  // namespace

Bytes greeting(const Nonce& nonce) {
  return Writer().text(magic).u16(wire_format).u16(0).raw(nonce).take();
}

Greeting parse_greeting(View bytes) {
  Parser parser{bytes};
  const auto format = parse_format(parser);
  parser.u16();
  return {format, parse_array<Nonce>(parser)};
}

Bytes to_bytes(const Introduction& introduction) {
  return Writer()
      .u32(introduction.rank)
      .u32(introduction.size)
      .name(introduction.job)
      .name(introduction.node)
      .take();
}

Introduction parse_introduction(View bytes) {
  Parser parser{bytes};
  Introduction introduction;
  introduction.rank = parser.u32();
  introduction.size = parser.u32();
  introduction.job = one_line(parser.name());
  introduction.node = one_line(parser.name());
  if (parser.left() != 0) throw Garbled("an introduction that is too long");
  return introduction;
}

Bytes reply(const Nonce& nonce, const Proof& proof, View introduction) {
  return Writer()
      .text(magic)
      .u16(wire_format)
      .u16(static_cast<std::uint16_t>(introduction.size()))
      .raw(nonce)
      .raw(proof)
      .raw(introduction)
      .take();
}

ReplyHead parse_reply_head(View bytes) {
  Parser parser{bytes};
  ReplyHead head;
  head.format = parse_format(parser);
  head.rest = parse_rest(parser);
  head.nonce = parse_array<Nonce>(parser);
  head.proof = parse_array<Proof>(parser);
  return head;
}

Bytes hello(const Proof& proof, View introduction) {
  return Writer()
      .u16(static_cast<std::uint16_t>(introduction.size()))
      .raw(proof)
      .raw(introduction)
      .take();
}

HelloHead parse_hello_head(View bytes) {
  Parser parser{bytes};
  const auto rest = parse_rest(parser);
  return {rest, parse_array<Proof>(parser)};
}

Bytes to_bytes(const Head& head) {
  return Writer()
      .u8(static_cast<std::uint8_t>(head.kind))
      .u8(0)
      .u16(0)
      .u32(head.phase)
      .u32(head.count)
      .u32(head.more)
      .take();
}

Head parse_head(View bytes) {
  Parser parser{bytes};
  const auto kind = parser.u8();
  if (kind < static_cast<std::uint8_t>(Kind::give) ||
      kind > static_cast<std::uint8_t>(Kind::failure) || parser.u8() != 0 || parser.u16() != 0) {
    throw Garbled("a frame of an unknown kind");
  }
  Head head{.kind = static_cast<Kind>(kind)};
  head.phase = parser.u32();
  head.count = parser.u32();
  head.more = parser.u32();
  return head;
}

std::size_t max_runs(std::uint32_t size) {
  return (std::size_t{size} + 1) / 2;
}

Bytes give(std::uint32_t phase, std::uint32_t left_ms, const Runs& wanted, View record) {
  Writer writer;
  writer
      .raw(to_bytes({.kind = Kind::give,
                     .phase = phase,
                     .count = static_cast<std::uint32_t>(record.size()),
                     .more = static_cast<std::uint32_t>(wanted.size())}))
      .u32(left_ms);
  for (const auto& run : wanted) writer.u32(run.first).u32(run.count);
  return writer.raw(record).take();
}

GiveRest parse_give_rest(View bytes, std::uint32_t size) {
  Parser parser{bytes};
  GiveRest rest;
  rest.left_ms = parser.u32();
  std::uint64_t end = 0;  // the end of the previous run
  while (parser.left() > 0) {
    const Run run{parser.u32(), parser.u32()};
    const bool apart = rest.wanted.empty() || run.first > end;
    end = std::uint64_t{run.first} + run.count;
    if (run.count == 0 || !apart || end > size) throw Garbled("ranks that do not exist");
    rest.wanted.push_back(run);
  }
  return rest;
}

Bytes entry_head(std::size_t record_bytes, std::string_view node) {
  return Writer().u32(static_cast<std::uint32_t>(record_bytes)).name(node).take();
}

Bytes with_text(Kind kind, std::uint32_t phase, std::uint32_t more, std::string text) {
  if (text.size() > max_text_bytes) text.resize(max_text_bytes);
  text = one_line(std::move(text));
  const Head head{
      .kind = kind, .phase = phase, .count = static_cast<std::uint32_t>(text.size()), .more = more};
  return Writer().raw(to_bytes(head)).text(text).take();
}

}  // namespace muster::worker::tcp
