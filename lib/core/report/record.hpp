// What happened to a step: the values that its agents and the supervisor collect while it runs, and from
// which the report is made. Plain data, bounded by the code that fills it in.
//
// A type that agents send has its fields() function next to it (core/record/record.hpp). A new fact about
// where a rank runs is collected when the rank starts, in launcher/agent/monitored_step.cpp; one about how it
// ended, in launcher/agent/ranks/evidence.cpp. first_failure_text.cpp, aftermath_text.cpp, json.cpp (which
// read_json.cpp reads back) and core/page/failures.cpp show it.
#pragma once

#include "core/at_store.hpp"
#include "core/group_number.hpp"
#include "core/record/limits.hpp"
#include "core/slow/named.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster::report {

// A moment on the supervisor's monotonic clock, counted from the supervisor's start. Moments on a node's
// clock are converted; `error` is the possible error, in either direction.
struct Moment {
  std::chrono::nanoseconds time{0};
  std::chrono::nanoseconds error{0};

  friend bool operator==(const Moment&, const Moment&) = default;
};
template <class Io>
void fields(Io& io, Moment& moment) {
  io(moment.time, record::Range{-record::max_time, record::max_time});
  io(moment.error, record::Range{record::max_time.zero(), record::max_time});
}

inline constexpr std::size_t max_message_bytes = 4096;     // per exception
inline constexpr std::size_t max_traceback_bytes = 32768;  // its end is kept if it is longer
inline constexpr std::size_t max_command_bytes = 4096;
inline constexpr std::size_t max_last_lines = 10;
inline constexpr std::size_t max_last_line_bytes = 512;
inline constexpr std::size_t max_path_bytes = 4096;

// What a rank wrote into TORCHELASTIC_ERROR_FILE, or faulthandler when a signal ended it.
struct Exception {
  std::string message;         // "RuntimeError: ..."
  std::string traceback;       // may be empty
  std::optional<Moment> time;  // when the file was written: before the process ended
  bool of_signal = false;      // faulthandler's: the stack when a fatal signal came

  friend bool operator==(const Exception&, const Exception&) = default;
};
template <class Io>
void fields(Io& io, Exception& exception) {
  io(exception.message, record::First{max_message_bytes});
  io(exception.traceback, record::Last{max_traceback_bytes});
  io(exception.time)(exception.of_signal);
}

// A rank's process: what has been known since its start.
struct RankPlace {
  std::uint32_t rank = 0;
  std::uint32_t local_rank = 0;
  std::uint32_t pid = 0;  // on its node

  friend bool operator==(const RankPlace&, const RankPlace&) = default;
};
template <class Io>
void fields(Io& io, RankPlace& place) {
  io(place.rank)(place.local_rank)(place.pid);
}

// There is no status from waitpid, because slurmstepd, which alone could call it, is gone.
inline constexpr std::int32_t unknown_status = -1;

// How a rank's process ended.
struct RankEnd {
  RankPlace place;
  std::int32_t wait_status = 0;  // as from waitpid, or unknown_status
  Moment time;
  bool ended_by_muster = false;  // an agent had already sent it SIGTERM or SIGKILL
  bool out_of_memory = false;    // the kernel killed it, or one of its children, because of memory
  std::optional<Exception> exception;
  // The last lines of its stderr, if that is a file; newest last.
  std::vector<std::string> last_lines;
  std::string last_lines_file;
  // Other ranks write to the same file, and nothing in the lines says whose they are.
  bool last_lines_shared = false;
  // Its exception or lines blamed a peer, but were too long to keep.
  bool blamed_peer = false;

  friend bool operator==(const RankEnd&, const RankEnd&) = default;
};
template <class Io>
void fields(Io& io, RankEnd& end) {
  io(end.place)(end.wait_status)(end.time);
  io(end.ended_by_muster)(end.out_of_memory)(end.exception);
  io(end.last_lines, record::Last{max_last_lines}, record::First{max_last_line_bytes});
  io(end.last_lines_file, record::Line{max_path_bytes})(end.last_lines_shared)(end.blamed_peer);
}

enum class NodeState : std::uint8_t {
  silent,      // its agent has not (yet) connected to the supervisor
  watched,     // its agent is connected
  done,        // its agent has reported that all its tasks have ended
  agent_gone,  // the agent's connection ended without that report, but the node still responds
  lost,        // no sign of life for heartbeat=
};

