// Ranks that do the same, together: which of them wait, and which they probably wait for. Pure.
#pragma once

#include "core/dump/collectives.hpp"
#include "core/dump/look.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace muster::dump {

enum class Standing : std::uint8_t {
  silent,   // cannot continue by itself, or nothing is known of it
  suspect,  // in another place than most
  waiting   // in the place where most are
};

struct Group {
  Standing standing = Standing::waiting;
  std::vector<std::uint32_t> ranks;  // ascending
  std::string what;                  // "stopped by a signal (state T)"; of running ones their state
  std::vector<Frame> stack = {};     // what is the same in both looks of all, innermost first
  bool moves = false;                // between the two looks
  std::uint32_t cpu_percent = 0;     // of one CPU, the busiest rank's
  bool missing = false;              // has not come to the collective in which others wait
  std::string remark = {};           // why there is no stack
  std::string node = {};             // of the first rank, where it is known
  std::uint32_t pid = 0;
};

// Processes below the ranks, such as a DataLoader's workers.
struct ChildGroup {
  std::set<std::uint32_t> ranks;
  std::uint32_t processes = 0;
  std::string program;
  std::string what;
  std::vector<Frame> stack = {};
  bool stands_still = false;  // stopped, ended or in uninterruptible sleep
  std::string node = {};      // of the first
  std::uint32_t pid = 0;
};

struct Dump {
  std::string step;  // "42.0"
  std::chrono::system_clock::time_point time;
  std::chrono::milliseconds took{0};
  std::uint32_t ranks_of_step = 0;
  std::vector<Group> groups = {};            // silent ones first, then suspects, the smallest first
  std::vector<ChildGroup> children = {};     // those that do not move first, then the smallest
  std::vector<Collective> collectives = {};  // that do not end
  std::string logs = {};                     // the attempt's folder of logs=, if there is one
  std::vector<std::string> remarks = {};     // each once, with its nodes
  Looks looks = {};
};

struct Question {
  std::string step;
  std::uint32_t ranks_of_step = 0;
  std::set<std::uint32_t> ranks = {};  // empty: all
};

// Each rank that is asked for is in exactly one group.
Dump make_dump(const Question& question, Looks looks);

// One rank of each group that may go on, of the largest groups: what a tool that stops a rank looks at.
std::set<std::uint32_t> representatives(const Dump& dump, std::size_t max_ranks);

// Puts the stacks that such a tool has seen in place of the groups' stacks.
void add_native_looks(Dump& dump, Looks looks);

// The process that stands for its rank: the task's own, or the first Python program below it where the
// task's is a wrapper. `looks`: of one rank, not empty.
const ProcessLook& main_process(const std::vector<const ProcessLook*>& looks);

// The frames that both looks have in common, from the outermost on. A frame whose line has changed is
// the last of them, without its line.
std::vector<Frame> common_frames(const Sample& first, const Sample& second);

}  // namespace muster::dump
