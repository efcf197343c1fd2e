#include "worker/nccl/verdict.hpp"

#include "worker/nccl/fields.hpp"

#include <algorithm>
#include <cstring>
#include <map>

namespace muster::worker::nccl {
namespace {

constexpr std::byte format{1};
constexpr std::size_t header_bytes = 12;
constexpr std::size_t bus_id_bytes = 16;
constexpr std::size_t listed_bytes = 46;

[[noreturn]] void broken(int rank, const NodeOf& node_of, const char* what) {
  throw Error{MUSTER_ERR_MISMATCH, node_of(rank) + ": rank " + std::to_string(rank) +
                                       " sent no valid verdict on the NCCL facts (" + what +
                                       "); use the same libmuster and options on every rank"};
}

// In most steps, a host's ranks are consecutive, so most hosts lie within one share.
bool within_share(const RankFacts& facts, int seen_of_host) {
  return !facts.host_chosen && facts.node_ranks == seen_of_host;
}

std::vector<ListedGpu> to_list(std::span<const SeenRank> share, const NodeOf& node_of) {
  std::map<std::uint64_t, int> ranks_of_host;
  for (const auto& one : share) ++ranks_of_host[one.facts.host_hash];
  std::vector<ListedGpu> gpus;
  for (const auto& one : share) {
    const auto& facts = one.facts;
    if (facts.gpu.state != cuda::Gpu::State::found) continue;
    if (!within_share(facts, ranks_of_host[facts.host_hash])) {
      gpus.push_back({one, node_of(one.rank)});
    }
  }
  return gpus;
}

void append_listed(Bytes& bytes, const ListedGpu& listed) {
  const auto& facts = listed.seen.facts;
  const auto length = std::min(listed.node.size(), max_node_name);
  Bytes fixed(listed_bytes);
  put(fixed, 0, listed.seen.rank);
  put(fixed, 4, facts.host_hash);
  fixed[12] = static_cast<std::byte>(facts.shared_gpu ? 1 : 0);
  fixed[13] = static_cast<std::byte>(length);
  const auto& bus_id = facts.gpu.bus_id;
  std::memcpy(fixed.data() + 14, bus_id.data(), std::min(bus_id.size(), bus_id_bytes));
  std::memcpy(fixed.data() + 30, facts.gpu.uuid.data(), facts.gpu.uuid.size());
  append(bytes, fixed.data(), fixed.size());
  append(bytes, listed.node.data(), length);
}

// Takes one from the start of `bytes`; no value if the bytes are malformed.
std::optional<ListedGpu> take_listed(std::span<const std::byte>& bytes) {
  if (bytes.size() < listed_bytes) return std::nullopt;
  const auto length = std::to_integer<std::size_t>(bytes[13]);
  if (bytes.size() < listed_bytes + length) return std::nullopt;
  ListedGpu listed;
  listed.seen.rank = get<std::int32_t>(bytes, 0);
  auto& facts = listed.seen.facts;
  facts.host_hash = get<std::uint64_t>(bytes, 4);
  facts.shared_gpu = bytes[12] != std::byte{0};
  facts.gpu.state = cuda::Gpu::State::found;
  facts.gpu.bus_id = printable(bytes.subspan(14, bus_id_bytes));
  std::memcpy(facts.gpu.uuid.data(), bytes.data() + 30, facts.gpu.uuid.size());
  listed.node = printable(bytes.subspan(listed_bytes, length));
  bytes = bytes.subspan(listed_bytes + length);
  return listed;
}

// Finds two ranks of different shares that use the same GPU.
std::optional<Error> fault_between_shares(std::span<const GivenVerdict> verdicts) {
  std::vector<SeenRank> seen;
  std::map<int, std::string> nodes;
  for (const auto& given : verdicts) {
    for (const auto& listed : given.verdict.gpus) {
      seen.push_back(listed.seen);
      nodes[listed.seen.rank] = listed.node;
    }
  }
  return fault_of_shared_gpus(seen, [&](int rank) { return nodes.at(rank); });
}

}  // namespace

Roots shares_of(int size) {
  return Roots::for_each(size, max_share);
}

Verdict judge(std::span<const SeenRank> share, const SeenRank& mine, const NodeOf& node_of) {
  Verdict verdict;
  verdict.own = mine.facts;
  verdict.fault = fault(share, mine, node_of, Seeing::part);
  if (!verdict.fault) verdict.gpus = to_list(share, node_of);
  return verdict;
}

std::optional<Error> fault(std::span<const GivenVerdict> verdicts, const SeenRank& mine,
                           const NodeOf& node_of) {
  std::vector<SeenRank> givers;
  for (const auto& given : verdicts) {
    if (given.verdict.fault) return given.verdict.fault;
    givers.push_back({given.rank, given.verdict.own});
  }
  if (auto found = fault(givers, mine, node_of, Seeing::part)) return found;
  return fault_between_shares(verdicts);
}

Bytes encode(const Verdict& verdict) {
  const std::string line = verdict.fault ? verdict.fault->what() : "";
  const auto length = std::min(line.size(), max_fault_line);
  const auto own = encode(verdict.own);
  Bytes bytes(header_bytes);
  bytes[0] = format;
  bytes[1] = static_cast<std::byte>(verdict.fault ? verdict.fault->status() : MUSTER_OK);
  put(bytes, 2, static_cast<std::uint16_t>(length));
  put(bytes, 4, static_cast<std::uint16_t>(own.size()));
  put(bytes, 6, static_cast<std::uint16_t>(verdict.gpus.size()));
  append(bytes, line.data(), length);
  append(bytes, own.data(), own.size());
  for (const auto& listed : verdict.gpus) append_listed(bytes, listed);
  return bytes;
}

Verdict decode_verdict(std::span<const std::byte> bytes, int rank, const NodeOf& node_of) {
  if (bytes.size() < header_bytes) broken(rank, node_of, "too short");
  if (bytes[0] != format) broken(rank, node_of, "another format");
  const auto status = std::to_integer<int>(bytes[1]);
  const std::size_t line_bytes = get<std::uint16_t>(bytes, 2);
  const std::size_t own_bytes = get<std::uint16_t>(bytes, 4);
  const int count = get<std::uint16_t>(bytes, 6);
  if (status > MUSTER_ERR_INTERNAL) broken(rank, node_of, "unknown status");
  if (line_bytes > max_fault_line || bytes.size() < header_bytes + line_bytes + own_bytes) {
    broken(rank, node_of, "wrong length");
  }
  Verdict verdict;
  if (status != MUSTER_OK) {
    verdict.fault.emplace(static_cast<muster_status>(status),
                          printable(bytes.subspan(header_bytes, line_bytes)));
  }
  bytes = bytes.subspan(header_bytes + line_bytes);
  verdict.own = decode_facts(bytes.first(own_bytes), rank, node_of);
  bytes = bytes.subspan(own_bytes);
  for (int i = 0; i < count; ++i) {
    auto listed = take_listed(bytes);
    if (!listed) broken(rank, node_of, "wrong length");
    verdict.gpus.push_back(std::move(*listed));
  }
  if (!bytes.empty()) broken(rank, node_of, "wrong length");
  return verdict;
}

}  // namespace muster::worker::nccl
