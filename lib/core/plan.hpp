// The node plan: every task's environment and CPUs on one node, from facts already gathered.
// Pure: the same inputs give the same plan on a node, offline and in a test.
#pragma once

#include "core/cpuset.hpp"
#include "core/environment.hpp"
#include "core/layout.hpp"
#include "core/profile.hpp"
#include "core/rendezvous.hpp"
#include "core/request.hpp"
#include "core/wire/messages.hpp"

#include <optional>
#include <string>
#include <vector>

namespace muster {

// Where the ranks meet.
struct Rendezvous {
  std::string address;
  Port port = 0;
  Origin port_origin = Origin::rendezvous;
};

// The interfaces of this node that a framework should use.
struct NodeNetwork {
  std::string interface;  // the one that reaches the rendezvous; empty when unknown
  std::string hcas;       // RDMA devices that are up, NCCL_IB_HCA's syntax; empty when none
};

// What a task is bound to; no CPUs: Slurm's own mask stays.
struct TaskCpus {
  CpuSet cpus;
  std::size_t threads = 0;  // for OMP_NUM_THREADS; 0 when unknown
};

struct PlanInputs {
  const Request& request;
  const Profile& profile;
  const Layout& layout;
  NodeIndex node = 0;
  Rendezvous rendezvous;
  NodeNetwork network;
  std::vector<TaskCpus> cpus;  // by local task id
  std::string run_id;
  std::string error_directory;  // one file per local task; empty when there is none
  std::uint32_t attempt = 0;
  const Environment& environment;  // the job's
};

struct TaskPlan {
  ProcId procid = 0;
  std::uint32_t rank = 0;
  std::uint32_t local_rank = 0;
  std::vector<EnvVar> variables;
  CpuSet cpus;
};

struct NodePlan {
  std::vector<TaskPlan> tasks;  // by local task id
  std::vector<std::string> warnings;
};

NodePlan make_plan(const PlanInputs& inputs);

// What the shim has to do for it: only what differs from the job's environment.
wire::NodePlan to_wire(const NodePlan& plan);

}  // namespace muster
