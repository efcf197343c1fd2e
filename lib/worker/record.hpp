// What one rank contributes in one phase. A header lets every reader recognise a rank that is in a different
// call, uses a different release of the library or belongs to a different job. The caller's bytes follow.
//
//   offset  size  content
//   0       4     "mstr"
//   4       2     format (1); first, so that any other format can be recognised, whatever follows
//   6       2     version of the library: major * 100 + minor
//   8       4     number of the phase
//   12      4     rank of the giver, in the numbering in use
//   16      4     size of the step
//   20      4     bytes that every rank must give (broadcast), or 2^32 - 1 for any number
//   24      1     length of the tag
//   25      1     length of the address
//   26      2     zero
//   28      4     length of the payload
//   32      .     tag, address (numeric, as text), payload
//
// Little-endian everywhere. decode() trusts no length.
#pragma once

#include "worker/transport.hpp"

#include <cstdint>
#include <functional>
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

// The name of a rank's node. Called only for messages: over PMIx each name costs a request.
using NodeOf = std::function<std::string(int rank)>;

// Throws an Error (mismatch) that says what is wrong and names `rank` and its node.
Record decode(std::span<const std::byte> bytes, int rank, const NodeOf& node_of);

}  // namespace muster::worker
