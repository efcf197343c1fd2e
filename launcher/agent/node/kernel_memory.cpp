#include "launcher/agent/node/kernel_memory.hpp"

#include "core/topology/cpu.hpp"

#include <array>
#include <cstdint>
#include <thread>

#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace muster::node {
namespace {

using Mode = wire::MemoryPolicy::Mode;

// The kernel refuses a buffer that is too small for all nodes that it might have.
constexpr unsigned long max_nodes = wire::max_node_words * 64 + 1;

// The kernel omits nodes without memory.
topology::NodeSet allowed_nodes() {
  std::array<std::uint64_t, wire::max_node_words> words{};
  const auto failed = syscall(SYS_get_mempolicy, nullptr, words.data(), max_nodes, nullptr,
                              static_cast<unsigned long>(MPOL_F_MEMS_ALLOWED));
  return failed == 0 ? topology::NodeSet::from_words(words) : topology::NodeSet();
}

// A memory policy belongs to one thread. Trying one on another thread leaves no trace on this one, which may
// later run the user's program under a policy that the user chose.
bool accepts(Mode mode, const topology::NodeSet& nodes) {
  if (nodes.empty()) return false;
  bool done = false;
  std::thread([&] {
    const auto& words = nodes.words();
    done = syscall(SYS_set_mempolicy, static_cast<long>(mode), words.data(),
                   words.size() * 64 + 1) == 0;
  }).join();
  return done;
}

}  // namespace

binding::KernelMemory kernel_memory() {
  const auto nodes = allowed_nodes();
  // With one or two nodes, "several but not all" cannot occur (memory_policy), so no thread is started for
  // it.
  const bool matters = nodes.count() > 2;
  return {.nodes = nodes, .preferred_many = matters && accepts(Mode::preferred_many, nodes)};
}

}  // namespace muster::node
