// Names that the shim and the muster program agree on.
#pragma once

namespace muster::wire {

// The environment twin of --distributed.
inline constexpr const char* twin_variable = "MUSTER_DISTRIBUTED";

// Set by the supervisor for the srun that it starts: its process id. srun's shim knows by it
// that it must not start a supervisor again, and removes it so that no task inherits it.
inline constexpr const char* guard_variable = "MUSTER_SUPERVISOR";

// In a task's environment: the names that muster set there, separated by spaces. An srun that the
// task starts must not take them for its user's own.
inline constexpr const char* set_variable = "MUSTER_SET";

// Beside it: the step that muster did this for, "42.0". In another step it is inherited.
inline constexpr const char* planned_variable = "MUSTER_STEP";

// Beside it, where RANK is not SLURM_PROCID: "contiguous" (ranks=contiguous). libmuster's ranks are
// then the same as RANK.
inline constexpr const char* numbering_variable = "MUSTER_NUMBERING";

// In a task's environment: where the worker library's ranks meet where there is no PMIx, and the
// key by which they know each other, 64 hexadecimal digits. Only the step's user and root can read
// it there, and it is shown nowhere.
inline constexpr const char* exchange_variable = "MUSTER_EXCHANGE";
inline constexpr const char* exchange_key_variable = "MUSTER_EXCHANGE_KEY";

// srun passes every variable whose name begins with SLURM on to the nodes, also with
// --export=NONE (env_array_merge_slurm). The shim removes these two before a task starts.

// The request as JSON, from the supervisor to the agents.
inline constexpr const char* request_variable = "SLURM_MUSTER_REQUEST";
// The step's layout (layout_text.hpp), from srun's shim to the agents.
inline constexpr const char* step_variable = "SLURM_MUSTER_STEP";

// Exit codes of `muster check`: the value is good; only help was asked for; anything else is an
// error.
inline constexpr int check_good = 0;
inline constexpr int check_help_shown = 3;

}  // namespace muster::wire
