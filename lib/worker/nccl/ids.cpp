#include "worker/nccl/ids.hpp"

#include "worker/nccl/checks.hpp"
#include "worker/nccl/comm_id_variable.hpp"
#include "worker/nccl/host.hpp"

#include <algorithm>

namespace muster::worker {
namespace {

// Up to this size every record goes to every node, so that all ranks refuse what one of them would.
// Beyond, the ranks of a faulty node say so, and the others wait for them in NCCL.
constexpr int small_step = 64;

std::string error_text(const NcclApi& nccl, NcclResult result) {
  const char* const last = nccl.get_last_error(nullptr);
  std::string text = nccl.get_error_string(result);
  if (last != nullptr && *last != '\0') text += std::string{" ("} + last + ")";
  return text;
}

// An id in NCCL's memory is a thread and a socket of this process.
void make_id(const NcclApi& nccl, RankFacts& facts) {
  NcclUniqueId id{};
  auto result = nccl.get_unique_id(&id);
  // NCCL has read its own files by now; an id that is an address from there is none.
  const bool in_file = forget_comm_id_variable();
  if (in_file) result = nccl.get_unique_id(&id);
  if (result == nccl_success) {
    facts.id = id;
  } else {
    facts.no_id = "ncclGetUniqueId: " + error_text(nccl, result) +
                  (in_file ? "; take NCCL_COMM_ID out of nccl.conf"
                           : "; look at NCCL_SOCKET_IFNAME, or set NCCL_DEBUG=WARN to see more");
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
                    const Environment& environment, const Place& place, OpenedCuda& cuda) {
  RankFacts facts;
  facts.cuda_needed = request.cuda_version;
  facts.generation = request.generation;
  facts.roots = request.roots.count();
  facts.shared_gpu = sharing_wanted(request, libraries, environment);
  facts.host = host_number(environment);
  forget_comm_id_variable();
  if (libraries.nccl != nullptr) {
    facts.nccl_version = libraries.nccl->version;
    if (request.roots.is_first(place.rank)) make_id(*libraries.nccl, facts);
  }
  if (request.look_at_gpus) {
    cuda = libraries.open_cuda();
    facts.gpu = look_at_gpu(cuda, request.device, place.local_rank);
  }
  return facts;
}

std::vector<SeenRank> read_facts(Step& step, const RankFacts& mine, std::span<const int> wanted,
                                 const Deadline& deadline) {
  const Call call{.tag = "nccl", .what = "NCCL ids"};
  const auto& records = step.run(call, encode(mine), wanted, deadline);
  std::vector<SeenRank> seen;
  seen.reserve(records.size());
  for (const auto& record : records) {
    auto node = record.rank == step.place().rank ? step.place().node
                                                 : step.transport().node_of(record.rank);
    if (node.empty()) node = "a node of unknown name";
    auto facts = decode_facts(record.payload, record.rank, node);
    seen.push_back({record.rank, std::move(node), std::move(facts)});
  }
  return seen;
}

const SeenRank& find(std::span<const SeenRank> seen, int rank) {
  return *std::ranges::lower_bound(seen, rank, {}, &SeenRank::rank);
}

std::vector<NcclUniqueId> ids_of(std::span<const SeenRank> seen, const Roots& roots) {
  std::vector<NcclUniqueId> ids;
  ids.reserve(static_cast<std::size_t>(roots.count()));
  for (int root = 0; root < roots.count(); ++root) {
    const auto& first = find(seen, roots.first_rank(root));
    if (!first.facts.id) {
      throw Error{MUSTER_ERR_MISMATCH, first.node + ": rank " + std::to_string(first.rank) +
                                           " gave no NCCL id; use the same libmuster and options "
                                           "on every rank"};
    }
    ids.push_back(*first.facts.id);
  }
  return ids;
}

}  // namespace

// The first rank of each root, for the ids; the ranks of this node, for its GPUs; and the
// predecessor's, so that what all must have alike is compared all around.
std::vector<int> facts_to_read(const IdsRequest& request, const Place& place,
                               std::span<const int> local_ranks) {
  std::vector<int> wanted{local_ranks.begin(), local_ranks.end()};
  wanted.push_back(predecessor(place));
  wanted.push_back(place.rank);
  for (int root = 0; root < request.roots.count(); ++root) {
    wanted.push_back(request.roots.first_rank(root));
  }
  const bool all = request.look_at_gpus && place.size <= small_step;
  for (int rank = 0; all && rank < place.size; ++rank) wanted.push_back(rank);
  std::ranges::sort(wanted);
  wanted.erase(std::ranges::unique(wanted).begin(), wanted.end());
  return wanted;
}

NcclIds gather_ids(Step& step, const Libraries& libraries, const IdsRequest& request,
                   const Environment& environment, const Deadline& deadline) {
  const auto& place = step.place();
  NcclIds result;
  auto mine = own_facts(request, libraries, environment, place, result.cuda);
  const auto wanted = facts_to_read(request, place, step.transport().local_ranks());
  const auto seen = read_facts(step, mine, wanted, deadline);
  if (libraries.no_nccl) throw Error{*libraries.no_nccl};
  if (const auto found = fault(seen, find(seen, place.rank))) throw Error{*found};
  result.ids = ids_of(seen, request.roots);
  result.gpu = std::move(mine.gpu);
  return result;
}

}  // namespace muster::worker
