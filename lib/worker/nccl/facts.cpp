#include "worker/nccl/facts.hpp"

#include "worker/error.hpp"
#include "worker/nccl/fields.hpp"

#include <algorithm>
#include <cstring>

namespace muster::worker::nccl {
namespace {

constexpr std::size_t fixed = 72;
constexpr std::size_t bus_id_bytes = 16;
constexpr std::byte format{2};
constexpr unsigned shared = 1;
constexpr unsigned id_failed = 2;
constexpr unsigned host_chosen = 4;

[[noreturn]] void broken(int rank, const NodeOf& node_of, const char* what) {
  throw Error{MUSTER_ERR_MISMATCH, node_of(rank) + ": rank " + std::to_string(rank) +
                                       " sent no valid NCCL facts (" + what +
                                       "); use the same libmuster on every node"};
}

void read_gpu(cuda::Gpu& gpu, std::span<const std::byte> bytes) {
  gpu.state = static_cast<cuda::Gpu::State>(bytes[1]);
  gpu.driver_version = get<std::int32_t>(bytes, 8);
  gpu.device = get<std::int32_t>(bytes, 24);
  gpu.count = get<std::uint16_t>(bytes, 28);
  std::memcpy(gpu.uuid.data(), bytes.data() + 40, gpu.uuid.size());
  gpu.bus_id = printable(bytes.subspan(56, bus_id_bytes));
}

std::uint16_t in_16_bits(int value) {
  return static_cast<std::uint16_t>(std::clamp(value, 0, UINT16_MAX));
}

}  // namespace

Bytes encode(const RankFacts& facts) {
  Bytes bytes(fixed);
  const auto& gpu = facts.gpu;
  const bool failed = !facts.no_id.empty();
  const auto& note = failed ? facts.no_id : gpu.why;
  const auto length = std::min(note.size(), max_note);
  bytes[0] = format;
  bytes[1] = static_cast<std::byte>(gpu.state);
  bytes[2] = static_cast<std::byte>((facts.shared_gpu ? shared : 0) | (failed ? id_failed : 0) |
                                    (facts.host_chosen ? host_chosen : 0));
  bytes[3] = static_cast<std::byte>(length);
  put(bytes, 4, facts.nccl_version);
  put(bytes, 8, gpu.driver_version);
  put(bytes, 12, facts.cuda_needed);
  put(bytes, 16, facts.generation);
  put(bytes, 20, facts.roots);
  put(bytes, 24, gpu.device);
  put(bytes, 28, in_16_bits(gpu.count));
  put(bytes, 30, in_16_bits(facts.node_ranks));
  put(bytes, 32, facts.host_hash);
  std::memcpy(bytes.data() + 40, gpu.uuid.data(), gpu.uuid.size());
  std::memcpy(bytes.data() + 56, gpu.bus_id.data(), std::min(gpu.bus_id.size(), bus_id_bytes));
  append(bytes, note.data(), length);
  if (facts.id) append(bytes, facts.id->internal.data(), facts.id->internal.size());
  return bytes;
}

RankFacts decode_facts(std::span<const std::byte> bytes, int rank, const NodeOf& node_of) {
  if (bytes.size() < fixed) broken(rank, node_of, "too short");
  if (bytes[0] != format) broken(rank, node_of, "another format");
  if (bytes[1] > static_cast<std::byte>(cuda::Gpu::State::failed))
    broken(rank, node_of, "unknown state");
  const auto length = std::to_integer<std::size_t>(bytes[3]);
  const bool with_id = bytes.size() == fixed + length + sizeof(NcclUniqueId);
  if (!with_id && bytes.size() != fixed + length) broken(rank, node_of, "wrong length");
  RankFacts facts;
  facts.nccl_version = get<std::int32_t>(bytes, 4);
  facts.cuda_needed = get<std::int32_t>(bytes, 12);
  facts.generation = get<std::uint32_t>(bytes, 16);
  facts.roots = get<std::int32_t>(bytes, 20);
  const auto flags = std::to_integer<unsigned>(bytes[2]);
  facts.shared_gpu = (flags & shared) != 0;
  facts.host_chosen = (flags & host_chosen) != 0;
  facts.node_ranks = get<std::uint16_t>(bytes, 30);
  facts.host_hash = get<std::uint64_t>(bytes, 32);
  read_gpu(facts.gpu, bytes);
  ((flags & id_failed) != 0 ? facts.no_id : facts.gpu.why) =
      printable(bytes.subspan(fixed, length));
  if (with_id) {
    std::memcpy(facts.id.emplace().internal.data(), bytes.data() + fixed + length,
                sizeof(NcclUniqueId));
  }
  return facts;
}

}  // namespace muster::worker::nccl