// The agent of a node, before its ranks start.
struct AgentTimes {
  Moment begun;  // when the agent learned of the step
  Moment came;   // when the node was prepared and the agent joined the rendezvous of the agents
  Moment met;    // when all agents had met, so that the ranks could start

  friend bool operator==(const AgentTimes&, const AgentTimes&) = default;
};
template <class Io>
void fields(Io& io, AgentTimes& times) {
  io(times.begun)(times.came)(times.met);
}

// A node of the step.
struct NodeRecord {
  std::string name;
  NodeState state = NodeState::silent;
  std::uint32_t tasks = 0;
  std::optional<Moment> started;           // when the first of its tasks started
  std::optional<Moment> last_word;         // when its agent was last heard from
  std::vector<std::uint32_t> stuck_ranks;  // could not be killed: uninterruptible sleep
  std::string remark;  // one line from the agent, such as why it fenced its ranks; usually empty
  std::optional<AgentTimes> agent = {};
  std::uint32_t gpus = 0;  // that the node has for the step
  // When the last of its ranks had torch's process group; no value if the start hook has not told.
  std::optional<Moment> group = {};
  // Which of its ranks had come to the rendezvous, while any was missing; no value if the node has not told.
  std::optional<AtStore> at_store = {};

  friend bool operator==(const NodeRecord&, const NodeRecord&) = default;
};

// A signal that this srun's user, or Slurm on the user's behalf, sent to the supervisor.
struct SignalSent {
  std::int32_t number = 0;
  Moment time;

  friend bool operator==(const SignalSent&, const SignalSent&) = default;
};

// Nothing of the step has moved since then.
struct Hang {
  Moment since;
  // One line: which rank is probably holding the others up, or why that is unknown.
  std::string found;
  std::string node;  // the node of the first such rank; empty if unknown
  std::string dump;  // the directory with all stacks; empty if there is none

  friend bool operator==(const Hang&, const Hang&) = default;
};

// What Slurm reports about the job afterwards; empty if it did not answer.
struct SlurmJobState {
  std::string job_state;  // "RUNNING", "TIMEOUT", "NODE_FAIL", "PREEMPTED", "CANCELLED", ...
  std::string reason;

  friend bool operator==(const SlurmJobState&, const SlurmJobState&) = default;
};

// One attempt, from srun's start to its end.
struct Record {
  std::optional<GroupNumber> group = {};  // with groups=
  std::string program;                    // as the user typed it, for the headline
  std::vector<std::string> command =
      {};            // the program with its arguments; at most max_command_bytes
  std::string step;  // "42.0"; empty if no node has reported it
  std::uint32_t attempt = 0;
  std::uint32_t ranks = 0;
  std::vector<NodeRecord> nodes;       // indexed by the layout's node index
  std::vector<std::uint32_t> node_of;  // for each entry of `ends`: the node of that rank
  std::vector<RankEnd> ends;           // in the order in which the supervisor learned of them
  std::vector<SignalSent> signals;     // sent to the supervisor
  // The hang for which the supervisor stopped the ranks: hang=TIME+restart.
  std::optional<Hang> hang;
  // A hang that hang= has reported and that lasted until the end.
  std::optional<Hang> standstill;
  std::vector<slow::Named> slow = {};  // who held all others up
  std::optional<Moment> ending;        // when the supervisor told the agents to stop their ranks
  Moment launched;                     // srun's start
  std::optional<Moment> created;       // when Slurm created the step, if srun has reported it
  std::optional<std::chrono::nanoseconds> time_limit;  // set by the user for this srun
  Moment over;                                         // srun's end
  std::chrono::system_clock::time_point wall_start;    // the wall-clock time at moment 0
  // Without Slurm: the status of the process that started the ranks.
  std::int32_t srun_wait_status = 0;
  // For how long the supervisor was suspended during this attempt.
  std::chrono::nanoseconds asleep{0};
  SlurmJobState slurm;
  // Somebody other than muster has cancelled the step, as far as srun's standard error tells.
  bool step_cancelled = false;
  bool without_slurm = false;
};

}  // namespace muster::report
