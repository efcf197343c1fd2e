#include "worker/record.hpp"

#include "worker/error.hpp"

#include <array>

namespace muster::worker {
namespace {

constexpr std::array<char, 4> magic{'m', 's', 't', 'r'};
constexpr std::size_t header_size = 32;

void put(Bytes& out, std::uint64_t value, int width) {
  for (int i = 0; i < width; ++i) out.push_back(static_cast<std::byte>(value >> (8 * i)));
}

void put(Bytes& out, std::string_view text) {
  const auto bytes = std::as_bytes(std::span{text});
  out.insert(out.end(), bytes.begin(), bytes.end());
}

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}

  std::uint32_t number(std::size_t width) {
    std::uint32_t value = 0;
    const auto part = take(width);
    for (std::size_t i = 0; i < part.size(); ++i) {
      value |= std::to_integer<std::uint32_t>(part[i]) << (8 * i);
    }
    return value;
  }
  std::string text(std::size_t length) {
    const auto part = take(length);
    return {reinterpret_cast<const char*>(part.data()), part.size()};
  }
  std::span<const std::byte> take(std::size_t length) {
    if (length > rest_.size()) {
      short_ = true;
      return {};
    }
    const auto part = rest_.first(length);
    rest_ = rest_.subspan(length);
    return part;
  }
  bool ended_well() const { return !short_ && rest_.empty(); }

 private:
  std::span<const std::byte> rest_;
  bool short_ = false;
};

[[noreturn]] void refuse(int rank, const NodeOf& node_of, const std::string& why) {
  const auto node = node_of(rank);
  throw Error{MUSTER_ERR_MISMATCH,
              "rank " + std::to_string(rank) + (node.empty() ? "" : " (" + node + ")") + " " + why};
}

}  // namespace

Bytes encode(const Record& record) {
  Bytes out;
  out.reserve(header_size + record.tag.size() + record.address.size() + record.payload.size());
  put(out, std::string_view{magic.data(), magic.size()});
  put(out, record_format, 2);
  put(out, record.version, 2);
  put(out, record.phase, 4);
  put(out, static_cast<std::uint32_t>(record.rank), 4);
  put(out, static_cast<std::uint32_t>(record.size), 4);
  put(out, record.expected, 4);
  put(out, record.tag.size(), 1);
  put(out, record.address.size(), 1);
  put(out, 0, 2);
  put(out, record.payload.size(), 4);
  put(out, record.tag);
  put(out, record.address);
  out.insert(out.end(), record.payload.begin(), record.payload.end());
  return out;
}

Record decode(std::span<const std::byte> bytes, int rank, const NodeOf& node_of) {
  Reader reader{bytes};
  if (reader.text(magic.size()) != std::string_view{magic.data(), magic.size()}) {
    refuse(rank, node_of, "sent a record that is not muster's; is it another program?");
  }
  const auto format = reader.number(2);
  if (format != record_format) {
    refuse(rank, node_of,
           "has a muster library with another record format (" + std::to_string(format) +
               ", here " + std::to_string(record_format) +
               "); use the same muster release on every rank");
  }
  Record record;
  record.version = static_cast<std::uint16_t>(reader.number(2));
  record.phase = reader.number(4);
  record.rank = static_cast<int>(reader.number(4));
  record.size = static_cast<int>(reader.number(4));
  record.expected = reader.number(4);
  const auto tag_length = reader.number(1);
  const auto address_length = reader.number(1);
  reader.take(2);
  const auto payload_length = reader.number(4);
  record.tag = reader.text(tag_length);
  record.address = reader.text(address_length);
  const auto payload = reader.take(payload_length);
  record.payload.assign(payload.begin(), payload.end());
  if (!reader.ended_well()) refuse(rank, node_of, "sent a record that is truncated or too long");
  return record;
}

}  // namespace muster::worker
