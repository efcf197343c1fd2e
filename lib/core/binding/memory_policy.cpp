#include "core/binding/memory_policy.hpp"

namespace muster::binding {

using Mode = wire::MemoryPolicy::Mode;

wire::MemoryPolicy memory_policy(option::Memory wanted, const CpuSet& near,
                                 const KernelMemory& kernel) {
  if (wanted == option::Memory::none || near.empty()) return {};
  if (wanted == option::Memory::strict) return {Mode::bind, near.words()};
  const auto nodes = near & kernel.nodes;
  if (nodes.empty()) return {};
  if (nodes.count() == 1) return {Mode::preferred, nodes.words()};
  // Preferring all nodes would change only one thing: the kernel would no longer move a page to the
  // node that uses it (NUMA balancing).
  if (nodes == kernel.nodes || !kernel.preferred_many) return {};
  return {Mode::preferred_many, nodes.words()};
}

std::string_view to_string(Mode mode) {
  switch (mode) {
    case Mode::kernels:
      return "kernel";
    case Mode::preferred:
      return "preferred";
    case Mode::bind:
      return "strict";
    case Mode::preferred_many:
      return "preferred-many";
  }
  return "kernel";
}

}  // namespace muster::binding
