#include "worker/nccl/ids.hpp"

#include "worker/nccl/checks.hpp"
#include "worker/nccl/comm_id_variable.hpp"
#include "worker/nccl/host_hash.hpp"

#include <algorithm>

namespace muster::worker {
namespace {

// Up to this size every rank reads all facts, which is milliseconds, so that all ranks refuse what
// one of them would. Beyond, the ranks of a faulty node say so, and the others wait for them in
// NCCL.
constexpr int small_step = 256;

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
                    const Environment& environment, const RankInfo& place, OpenedCuda& cuda) {
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

NodeOf nodes_of(const Step& step) {
  return [&step](int rank) {
    if (rank == step.rank_info().rank) return step.rank_info().node;
    auto node = step.transport().node_of(rank);
    return node.empty() ? std::string{"a node of unknown name"} : node;
  };
}

std::vector<SeenRank> read_facts(Step& step, const RankFacts& mine, std::span<const int> wanted,
                                 const Deadline& deadline) {
  const Call call{.tag = "nccl", .what = "NCCL ids"};
  const auto& records = step.run(call, encode(mine), wanted, deadline);
  std::vector<SeenRank> seen;
  seen.reserve(records.size());
  const auto node_of = nodes_of(step);
  for (const auto& record : records) {
    seen.push_back({record.rank, decode_facts(record.payload, record.rank, node_of)});
  }
  return seen;
}

const SeenRank& find(std::span<const SeenRank> seen, int rank) {
  return *std::ranges::lower_bound(seen, rank, {}, &SeenRank::rank);
}

std::vector<NcclUniqueId> ids_of(std::span<const SeenRank> seen, const Roots& roots,
                                 const NodeOf& node_of) {
  std::vector<NcclUniqueId> ids;
  ids.reserve(static_cast<std::size_t>(roots.count()));
  for (int root = 0; root < roots.count(); ++root) {
    const auto& first = find(seen, roots.first_rank(root));
    if (!first.facts.id) {
      throw Error{MUSTER_ERR_MISMATCH, node_of(first.rank) + ": rank " +
                                           std::to_string(first.rank) +
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
std::vector<int> facts_to_read(const IdsRequest& request, const RankInfo& place,
                               std::span<const int> local_ranks) {
  std::vector<int> wanted{place.rank, predecessor(place)};
  for (int root = 0; root < request.roots.count(); ++root) {
    wanted.push_back(request.roots.first_rank(root));
  }
  if (request.look_at_gpus && place.size <= small_step) {
    for (int rank = 0; rank < place.size; ++rank) wanted.push_back(rank);
  } else if (request.look_at_gpus) {
    wanted.insert(wanted.end(), local_ranks.begin(), local_ranks.end());
  }
  std::ranges::sort(wanted);
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  return wanted;
}

NcclIds gather_ids(Step& step, const Libraries& libraries, const IdsRequest& request,
                   const Environment& environment, const Deadline& deadline) {
  const auto& place = step.rank_info();
  NcclIds result;
  auto mine = own_facts(request, libraries, environment, place, result.cuda);
  const auto wanted = facts_to_read(request, place, step.transport().local_ranks());
  const auto seen = read_facts(step, mine, wanted, deadline);
  if (libraries.no_nccl) throw Error{*libraries.no_nccl};
  if (const auto found = fault(seen, find(seen, place.rank), nodes_of(step))) throw Error{*found};
  result.ids = ids_of(seen, request.roots, nodes_of(step));
  result.gpu = std::move(mine.gpu);
  return result;
}

}  // namespace muster::worker
