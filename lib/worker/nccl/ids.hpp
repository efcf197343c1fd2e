// The ids of one communicator: made by the first rank of each root before CUDA is touched, and handed out
// only if the ranks fit together. In steps of up to 256 ranks, one phase brings the ids and all ranks'
// facts to every rank. In larger ones, a second phase brings the ids together with verdicts (verdict.hpp).
// In both cases every rank learns about a fault before NCCL starts.
#pragma once

#include "worker/cuda/gpu.hpp"
#include "worker/environment.hpp"
#include "worker/error.hpp"
#include "worker/nccl/api.hpp"
#include "worker/nccl/roots.hpp"
#include "worker/step.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace muster::worker::nccl {

struct IdsRequest {
  Roots roots;
  std::uint32_t generation = 0;
  int device = -1;  // -1: look_at_gpu() chooses
  int cuda_version = 0;
  bool shared_gpu = false;
  bool look_at_gpus = true;
};

// The libraries, or why this rank lacks NCCL. A rank without NCCL still takes part, so that the others learn
// about it immediately instead of after their deadline.
struct Libraries {
  const NcclApi* nccl = nullptr;
  std::optional<Error> no_nccl;
  std::function<cuda::OpenedCuda()> open_cuda;
};

struct NcclIds {
  std::vector<NcclUniqueId> ids;  // one for each root, in order
  cuda::Gpu gpu;                  // this rank's GPU
  cuda::OpenedCuda cuda;
};

// Throws Error.
NcclIds gather_ids(Step& step, const Libraries& libraries, const IdsRequest& request,
                   const Environment& environment, const Deadline& deadline);

// Which ranks' facts a rank reads if there is one phase: includes its own, in ascending order.
std::vector<int> facts_to_read(const IdsRequest& request, const RankInfo& place);

// If there are two phases: which ranks' facts it reads in the first, and which ranks' verdicts in the second,
// in ascending order.
bool has_verdicts(const IdsRequest& request, const RankInfo& place);
std::vector<int> share_to_read(const RankInfo& place);
std::vector<int> verdicts_to_read(const IdsRequest& request, const RankInfo& place);

}  // namespace muster::worker::nccl
