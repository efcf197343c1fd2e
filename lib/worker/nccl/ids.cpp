#include "worker/nccl/ids.hpp"

#include "worker/nccl/checks.hpp"
#include "worker/nccl/host_hash.hpp"
#include "worker/nccl/verdict.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace muster::worker::nccl {
namespace {

// Up to this size, every rank reads the facts of all ranks, which takes milliseconds and saves a phase.
constexpr int max_one_phase = 256;

std::string error_text(const NcclApi& nccl, NcclResult result) {
  const char* const last = nccl.get_last_error(nullptr);
  std::string text = nccl.get_error_string(result);
  if (last != nullptr && *last != '\0') text += std::string{" ("} + last + ")";
  return text;
}

// NCCL_COMM_ID, the address by which NCCL used to find rank 0 without sending ids. It breaks the exchange
// here: ncclGetUniqueId() then returns this address and opens nothing, and with several roots only rank 0
// goes back to one. So it is removed permanently from the environment of a process that asks for ids here,
// because a caller may use them to create a communicator much later.
//
// Returns true if it was set. NCCL reads its files (/etc/nccl.conf) into the environment at its first call,
// so call this before and after that.
bool forget_comm_id_variable() {
  constexpr const char* name = "NCCL_COMM_ID";
  if (std::getenv(name) == nullptr) return false;  // NOLINT(concurrency-mt-unsafe)
  ::unsetenv(name);                                // NOLINT(concurrency-mt-unsafe)
  return true;
}

// For each id, NCCL keeps a thread and a socket in this process.
void make_id(const NcclApi& nccl, RankFacts& facts) {
  NcclUniqueId id{};
  auto result = nccl.get_unique_id(&id);
  // NCCL has read its own files by now; from here on an id that is an address is invalid.
  const bool in_file = forget_comm_id_variable();
  if (in_file) result = nccl.get_unique_id(&id);
  if (result == nccl_success) {
    facts.id = id;
  } else {
    facts.no_id = "ncclGetUniqueId: " + error_text(nccl, result) +
                  (in_file ? "; remove NCCL_COMM_ID from nccl.conf"
                           : "; check NCCL_SOCKET_IFNAME, or set NCCL_DEBUG=WARN to see more");
  }
}

bool sharing_wanted(const IdsRequest& request, const Libraries& libraries,
                    const Environment& environment) {
  if (request.shared_gpu) return true;
  const auto allowed = environment.get("NCCL_MULTI_RANK_GPU_ENABLE");
  return libraries.nccl != nullptr && libraries.nccl->version >= nccl_version(30) &&
         !allowed.empty() && allowed != "0";
}

RankFacts own_facts(const IdsRequest& request, const Libraries& libraries,
                    const Environment& environment, const RankInfo& place, cuda::OpenedCuda& cuda) {
  RankFacts facts;
  facts.cuda_needed = request.cuda_version;
  facts.generation = request.generation;
  facts.roots = request.roots.count();
  facts.shared_gpu = sharing_wanted(request, libraries, environment);
  forget_comm_id_variable();
  if (libraries.nccl != nullptr) {
    facts.nccl_version = libraries.nccl->version;
    if (request.roots.is_first(place.rank)) make_id(*libraries.nccl, facts);
  }
  if (request.look_at_gpus) {
    facts.host_hash = host_hash(environment);
    facts.host_chosen = !environment.get("NCCL_HOSTID").empty();
    facts.node_ranks = std::max(place.local_size, 0);
    cuda = libraries.open_cuda();
    facts.gpu = look_at_gpu(cuda, request.device, place.local_rank);
  }
  return facts;
}

NodeOf nodes_of(const Step& step) {
  return [&step](int rank) {
    if (rank == step.rank_info().rank) return step.rank_info().node;
    auto node = step.transport().node_of(rank);
    return node.empty() ? std::string{"an unknown node"} : node;
  };
}

std::vector<SeenRank> decode_all(std::span<const Record> records, const NodeOf& node_of) {
  std::vector<SeenRank> seen;
  seen.reserve(records.size());
  for (const auto& record : records) {
    seen.push_back({record.rank, decode_facts(record.payload, record.rank, node_of)});
  }
  return seen;
}

template <class OfRank>
const OfRank* find(const std::vector<OfRank>& all, int rank) {
  const auto found = std::ranges::lower_bound(all, rank, {}, &OfRank::rank);
  return found != all.end() && found->rank == rank ? &*found : nullptr;
}

std::vector<int> ascending(std::vector<int> ranks) {
  std::ranges::sort(ranks);
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

std::vector<int> first_ranks(const Roots& roots) {
  std::vector<int> ranks;
  for (int root = 0; root < roots.count(); ++root) ranks.push_back(roots.first_rank(root));
  return ranks;
}

NcclUniqueId id_of(int rank, const RankFacts& facts, const NodeOf& node_of) {
  if (facts.id) return *facts.id;
  throw Error{MUSTER_ERR_MISMATCH, node_of(rank) + ": rank " + std::to_string(rank) +
                                       " sent no NCCL id; use the same libmuster and options on "
                                       "every rank"};
}

// A rank without NCCL reports its own error, which the others have received.
void check_fault(const Libraries& libraries, const std::optional<Error>& fault) {
  if (libraries.no_nccl) throw Error{*libraries.no_nccl};
  if (fault) throw Error{*fault};
}

std::vector<NcclUniqueId> gather_in_one_phase(Step& step, const Libraries& libraries,
                                              const IdsRequest& request, const RankFacts& mine,
                                              const Deadline& deadline) {
  const Call call{.tag = "nccl", .what = "NCCL ids", .kind = Times::Kind::all};
  const auto& place = step.rank_info();
  const auto& records = step.run(call, encode(mine), facts_to_read(request, place), deadline);
  const auto node_of = nodes_of(step);
  const auto seen = decode_all(records, node_of);
  check_fault(libraries, fault(seen, *find(seen, place.rank), node_of));
  std::vector<NcclUniqueId> ids;
  for (const int rank : first_ranks(request.roots)) {
    ids.push_back(id_of(rank, find(seen, rank)->facts, node_of));
  }
  return ids;
}

// Facts that cannot be understood must be reported to every rank as well.
Verdict judge(std::span<const Record> share, const SeenRank& mine, const NodeOf& node_of) {
  try {
    return judge(decode_all(share, node_of), mine, node_of);
  } catch (const Error& error) {
    return {.fault = error, .own = mine.facts, .gpus = {}};
  }
}

// What this rank contributes in the second phase: its verdict if it is a checker, or at least the id if it
// has made one.
Bytes facts_phase(Step& step, const IdsRequest& request, const SeenRank& mine,
                  const Deadline& deadline) {
  const Call call{.tag = "nccl-facts", .what = "NCCL's checks", .kind = Times::Kind::all};
  auto facts = mine.facts;
  facts.id.reset();
  const auto share = share_to_read(step.rank_info());
  const auto& records = step.run(call, encode(facts), share, deadline);
  if (!share.empty()) return encode(judge(records, mine, nodes_of(step)));
  if (!request.roots.is_first(mine.rank)) return {};
  return encode(Verdict{.fault = {}, .own = mine.facts, .gpus = {}});
}

std::vector<NcclUniqueId> gather_in_two_phases(Step& step, const Libraries& libraries,
                                               const IdsRequest& request, const RankFacts& facts,
                                               const Deadline& deadline) {
  const auto& place = step.rank_info();
  const SeenRank mine{place.rank, facts};
  const auto given = facts_phase(step, request, mine, deadline);
  const Call call{.tag = "nccl", .what = "NCCL ids", .kind = Times::Kind::all};
  const auto& records = step.run(call, given, verdicts_to_read(request, place), deadline);
  const auto node_of = nodes_of(step);
  std::vector<GivenVerdict> verdicts;
  verdicts.reserve(records.size());
  for (const auto& record : records) {
    // A rank that is not a root according to its own options contributes nothing; its checker has noticed
    // that.
    if (record.payload.empty()) continue;
    verdicts.push_back({record.rank, decode_verdict(record.payload, record.rank, node_of)});
  }
  check_fault(libraries, fault(verdicts, mine, node_of));
  std::vector<NcclUniqueId> ids;
  for (const int rank : first_ranks(request.roots)) {
    const auto* const maker = find(verdicts, rank);
    ids.push_back(id_of(rank, maker == nullptr ? RankFacts{} : maker->verdict.own, node_of));
  }
  return ids;
}

}  // namespace

// Reads the first rank of each root, for the ids; the predecessor, so that values that must be equal on all
// ranks are compared around a ring; and all ranks if GPUs matter.
std::vector<int> facts_to_read(const IdsRequest& request, const RankInfo& place) {
  auto wanted = first_ranks(request.roots);
  wanted.push_back(place.rank);
  wanted.push_back(predecessor(place));
  if (request.look_at_gpus) {
    for (int rank = 0; rank < place.size; ++rank) wanted.push_back(rank);
  }
  return ascending(std::move(wanted));
}

bool has_verdicts(const IdsRequest& request, const RankInfo& place) {
  return request.look_at_gpus && place.size > max_one_phase;
}

std::vector<int> share_to_read(const RankInfo& place) {
  const auto shares = shares_of(place.size);
  if (!shares.is_first(place.rank)) return {};
  std::vector<int> ranks(static_cast<std::size_t>(shares.ranks(shares.root_of(place.rank))));
  std::iota(ranks.begin(), ranks.end(), place.rank);
  return ranks;
}

std::vector<int> verdicts_to_read(const IdsRequest& request, const RankInfo& place) {
  auto wanted = first_ranks(shares_of(place.size));
  const auto makers = first_ranks(request.roots);
  wanted.insert(wanted.end(), makers.begin(), makers.end());
  return ascending(std::move(wanted));
}

NcclIds gather_ids(Step& step, const Libraries& libraries, const IdsRequest& request,
                   const Environment& environment, const Deadline& deadline) {
  const auto& place = step.rank_info();
  NcclIds result;
  auto mine = step.times().phase(Times::Kind::own, "GPU and NCCL id", [&] {
    return own_facts(request, libraries, environment, place, result.cuda);
  });
  const auto gather = has_verdicts(request, place) ? gather_in_two_phases : gather_in_one_phase;
  result.ids = gather(step, libraries, request, mine, deadline);
  result.gpu = std::move(mine.gpu);
  return result;
}

}  // namespace muster::worker::nccl
