// An attempt: one srun that the supervisor starts, and what it sends to the agents of that step.
//
// Carried in SLURM_MUSTER_REQUEST, which only the user's own processes and root can read. It never appears on
// a command line, and no task sees it.
#pragma once

#include "core/logs/names.hpp"
#include "core/request/request.hpp"
#include "launcher/channel/address.hpp"
#include "secret/key.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace muster::step {

// The value of a variable such as RANK if no muster.so replaced it because the node has no plugin. A
// program that reads it fails with this text, instead of training alone and exiting successfully.
inline constexpr const char* missing_plugin = "no-muster.so-on-this-node";

inline constexpr const char* rank_0s_node = "*";

struct StepRequest {
  request::Request request;
  std::uint32_t number = 0;  // 0 for the first
  secret::Key key{};
  // The program is in a container, or cannot be looked up on the node for some other reason.
  bool program_elsewhere = false;
  channel::Address channel = {};  // where the agents can reach the supervisor
  std::string hint = {};          // srun's --hint, which srun does not pass on to the nodes
  // The node to draw: a name, rank_0s_node, or empty for none.
  std::string draw = {};
  bool quiet = false;                 // srun's --quiet: the nodes do not show remarks
  bool chose_cpus = false;            // the user said how many CPUs a task gets
  bool ends_by_first_failure = true;  // --kill-on-bad-exit, for an agent that has to act alone
  // The node of the batch script that started this attempt's srun; empty if no script did.
  std::string batch_host = {};
  logs::JobName job = {};  // for the patterns of logs=
  // With succession=on, after the script's node has died: the step in which the supervisor runs now.
  // batch_host then names the node of that step.
  std::string supervisor_step = {};
};

std::string to_json(const StepRequest& attempt);

// Throws Error for anything that to_json cannot have written.
StepRequest step_request_from_json(std::string_view text);

}  // namespace muster::step
