// The messages that an agent and the supervisor exchange over a watch: the agent's connection to the
// supervisor while the step's tasks run. A new field goes next to its type. Whatever comes from the other end
// is checked, and every length has a limit (core/record/record.hpp).
//
//   agent -> supervisor   hello   its name and what it watches, right after each connect
//                         beat    its own clock; several within each heartbeat
//                         ended   a rank's process has ended, with everything known about it
//                         remark  one line for the report (why it fenced its ranks)
//                         stuck   ranks that SIGKILL has not ended
//                         hangs   a rank has written its exception but does not exit
//                         group   its ranks have torch's process group, once
//                         met     which of its ranks have come to the rendezvous, when that has changed
//                         counted the node's counts, once for each request
//                         examined what holds a rank up, once for each request
//                         arrived when its ranks came to their collectives, with slow= only
//                         carried what its ranks have sent to other nodes, with slow= only
//                         bye     every task has ended; the last message
//                         and output of ranks, which is not an event (core/view/output.hpp)
//   supervisor -> agent   beat    the answer to a beat: that clock, and the supervisor's
//                         end     stop all ranks: SIGTERM now, SIGKILL after the grace period
//                         signal  for each rank's process, once
//                         shown   output of a rank that is no longer in flight
//                         examine a rank is slow: find out why, and report
//                         count   a user requested the step's status: count and report
//                         pause   silence until the next beat: the user has suspended the supervisor
#pragma once

#include "core/record/limits.hpp"
#include "core/report/record.hpp"
#include "core/slow/cause.hpp"
#include "core/slow/piece.hpp"
#include "core/slow/traffic.hpp"
#include "core/status/status.hpp"
#include "core/view/output.hpp"

#include <chrono>
#include <csignal>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace muster::watch {

inline constexpr std::size_t max_event_bytes = std::size_t{64} << 10;
inline constexpr std::size_t max_ranks_of_node = 1792;  // as many as a message has room for
inline constexpr record::Line step_name{64};
inline constexpr record::Line node_name{255};
inline constexpr record::Line remark_line{1024};
inline constexpr record::Clamp grace_time{std::chrono::milliseconds(0), std::chrono::hours(24)};

// The error of an agent's moment before any of its beats has been answered. Such a moment counts from the
// agent's start, so only differences between that agent's moments are meaningful.
inline constexpr std::chrono::nanoseconds unknown_error = std::chrono::hours{24 * 365 * 50};

struct Hello {
  std::string step;  // "42.0"
  std::string node;
  std::vector<report::RankPlace> ranks;  // includes process IDs once the tasks have started
  report::Moment started;  // when the first task started; valid once there are process IDs
  std::uint32_t ranks_of_step = 0;
  bool counts = false;                           // the agent answers count requests
  std::uint32_t gpus = 0;                        // that the node has for the step
  std::optional<report::AgentTimes> agent = {};  // present once there are process IDs
};
template <class Io>
void fields(Io& io, Hello& hello) {
  io(hello.step, step_name)(hello.node, node_name)(hello.ranks, record::First{max_ranks_of_node});
  io(hello.started)(hello.ranks_of_step)(hello.counts)(hello.gpus)(hello.agent);
}

// A node's monotonic clock, and its estimate of the supervisor's.
struct Beat {
  std::chrono::nanoseconds sent{0};        // by the agent's clock
  std::chrono::nanoseconds supervisor{0};  // in the answer: when the beat arrived there
};
template <class Io>
void fields(Io& io, Beat& beat) {
  constexpr record::Range any{-record::max_time, record::max_time};
  io(beat.sent, any)(beat.supervisor, any);
}

struct Ended {
  report::RankEnd end;
};
template <class Io>
void fields(Io& io, Ended& ended) {
  io(ended.end);
}

struct Remark {
  std::string line;
};
template <class Io>
void fields(Io& io, Remark& remark) {
  // An empty remark would erase the node's earlier one.
  io(remark.line, remark_line).require(!remark.line.empty());
}

