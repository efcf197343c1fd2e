// What a run left in the directory of logs=, as values: one folder per attempt, with everything that could be
// read from it. launcher/tools/page fills it in and adds the time when the page was made.
#pragma once

#include "core/page/read_times.hpp"
#include "core/plan/step_plan.hpp"
#include "core/report/read_json.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace muster::page {

using WallTime = std::chrono::system_clock::time_point;

struct OutputFile {
  std::uint64_t bytes = 0;
  WallTime written;  // when it was last written

  friend bool operator==(const OutputFile&, const OutputFile&) = default;
};

struct RankFiles {
  std::optional<OutputFile> out;
  std::optional<OutputFile> err;

  friend bool operator==(const RankFiles&, const RankFiles&) = default;
};

// The end of a file; the rest is not read.
struct Tail {
  std::uint32_t rank = 0;
  std::string file;  // its name within the folder
  std::string text;
};

struct AttemptFolder {
  std::string name;  // the folder's own name
  std::string link;  // its URL relative to the page, with a slash at the end; empty: no links
  std::optional<report::ReadReport> report;
  bool damaged = false;  // there is a report, but it cannot be read
  std::optional<plan::StepPlan> plan;
  std::optional<WallTime> begun;  // when plan.json was written: before the ranks start
  std::map<std::uint32_t, RankFiles> files;
  std::map<std::uint32_t, Bootstrap> bootstraps;  // for ranks that use libmuster
  std::vector<Tail> tails;
};

struct Run {
  std::string directory;               // as the user wrote it
  std::vector<AttemptFolder> folders;  // one for each existing attempt, oldest first; never empty
  std::vector<std::string> problems;   // what could not be read: what, why, and what to do
  std::size_t other_runs = 0;          // runs that used the same directory
  std::string version;                 // muster's version
  WallTime made;                       // when the page was made
};

// The newest report, or nullptr.
const report::ReadReport* last_report(const Run& run);

// The moment as wall-clock time.
WallTime time_at(const report::Report& report, const report::Moment& moment);

// True if it is unknown how the newest attempt ended: it has no report, because it is still running or its
// supervisor died, or the report cannot be read.
bool is_open(const Run& run);

}  // namespace muster::page
