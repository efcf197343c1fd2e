#include "core/wire/confine.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace muster::wire {
namespace {

using Mask = std::vector<std::uint64_t>;

constexpr std::size_t word_bits = 64;

bool has(const Mask& mask, std::size_t index) {
  return (mask[index / word_bits] >> index % word_bits & 1) != 0;
}

// Without the zeros at the end, so that equal sets are equal.
Mask trimmed(Mask mask) {
  while (!mask.empty() && mask.back() == 0) mask.pop_back();
  return mask;
}

// Wide enough for every kernel: a narrow buffer would only bring EINVAL.
Mask allowed_cpus() {
  Mask mask(most_cpu_words);
  auto* const set = reinterpret_cast<cpu_set_t*>(mask.data());
  if (sched_getaffinity(0, mask.size() * sizeof mask[0], set) != 0) return {};
  return trimmed(std::move(mask));
}

Mask allowed_memory() {
  Mask mask(most_node_words);
  int mode = 0;
  if (syscall(SYS_get_mempolicy, &mode, mask.data(), mask.size() * word_bits + 1, nullptr, 0) != 0)
    return {};
  return trimmed(std::move(mask));
}

std::string in_brackets(int error) {
  return std::string(" (") + std::strerror(error) + ')';
}

void confine_cpus(const TaskPlan& task, Confined& result) {
  const auto& mask = task.cpu_mask;
  if (mask.empty()) return;
  const auto* const set = reinterpret_cast<const cpu_set_t*>(mask.data());
  if (sched_setaffinity(0, mask.size() * sizeof mask[0], set) != 0) {
    const auto error = in_brackets(errno);
    result.bound = false;
    result.may_start = !task.cpus_required;
    const auto instead = task.cpus_required ? std::string("bind=exclusive cannot be kept")
                                            : "it stays on CPUs " + list_text(allowed_cpus()) +
                                                  ", where other tasks may run";
    result.remarks.push_back("the kernel allows none of CPUs " + list_text(mask) + error + ": " +
                             instead + "; bind=none leaves binding to Slurm");
    return;
  }
  const auto granted = allowed_cpus();
  if (granted.empty() || granted == trimmed(mask)) return;
  result.remarks.push_back("the kernel allows only CPUs " + list_text(granted) + " of " +
                           list_text(mask) + ": Slurm gives the step more than its cpuset has; " +
                           "bind=none leaves binding to Slurm");
}

void confine_memory(const TaskPlan& task, Confined& result) {
  const auto& [mode, nodes] = task.memory;
  const bool strict = mode == MemoryPolicy::Mode::bind;
  // Near CPUs on which the task is not, memory is preferred for nothing.
  if (mode == MemoryPolicy::Mode::kernels || (!result.bound && !strict)) return;
  const auto asked = list_text(nodes);
  const auto number = static_cast<long>(mode);
  if (syscall(SYS_set_mempolicy, number, nodes.data(), nodes.size() * word_bits + 1) != 0) {
    result.may_start = result.may_start && !strict;
    result.remarks.push_back("the kernel refuses memory of NUMA nodes " + asked +
                             in_brackets(errno) + ": " +
                             (strict ? "memory=strict cannot be kept" : "it takes any") +
                             "; memory=none leaves memory to Slurm");
    return;
  }
  const auto granted = allowed_memory();
  if (granted.empty() || granted == trimmed(nodes)) return;
  result.remarks.push_back("the kernel allows memory only of NUMA nodes " + list_text(granted) +
                           " of " + asked +
                           ": the step's cpuset has no more; memory=none leaves memory to Slurm");
}

}  // namespace

std::string list_text(const std::vector<std::uint64_t>& mask) {
  std::string text;
  const std::size_t end = mask.size() * word_bits;
  for (std::size_t first = 0; first < end; ++first) {
    if (!has(mask, first)) continue;
    auto last = first;
    while (last + 1 < end && has(mask, last + 1)) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(first);
    if (last > first) text += '-' + std::to_string(last);
    first = last;
  }
  return text;
}

Confined confine(const TaskPlan& task) {
  Confined result;
  confine_cpus(task, result);
  confine_memory(task, result);
  return result;
}

}  // namespace muster::wire
