// A node, as `scontrol --oneliner show node` prints it. Written for the outputs of Slurm 22.05 to 26.05.
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster::slurm {

// The most that is read of scontrol's output about this many nodes: far more than it writes.
std::size_t max_node_bytes(std::size_t nodes);

struct Node {
  std::string name;
  bool down = false;            // DOWN, FAIL, or powered off
  bool drained = false;         // DRAIN in any of its forms, or a pending reboot
  bool not_responding = false;  // slurmctld gets no answer from its slurmd
  std::string reason;           // entered by an administrator; printable
  std::string address;          // NodeAddr
  std::uint16_t port = 0;       // slurmd's; 0: the site's, see Config::slurmd_port()
  std::string features = {};    // the active features, separated by commas
  std::uint32_t threads_per_core = 1;

  friend bool operator==(const Node&, const Node&) = default;
};

// Whether scontrol says that slurmctld shows no nodes to this user, as with PrivateData=nodes.
bool refuses_nodes(std::string_view output);

// What is known about hidden nodes: their names, which are also the addresses that Slurm assumes.
std::vector<Node> nodes_from_names(std::span<const std::string> names);

// Ignores lines that name no node, and an incomplete last line, which might lack the state.
std::vector<Node> nodes_from_text(std::string_view text);

}  // namespace muster::slurm
