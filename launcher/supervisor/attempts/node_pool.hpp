// The nodes of all groups (core/groups/pool.hpp), in memory that the supervisors of the groups share. They
// are forked from one process, on one host.
#pragma once

#include "core/groups/pool.hpp"
#include "launcher/os/descriptor.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace muster::attempts {

class NodePool {
 public:
  // Throws an Error of one line if there is no memory for it.
  explicit NodePool(const groups::Pool& pool);

  [[nodiscard]] std::vector<std::string> nodes_of(std::uint32_t group);
  [[nodiscard]] std::vector<groups::PoolNode> open_to(std::uint32_t group);
  [[nodiscard]] groups::Pool all();

  // See core/groups/pool.hpp.
  [[nodiscard]] bool take(std::uint32_t group, std::span<const std::string> nodes);
  // Takes what `choose` returns, and lets it choose again if another group has just taken one of these nodes.
  // False once it returns nothing.
  [[nodiscard]] bool take(std::uint32_t group,
                          const std::function<std::vector<std::string>()>& choose);
  void let_go(std::uint32_t group);
  void lose(std::uint32_t group, const std::string& node, groups::Moment last_word);
  void remove(std::span<const std::string> nodes);
  void set_drained(std::span<const std::string> nodes);
  [[nodiscard]] std::vector<std::string> drained_of(std::uint32_t group);
  [[nodiscard]] bool leave_drained(std::uint32_t group, std::size_t free);

  // Whether a group's supervisor has given up for want of nodes.
  void set_short_of_nodes(std::uint32_t group);
  [[nodiscard]] bool was_short_of_nodes(std::uint32_t group);

  // See core/groups/pool.hpp.
  void set_lighthouse_lost(bool lost);
  [[nodiscard]] bool is_lighthouse_lost();

  // For a child that keeps only some of this process's.
  [[nodiscard]] int descriptor() const { return memory_.get(); }

 private:
  void change(const std::function<void(groups::Pool&)>& change);

  os::Descriptor memory_;
};

}  // namespace muster::attempts