struct Stuck {
  std::vector<std::uint32_t> ranks;
};
template <class Io>
void fields(Io& io, Stuck& stuck) {
  io(stuck.ranks, record::First{max_ranks_of_node});
}

// A rank that has failed with an exception and is still running.
struct Hangs {
  std::uint32_t rank = 0;
  std::string message;  // the exception's message, on one line
};
template <class Io>
void fields(Io& io, Hangs& hangs) {
  io(hangs.rank)(hangs.message, remark_line).require(!hangs.message.empty());
}

// The last of the node's ranks has torch's process group: the program has started.
struct Group {
  report::Moment time;
  std::string line;  // a warning for the user; usually empty
};
template <class Io>
void fields(Io& io, Group& group) {
  io(group.time)(group.line, remark_line);
}

// Which of the node's ranks have come to the rendezvous.
struct Met {
  AtStore at_store;
};
template <class Io>
void fields(Io& io, Met& met) {
  io(met.at_store);
}

// The answer to the count with this number.
struct Counted {
  std::uint32_t number = 0;
  status::Counts counts;
};
template <class Io>
void fields(Io& io, Counted& counted) {
  io(counted.number)(counted.counts);
}

// The answer to the examination with this number.
struct Examined {
  std::uint32_t number = 0;
  slow::Evidence evidence;
};
template <class Io>
void fields(Io& io, Examined& examined) {
  io(examined.number)(examined.evidence);
}

struct Arrived {
  slow::Piece piece;
};
template <class Io>
void fields(Io& io, Arrived& arrived) {
  io(arrived.piece);
}

struct Carried {
  slow::Traffic traffic;
};
template <class Io>
void fields(Io& io, Carried& carried) {
  io(carried.traffic);
}

struct Bye {};

// To an agent: end your ranks.
struct End {
  std::chrono::milliseconds grace{0};
};
template <class Io>
void fields(Io& io, End& end) {
  io(end.grace, grace_time);
}

// To an agent: pass on a signal that the user sent to the supervisor.
struct Signal {
  std::int32_t number = 0;
};
template <class Io>
void fields(Io& io, Signal& signal) {
  io(signal.number, record::Range{1, NSIG - 1});
}

// To an agent: everything before this offset of the stream has been shown, or never will be.
struct Shown {
  view::Source source;
  std::uint64_t offset = 0;
};
template <class Io>
void fields(Io& io, Shown& shown) {
  io(shown.source.rank)(shown.source.stream, record::Range{view::Stream::out, view::Stream::err});
  io(shown.offset, record::Range{0, std::numeric_limits<std::int64_t>::max()});
}

// To an agent that can count: report your node's counts now.
struct Count {
  std::uint32_t number = 0;
};
template <class Io>
void fields(Io& io, Count& count) {
  io(count.number);
}

// To an agent: compare the counters of this rank, as torch numbers it, or of all ranks of the node, over a
// few seconds.
struct Examine {
  std::uint32_t number = 0;
  std::optional<std::uint32_t> rank = {};
};
template <class Io>
void fields(Io& io, Examine& examine) {
  io(examine.number)(examine.rank);
}

// To an agent: the user is about to suspend the supervisor (Ctrl-Z), and will resume it later.
struct Pause {};

using FromAgent = std::variant<Hello, Beat, Ended, Remark, Stuck, Hangs, Group, Met, Counted,
                               Examined, Arrived, Carried, Bye>;
using FromSupervisor = std::variant<Beat, End, Signal, Shown, Count, Examine, Pause>;

std::string to_text(const FromAgent& event);
std::string to_text(const FromSupervisor& event);

// Throws Error for anything that to_text() cannot have written.
FromAgent event_from_agent(std::string_view text);
FromSupervisor event_from_supervisor(std::string_view text);

}  // namespace muster::watch
