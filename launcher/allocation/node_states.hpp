// What Slurm says of the allocation's nodes, and whether they answer, between two attempts.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster::allocation {

struct NodeState {
  std::string name;
  bool down = false;            // DOWN, or FAIL
  bool drained = false;         // DRAIN, in each of its forms, or a reboot that is due
  bool not_responding = false;  // slurmctld has no answer from its slurmd
  std::string reason;           // an administrator's, for people
  std::string address;          // NodeAddr
  std::uint16_t port = 0;       // of its slurmd

  friend bool operator==(const NodeState&, const NodeState&) = default;
};

// From the lines of `scontrol --oneliner show node`. Lines that name no node are passed over. Pure.
std::vector<NodeState> node_states(std::string_view text);

// One call of scontrol for all nodes; empty where it does not answer in time.
std::vector<NodeState> ask_node_states(std::span<const std::string> nodes,
                                       std::chrono::milliseconds timeout);

// By position: whether that node's slurmd takes a connection. All at once, within `timeout`.
std::vector<bool> answer(std::span<const NodeState> nodes, std::chrono::milliseconds timeout);

}  // namespace muster::allocation
