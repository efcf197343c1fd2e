// What happened to a step: the values that its agents and the supervisor collect while it runs, and
// from which the report is made. Plain data, bounded by whoever fills it.
//
// What an agent sends has its fields() beside it (core/record/record.hpp). A new fact about a rank's place is
// found out at its start, in launcher/agent/monitored_step.cpp; one about its end in
// launcher/agent/ranks/evidence.cpp. It is shown by first_failure_text.cpp, aftermath_text.cpp, json.cpp
// (read again by read_json.cpp) and core/page/failures.cpp.
#pragma once

#include "core/record/limits.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster::report {

// A moment on the supervisor's monotonic clock, counted from the supervisor's start. Moments on a node's
// clock are translated; `error` is the possible error, in either direction.
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

inline constexpr std::size_t max_message_bytes = 4096;     // of an exception
inline constexpr std::size_t max_traceback_bytes = 32768;  // its end is kept
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

// A rank's process: what is known about it since its start.
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

// There is no status from waitpid: slurmstepd, which alone could ask for it, is gone.
inline constexpr std::int32_t unknown_status = -1;

// How a rank's process ended.
struct RankEnd {
  RankPlace place;
  std::int32_t wait_status = 0;  // as from waitpid, or unknown_status
  Moment time;
  bool ended_by_muster = false;  // an agent had sent it SIGTERM or SIGKILL before
  bool out_of_memory = false;    // the kernel killed it, or one of its children, for memory
  std::optional<Exception> exception;
  std::vector<std::string> last_lines;  // of its stderr if that is a file; newest last
  std::string last_lines_file;
  // Other ranks write to the same file, and nothing in the lines says whose they are.
  bool last_lines_shared = false;
  // Its exception or its lines blamed a peer, but were too long to keep.
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
  silent,      // its agent has not come to the supervisor (yet)
  watched,     // its agent is connected
  done,        // its agent has said that all its tasks have ended
  agent_gone,  // the agent's connection ended without that, but the node is there
  lost,        // no sign of life for heartbeat=
};

// The agent of a node, before its ranks start.
struct AgentTimes {
  Moment begun;  // it has heard of the step
  Moment came;   // the node is prepared, and its agent comes to the rendezvous of the agents
  Moment met;    // all agents have met: the ranks may start

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
  std::optional<Moment> started;           // the first of its tasks
  std::optional<Moment> last_word;         // from its agent
  std::vector<std::uint32_t> stuck_ranks;  // could not be killed: uninterruptible sleep
  std::string remark;  // one line of the agent's, such as why it fenced its ranks; mostly empty
  std::optional<AgentTimes> agent = {};

  friend bool operator==(const NodeRecord&, const NodeRecord&) = default;
};

// A signal that this srun's user, or Slurm for it, sent to the supervisor.
struct SignalSent {
  std::int32_t number = 0;
  Moment time;

  friend bool operator==(const SignalSent&, const SignalSent&) = default;
};

// The step hung, and the supervisor stopped its ranks because of hang=TIME+restart.
struct Hang {
  Moment since;
  std::string found;  // one line: which rank probably holds the others up, or why that is unknown
  std::string node;   // of the first of these; empty if unknown
  std::string dump;   // the directory with all stacks; empty if there is none

  friend bool operator==(const Hang&, const Hang&) = default;
};

// What Slurm says about the job afterwards; empty if it did not answer.
struct SlurmJobState {
  std::string job_state;  // "RUNNING", "TIMEOUT", "NODE_FAIL", "PREEMPTED", "CANCELLED", ...
  std::string reason;

  friend bool operator==(const SlurmJobState&, const SlurmJobState&) = default;
};

// One attempt, from srun's start to its end.
struct Record {
  std::string program;  // as the user typed it, for the headline
  std::vector<std::string> command =
      {};            // the program with its arguments; at most max_command_bytes
  std::string step;  // "42.0"; empty if no node has said it
  std::uint32_t attempt = 0;
  std::uint32_t ranks = 0;
  std::vector<NodeRecord> nodes;       // by node index of the layout
  std::vector<std::uint32_t> node_of;  // by position in `ends`: the node of that rank
  std::vector<RankEnd> ends;           // in the order in which they were learnt
  std::vector<SignalSent> signals;     // to the supervisor
  std::optional<Hang> hang;
  std::optional<Moment> ending;   // when the supervisor told the agents to stop their ranks
  Moment launched;                // srun's start
  std::optional<Moment> created;  // when Slurm had made the step, if srun has told
  std::optional<std::chrono::nanoseconds> time_limit;  // that the user gave this srun
  Moment over;                                         // srun's end
  std::chrono::system_clock::time_point wall_start;    // the wall clock at time 0
  std::int32_t srun_wait_status = 0;   // without Slurm: of the process that started the ranks
  std::chrono::nanoseconds asleep{0};  // for how long the supervisor slept in this attempt
  SlurmJobState slurm;
  bool without_slurm = false;
};

}  // namespace muster::report
