#include "core/remark/small_memlock.hpp"

#include "core/fabric/locked_memory.hpp"
#include "core/text/amounts.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace muster::remark {
namespace {

bool is_kept_off_rdma(const Environment& environment) {
  return environment.get("NCCL_IB_DISABLE") == "1" || environment.get("NCCL_NET") == "Socket";
}

}  // namespace

std::string small_memlock(std::span<const resources::TaskResources> tasks, const MemoryLock& lock,
                          const Environment& environment) {
  const auto has_gpu = [](const auto& task) { return !task.gpus.empty(); };
  const bool uses_rdma = !lock.network.ports.empty() || lock.network.efa_devices > 0;
  if (lock.bytes >= fabric::enough_locked_memory || lock.nodes < 2 || !uses_rdma ||
      is_kept_off_rdma(environment) || std::ranges::none_of(tasks, has_gpu)) {
    return {};
  }
  return fmt::format(
      "tasks may lock only {} of memory, and NCCL over RDMA needs more: run `ulimit -l unlimited` "
      "before srun, or show your administrator row memlock of `muster doctor`",
      text::bytes(lock.bytes));
}

}  // namespace muster::remark
