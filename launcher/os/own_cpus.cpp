#include "launcher/os/own_cpus.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

#include <sched.h>

namespace muster::os {
namespace {

constexpr std::size_t kernel_words = 128;  // 8192 CPUs

}  // namespace

CpuSet own_cpus() {
  std::vector<std::uint64_t> words(kernel_words);
  auto* const mask = reinterpret_cast<cpu_set_t*>(words.data());
  if (sched_getaffinity(0, words.size() * sizeof(std::uint64_t), mask) != 0) return {};
  return CpuSet::from_words(words);
}

}  // namespace muster::os
