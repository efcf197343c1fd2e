#include "confine/confine.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <string_view>
#include <utility>

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace muster::confine {
namespace {

using Mask = std::vector<std::uint64_t>;

constexpr std::size_t word_bits = 64;

bool has(const Mask& mask, std::size_t index) {
  return (mask[index / word_bits] >> index % word_bits & 1) != 0;
}

// Drops trailing zero words, so that equal sets are equal.
Mask trimmed(Mask mask) {
  while (!mask.empty() && mask.back() == 0) mask.pop_back();
  return mask;
}

// Wide enough for every kernel: a narrow buffer would only cause EINVAL.
Mask allowed_cpus() {
  Mask mask(wire::max_cpu_words);
  auto* const set = reinterpret_cast<cpu_set_t*>(mask.data());
  if (sched_getaffinity(0, mask.size() * sizeof mask[0], set) != 0) return {};
  return trimmed(std::move(mask));
}

Mask allowed_memory() {
  Mask mask(wire::max_node_words);
  int mode = 0;
  if (syscall(SYS_get_mempolicy, &mode, mask.data(), mask.size() * word_bits + 1, nullptr, 0) != 0)
    return {};
  return trimmed(std::move(mask));
}

// Appends one piece at a time. Each operator+ would add half a KiB of inlined code to the shim.
std::string joined(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const auto part : parts) text.append(part);
  return text;
}

void confine_cpus(const wire::TaskPlan& task, Confined& result) {
  const auto& mask = task.cpu_mask;
  if (mask.empty()) return;
  const auto asked = list_text(mask);
  const auto* const set = reinterpret_cast<const cpu_set_t*>(mask.data());
  if (sched_setaffinity(0, mask.size() * sizeof mask[0], set) != 0) {
    const char* const why = std::strerror(errno);
    result.bound = false;
    result.may_start = !task.cpus_required;
    const auto instead = task.cpus_required
                             ? std::string("bind=exclusive cannot be honored")
                             : joined({"the task stays on CPUs ", list_text(allowed_cpus()),
                                       ", where other tasks may run"});
    result.remarks.push_back(joined({"the kernel allows none of CPUs ", asked, " (", why,
                                     "): ", instead, "; bind=none leaves binding to Slurm"}));
    return;
  }
  const auto granted = allowed_cpus();
  if (granted.empty() || granted == trimmed(mask)) return;
  result.remarks.push_back(joined({"the kernel allows only CPUs ", list_text(granted), " of ",
                                   asked, ": the step's cpuset has fewer than Slurm reports",
                                   "; bind=none leaves binding to Slurm"}));
}

void confine_memory(const wire::TaskPlan& task, Confined& result) {
  const auto& [mode, nodes] = task.memory;
  const bool strict = mode == wire::MemoryPolicy::Mode::bind;
  // A task on other CPUs gains nothing from memory near the planned ones.
  if (mode == wire::MemoryPolicy::Mode::kernels || (!result.bound && !strict)) return;
  const auto asked = list_text(nodes);
  const auto number = static_cast<long>(mode);
  if (syscall(SYS_set_mempolicy, number, nodes.data(), nodes.size() * word_bits + 1) != 0) {
    const char* const why = std::strerror(errno);
    result.may_start = result.may_start && !strict;
    result.remarks.push_back(joined(
        {"the kernel refuses memory on NUMA nodes ", asked, " (", why, "): ",
         strict ? "memory=strict cannot be honored" : "the task uses memory from any NUMA node",
         "; memory=none leaves memory to Slurm"}));
    return;
  }
  const auto granted = allowed_memory();
  if (granted.empty() || granted == trimmed(nodes)) return;
  result.remarks.push_back(
      joined({"of NUMA nodes ", asked, ", the kernel allows memory only on ", list_text(granted),
              ": the step's cpuset contains no others; memory=none leaves memory to Slurm"}));
}

}  // namespace

std::string list_text(const std::vector<std::uint64_t>& mask) {
  std::string text;
  const std::size_t end = mask.size() * word_bits;
  for (std::size_t first = 0; first < end; ++first) {
    if (!has(mask, first)) continue;
    auto last = first;
    while (last + 1 < end && has(mask, last + 1)) ++last;
    std::array<char, 48> part{};  // two numbers of up to 20 digits each, plus punctuation
    const char* const form = last > first ? "%s%zu-%zu" : "%s%zu";
    std::snprintf(part.data(), part.size(), form, text.empty() ? "" : ",", first, last);
    text += part.data();
    first = last;
  }
  return text;
}

Confined confine(const wire::TaskPlan& task) {
  Confined result;
  confine_cpus(task, result);
  confine_memory(task, result);
  return result;
}

}  // namespace muster::confine
