// What Slurm says of the allocation's nodes, and whether they answer, between two attempts.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster::slurm {

struct NodeState {
  std::string name;
  bool down = false;            // DOWN, FAIL, or without power
  bool drained = false;         // DRAIN, in each of its forms, or a reboot that is due
  bool not_responding = false;  // slurmctld has no answer from its slurmd
  std::string reason;           // an administrator's, for people
  std::string address;          // NodeAddr
  std::uint16_t port = 0;       // of its slurmd; 0 in scontrol's text for the site's SlurmdPort

  friend bool operator==(const NodeState&, const NodeState&) = default;
};

// From the lines of `scontrol --oneliner show node`. Lines that name no node are passed over. Pure.
std::vector<NodeState> node_states(std::string_view text);

// SlurmdPort from the text of `scontrol show config`; Slurm's own default where it is not there. Pure.
std::uint16_t slurmd_port(std::string_view config);

// One call of scontrol for all nodes, and one for the port that most of them have. Without the nodes that
// Slurm does not know or has not told of in time: empty where it does not answer.
std::vector<NodeState> ask_node_states(std::span<const std::string> nodes,
                                       std::chrono::milliseconds timeout);

// By position: whether that node's slurmd takes a connection. All at once, within `timeout`. A slurmd
// that answers writes two lines into its log about a peer that said nothing, so this is only for nodes
// that were lost.
std::vector<bool> answer(std::span<const NodeState> nodes, std::chrono::milliseconds timeout);

}  // namespace muster::slurm
