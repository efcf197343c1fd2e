// What one rank gives in one phase: a header by which every reader can tell a rank that is not in
// the same call, of the same library and of the same job, and then the caller's bytes.
//
//   offset size
//   0      4    "mstr"
//   4      2    format (1)          first, so that other versions can be told apart whatever
//   follows 6      2    library version, major * 100 + minor 8      4    phase number 12     4 rank
//   of the giver, in the numbering in use 16     4    size of the step 20     4    expected: bytes
//   that every rank must give (broadcast), or 2^32 - 1 for any 24     1    length of the tag, 1
//   length of the address, 2 zero 28     4    length of the payload 32     .    tag, address
//   (numeric text), payload
//
// Little-endian everywhere. decode() trusts no length.
#pragma once

#include "worker/transport.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace muster::worker {

inline constexpr std::uint16_t record_format = 1;
inline constexpr std::uint32_t any_size = UINT32_MAX;

struct Record {
  std::uint16_t version = 0;
  std::uint32_t phase = 0;
  int rank = 0;
  int size = 1;
  std::uint32_t expected = any_size;
  std::string tag;
  std::string address;
  Bytes payload;
};

Bytes encode(const Record& record);

// Throws Error (mismatch) that says what is wrong; `rank` and `node` are for its text.
Record decode(std::span<const std::byte> bytes, int rank, const std::string& node);

}  // namespace muster::worker
