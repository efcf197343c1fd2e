// Names that the shim and the muster program must agree on.
#pragma once

#include <cstddef>

namespace muster::wire {

// Linux's MAX_ARG_STRLEN: "NAME=VALUE" including the terminating zero.
inline constexpr std::size_t max_variable_bytes = 131072;

// The environment variable equivalent to --distributed.
inline constexpr const char* option_variable = "MUSTER_DISTRIBUTED";

// The supervisor sets this variable to its process ID for the srun that it starts. The variable
// stops srun's shim from starting another supervisor. The shim removes it so that no task inherits
// it.
inline constexpr const char* supervisor_variable = "MUSTER_SUPERVISOR";

// Set along with it: the descriptor of a socket on which the shim reports that the step exists. One message:
// when (CLOCK_MONOTONIC, nanoseconds), a space, and the step's layout as in step_variable or nothing.
inline constexpr const char* step_socket_variable = "MUSTER_STEP_SOCKET";

// In a task's environment: the names of the variables that muster set, separated by spaces. An srun
// that the task starts must not treat them as the user's own.
inline constexpr const char* set_variable = "MUSTER_SET";

// Set along with it: the step for which muster set the variables, "42.0". In any other step they were
// inherited.
inline constexpr const char* planned_variable = "MUSTER_STEP";

// Set by `muster run`, as Slurm sets SLURM_TASK_PID: the rank's process ID, by which the processes that it
// starts are recognised as the rank's.
inline constexpr const char* task_variable = "MUSTER_TASK_PID";

// Set along with it if RANK differs from SLURM_PROCID: "contiguous" (ranks=contiguous). libmuster's ranks are
// then numbered like RANK.
inline constexpr const char* numbering_variable = "MUSTER_NUMBERING";

// In a task's environment: the address where the worker library's ranks rendezvous without PMIx, and the key
// with which they authenticate, 64 hexadecimal digits. Only the step's user and root can read it there, and
// muster never prints it.
inline constexpr const char* exchange_variable = "MUSTER_EXCHANGE";
inline constexpr const char* exchange_key_variable = "MUSTER_EXCHANGE_KEY";

// In a task's environment: the file in which the worker library records how long its start took, and the zero
// of those times in microseconds of CLOCK_MONOTONIC:
// "4711123456:/home/alice/out/4711.0-attempt-0/rank-7.times".
inline constexpr const char* times_variable = "MUSTER_TIMES";

// Set along with PYTHONPATH for the start hook for Python (lib/python/start), which removes it: the directory
// for its files.
inline constexpr const char* rank_directory_variable = "MUSTER_RANK_DIRECTORY";

// srun passes every variable whose name begins with SLURM to the nodes, even with --export=NONE
// (env_array_merge_slurm). The shim removes these two before a task starts.

// The request as JSON, from the supervisor to the agents.
inline constexpr const char* request_variable = "SLURM_MUSTER_REQUEST";
// The step's layout (layout_line.hpp), from srun's shim to the agents.
inline constexpr const char* step_variable = "SLURM_MUSTER_STEP";

// Exit codes of `muster check`: the value is valid; the user only wanted help. Any other code is an
// error.
inline constexpr int check_good = 0;
inline constexpr int check_help_shown = 3;

}  // namespace muster::wire
