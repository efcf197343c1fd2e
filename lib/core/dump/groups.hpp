// Groups the ranks that do the same thing, and decides which groups wait and which ones they probably wait
// for. Pure.
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
  silent,   // cannot continue by itself, or nothing is known about it
  suspect,  // in a different place from most ranks
  waiting   // in the same place as most ranks
};

struct Group {
  Standing standing = Standing::waiting;
  std::vector<std::uint32_t> ranks;  // ascending
  std::string what;  // "stopped by a signal (state T)"; for running processes, their state
  std::vector<Frame> stack = {};  // the frames common to both looks of all ranks, innermost first
  bool moves = false;             // made progress between the two looks
  std::uint32_t cpu_percent = 0;  // percent of one CPU, for the busiest rank
  bool missing = false;           // has not reached the collective in which others wait
  std::string remark = {};        // why there is no stack
  std::string node = {};          // the first rank's node, if known
  std::uint32_t pid = 0;
};

// Processes below the ranks, such as a DataLoader's workers.
struct ChildGroup {
  std::set<std::uint32_t> ranks;
  std::uint32_t processes = 0;
  std::string program;
  std::string what;
  std::vector<Frame> stack = {};
  bool stands_still = false;  // stopped, exited or in uninterruptible sleep
  std::string node = {};      // the first one's node
  std::uint32_t pid = 0;
};

struct Dump {
  std::string step;  // "42.0"
  std::chrono::system_clock::time_point time;
  std::chrono::milliseconds took{0};
  std::uint32_t ranks_of_step = 0;
  std::vector<Group> groups = {};         // silent ones first, then suspects; smaller groups first
  std::vector<ChildGroup> children = {};  // those without progress first, then the smallest
  std::vector<Collective> collectives = {};  // those that do not complete
  std::string logs = {};                     // the attempt's folder in logs=, if there is one
  std::vector<std::string> remarks = {};     // each once, with the nodes that made it
  Looks looks = {};
};

struct Question {
  std::string step;
  std::uint32_t ranks_of_step = 0;
  std::set<std::uint32_t> ranks = {};  // empty: all
};

// Each rank that was asked for is in exactly one group.
Dump make_dump(const Question& question, Looks looks);

// One rank from each of the largest groups that may continue: the ranks for a tool that pauses the rank it
// inspects.
std::set<std::uint32_t> representatives(const Dump& dump, std::size_t max_ranks);

// Replaces the groups' stacks with those that such a tool has collected.
void add_native_looks(Dump& dump, Looks looks);

// The process that represents its rank: the task's own, or the first Python program below it if the task's
// own process is a wrapper. `looks`: of one rank, not empty.
const ProcessLook& main_process(const std::vector<const ProcessLook*>& looks);

// The frames that both looks have in common, outermost first. A frame whose line number has changed is the
// last of them, without its line number.
std::vector<Frame> common_frames(const Sample& first, const Sample& second);

}  // namespace muster::dump
