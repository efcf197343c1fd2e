#include "worker/nccl/checks.hpp"

#include "worker/nccl/api.hpp"
#include "worker/nccl/rank_list.hpp"

#include <algorithm>
#include <functional>
#include <tuple>
#include <vector>

namespace muster::worker::nccl {
namespace {

using Found = std::optional<Error>;

// The ranks seen, with their nodes.
struct Seen {
  std::span<const SeenRank> ranks;
  const NodeOf& node_of;
  Seeing seeing = Seeing::all;

  auto begin() const { return ranks.begin(); }
  auto end() const { return ranks.end(); }
  std::string node(const SeenRank& one) const { return node_of(one.rank); }
  std::string rank_on_node(const SeenRank& one) const {
    return "rank " + std::to_string(one.rank) + " on " + node(one);
  }
  Found line(muster_status status, const SeenRank& first, const std::string& text) const {
    return Error{status, node(first) + ": " + text};
  }
};

using Holds = std::function<bool(const SeenRank&)>;

// Counts the ranks on other nodes that satisfy `holds`, for the end of a line.
std::string elsewhere(const Seen& seen, std::size_t here, const Holds& holds) {
  const auto all = static_cast<std::size_t>(std::ranges::count_if(seen, holds));
  if (all <= here) return {};
  return (seen.seeing == Seeing::all ? "; " : "; at least ") + std::to_string(all - here) +
         (all - here == 1 ? " rank" : " ranks") + " on other nodes as well";
}

// The ranks on `first`'s node that satisfy `holds`.
std::vector<int> on_node_of(const Seen& seen, const SeenRank& first, const Holds& holds) {
  const auto node = seen.node(first);
  std::vector<int> ranks;
  for (const auto& one : seen) {
    if (holds(one) && seen.node(one) == node) ranks.push_back(one.rank);
  }
  std::ranges::sort(ranks);
  return ranks;
}

// Checks that all ranks make the same call. Comes after the check of versions, because the number of roots
// depends on them.
Found other_call(const Seen& seen, const SeenRank& mine) {
  for (const auto& one : seen) {
    const auto& facts = one.facts;
    if (facts.generation != mine.facts.generation) {
      return seen.line(MUSTER_ERR_MISMATCH, one,
                       "rank " + std::to_string(one.rank) +
                           " creates NCCL communicator generation " +
                           std::to_string(facts.generation) + ", but " + seen.rank_on_node(mine) +
                           " creates generation " + std::to_string(mine.facts.generation) +
                           ": every rank must number its communicators in the same way");
    }
    if (facts.roots != mine.facts.roots) {
      return seen.line(
          MUSTER_ERR_MISMATCH, one,
          "rank " + std::to_string(one.rank) + " asks for " + std::to_string(facts.roots) +
              (facts.roots == 1 ? " NCCL root" : " NCCL roots") + ", but " +
              seen.rank_on_node(mine) + " asks for " + std::to_string(mine.facts.roots) +
              ": use the same `roots` and `ranks_per_root` on every rank");
    }
  }
  return std::nullopt;
}

Found other_nccl(const Seen& seen, const SeenRank& mine) {
  for (const auto& one : seen) {
    const int version = one.facts.nccl_version;
    if (version == mine.facts.nccl_version) continue;
    const auto alike = [&](const SeenRank& other) { return other.facts.nccl_version == version; };
    const auto who = rank_list(on_node_of(seen, one, alike));
    if (version == 0) {
      return seen.line(MUSTER_ERR_LIBRARY, one,
                       who.text + (who.one ? " finds" : " find") +
                           " no NCCL; every node needs the same one: install it there, or set "
                           "MUSTER_NCCL_LIBRARY");
    }
    // A rank without NCCL reports its own error.
    if (mine.facts.nccl_version == 0) continue;
    return seen.line(MUSTER_ERR_GPU, one,
                     who.text + (who.one ? " has" : " have") + " NCCL " + version_text(version) +
                         ", but " + seen.rank_on_node(mine) + " has " +
                         version_text(mine.facts.nccl_version) +
                         ": use the same environment or container image on every node");
  }
  return std::nullopt;
}

Found no_id(const Seen& seen) {
  for (const auto& one : seen) {
    if (one.facts.no_id.empty()) continue;
    return seen.line(MUSTER_ERR_NCCL, one,
                     "rank " + std::to_string(one.rank) + ": " + one.facts.no_id);
  }
  return std::nullopt;
}

std::string lacks_gpu(const cuda::Gpu& gpu, bool one) {
  const std::string see = one ? " sees" : " see";
  switch (gpu.state) {
    case cuda::Gpu::State::no_driver:
      return (one ? " has" : " have") + std::string{" no NVIDIA driver ("} + gpu.why +
             "): run on nodes with GPUs, in a container with --nv or a similar option";
    case cuda::Gpu::State::no_device:
      return see +
             " no GPU: ask Slurm for GPUs (--gpus-per-node, --gpus-per-task), and check CUDA_VISIBLE_DEVICES";
    case cuda::Gpu::State::no_such_index:
      return " would use GPU " + std::to_string(gpu.device) + ", but" + see + " only " +
             std::to_string(gpu.count) + ": ask Slurm for more, or start fewer ranks on the node";
    case cuda::Gpu::State::failed:
      return " cannot use a GPU: the driver says '" + gpu.why + "'; run nvidia-smi there";
    default:
      return {};
  }
}

Found no_gpu(const Seen& seen) {
  for (const auto& one : seen) {
    const auto state = one.facts.gpu.state;
    if (state == cuda::Gpu::State::not_looked || state == cuda::Gpu::State::found) continue;
    const auto alike = [&](const SeenRank& other) {
      return other.facts.gpu.state == state && (state != cuda::Gpu::State::no_such_index ||
                                                other.facts.gpu.device == one.facts.gpu.device);
    };
    const auto who = rank_list(on_node_of(seen, one, alike));
    return seen.line(
        MUSTER_ERR_GPU, one,
        who.text + lacks_gpu(one.facts.gpu, who.one) + elsewhere(seen, who.count, alike));
  }
  return std::nullopt;
}

// The first driver of each CUDA major release; every driver of a major release supports all its minor
// releases.
const char* driver_for(int cuda) {
  switch (cuda / 1000) {
    case 11:
      return "450.80.02";
    case 12:
      return "525";
    case 13:
      return "580";
    default:
      return nullptr;
  }
}

std::string cuda_text(int version) {
  return "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

Found old_driver(const Seen& seen) {
  for (const auto& one : seen) {
    const int needed = one.facts.cuda_needed;
    const int has = one.facts.gpu.driver_version;
    const auto too_old = [needed, has](const SeenRank& other) {
      return other.facts.gpu.state == cuda::Gpu::State::found &&
             other.facts.cuda_needed == needed && other.facts.gpu.driver_version == has &&
             needed / 1000 > has / 1000;
    };
    if (!too_old(one)) continue;
    const auto who = rank_list(on_node_of(seen, one, too_old));
    const char* const release = driver_for(needed);
    return seen.line(MUSTER_ERR_GPU, one,
                     who.text + (who.one ? " needs " : " need ") + cuda_text(needed) +
                         ", but the driver is for " + cuda_text(has) + ": install " +
                         (release == nullptr ? "a driver for that release"
                                             : "driver " + std::string{release} + " or newer") +
                         " there, or use a program built for CUDA " + std::to_string(has / 1000) +
                         elsewhere(seen, who.count, too_old));
  }
  return std::nullopt;
}

bool same_gpu(const SeenRank& one, const SeenRank& other) {
  const auto& a = one.facts;
  const auto& b = other.facts;
  return a.gpu.state == cuda::Gpu::State::found && b.gpu.state == cuda::Gpu::State::found &&
         a.host_hash == b.host_hash && a.gpu.bus_id == b.gpu.bus_id &&
         !(a.shared_gpu && b.shared_gpu);
}

Found twice(const Seen& seen, const SeenRank& first, const SeenRank& second) {
  std::vector<int> ranks;
  for (const auto& one : seen) {
    if (same_gpu(first, one)) ranks.push_back(one.rank);
  }
  std::ranges::sort(ranks);
  const auto who = rank_list(ranks);
  const bool instances = first.facts.gpu.uuid != second.facts.gpu.uuid;
  const auto all = who.count == 2 ? std::string{" both use GPU "} : std::string{" all use GPU "};
  return seen.line(
      MUSTER_ERR_GPU, first,
      who.text + all + first.facts.gpu.bus_id +
          (instances ? " (MIG instances of it, which NCCL treats as one GPU)" : "") +
          ": NCCL needs one GPU for each rank; set the CUDA device to LOCAL_RANK, or start "
          "fewer ranks on the node (MUSTER_NCCL_SHARED_GPU if you intend this)");
}

// Only ranks on the same host can share a GPU, so sorting by host means that each rank is compared with only
// a few others.
Found shared_gpu(const Seen& seen) {
  std::vector<const SeenRank*> sorted;
  for (const auto& one : seen) sorted.push_back(&one);
  const auto key = [](const SeenRank* one) {
    return std::tuple{one->facts.host_hash, one->facts.gpu.bus_id, one->rank};
  };
  std::ranges::sort(sorted, {}, key);
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (same_gpu(*sorted[i - 1], *sorted[i])) return twice(seen, *sorted[i - 1], *sorted[i]);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Error> fault(std::span<const SeenRank> ranks, const SeenRank& mine,
                           const NodeOf& node_of, Seeing seeing) {
  const Seen seen{ranks, node_of, seeing};
  for (const auto check : {other_nccl, other_call}) {
    if (auto found = check(seen, mine)) return found;
  }
  for (const auto check : {no_id, no_gpu, old_driver, shared_gpu}) {
    if (auto found = check(seen)) return found;
  }
  return std::nullopt;
}

std::optional<Error> fault_of_shared_gpus(std::span<const SeenRank> ranks, const NodeOf& node_of) {
  return shared_gpu({ranks, node_of});
}

}  // namespace muster::worker::nccl
