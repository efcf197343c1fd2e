// An address that the user exported for the rendezvous, as recipes for other launchers tell them to. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace muster::rendezvous {

// Where an address leads, as rank 0's node finds out.
enum class Leads : std::uint8_t {
  to_rank_0,
  to_itself,  // a loopback address: on each node to that node
  elsewhere,
  nowhere,  // the name cannot be resolved
};

struct ExportedAddress {
  std::string name;  // the variable, such as MASTER_ADDR
  std::string value;
  Leads leads = Leads::to_rank_0;
};

// The host in "HOST", "HOST:PORT" or "[HOST]:PORT".
std::string host_of(const std::string& value);

// Whether the ranks of a step on that many nodes can meet there.
bool is_right(const ExportedAddress& address, std::size_t nodes);

// Whether the ranks use muster's own address in place of the exported ones. `chosen_since`: muster has chosen
// the node of rank 0 since the user exported them, for another attempt or for one of several groups.
bool replaces_exported(const std::vector<ExportedAddress>& exported, std::size_t nodes,
                       bool chosen_since);

}  // namespace muster::rendezvous
