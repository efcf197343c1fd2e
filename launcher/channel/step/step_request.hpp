// An attempt: one srun that the supervisor starts, and what it sends to the agents of that step.
//
// Carried in SLURM_MUSTER_REQUEST, which only the user's own processes and root can read. It never appears on
// a command line, and no task sees it.
#pragma once

#include "core/group_number.hpp"
#include "core/logs/names.hpp"
#include "core/record/limits.hpp"
#include "core/request/request.hpp"
#include "launcher/channel/address.hpp"
#include "secret/key.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::step {

// The value of a variable such as RANK if no muster.so replaced it because the node has no plugin. A
// program that reads it fails with this text, instead of training alone and exiting successfully.
inline constexpr const char* missing_plugin = "no-muster.so-on-this-node";

inline constexpr const char* rank_0s_node = "*";

// Linux limits a variable to 128 KiB with its name.
inline constexpr std::size_t max_request_bytes = std::size_t{127} << 10;

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
  logs::JobName job = {};          // for the patterns of logs=
  bool beside_other_step = false;  // as in logs::AttemptName
  // With succession=on, after the script's node has died: the step in which the supervisor runs now.
  // batch_host then names the node of that step.
  std::string supervisor_step = {};
  std::optional<GroupNumber> group = {};  // with groups=
  std::uint16_t lighthouse_port =
      0;  // where the supervisor's host passes torchft's requests on; 0: nowhere
};

template <class Io>
void fields(Io& io, StepRequest& sent) {
  constexpr record::Max node_name{255};
  constexpr record::Max part{logs::max_job_name};
  io(sent.number)(sent.key)(sent.program_elsewhere)(sent.channel)(sent.hint, record::Max{256});
  io(sent.draw, node_name)(sent.quiet)(sent.chose_cpus)(sent.ends_by_first_failure);
  io(sent.batch_host, node_name)(sent.supervisor_step, record::Max{64});
  io(sent.group)(sent.lighthouse_port);
  io(sent.job.number, part)(sent.job.array, part)(sent.job.array_task, part);
  io(sent.job.name, part)(sent.job.user, part)(sent.job.node, part);
  io(sent.beside_other_step);
  const auto to_text = [](const auto& value) { return request::to_text(value); };
  io.through(sent.request, to_text, request::request_from_text, record::Max{max_request_bytes});
}

// Throws Error if it is too long for a variable.
std::string to_text(const StepRequest& attempt);

// Throws Error for anything that to_text() of this version cannot have written.
StepRequest step_request_from_text(std::string_view text);

}  // namespace muster::step
