// What a run has left in the directory of logs=, as values: one folder for each attempt, and of each what
// could be read. Whoever reads the files fills it; the page shows it.
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
  WallTime written;  // the last time

  friend bool operator==(const OutputFile&, const OutputFile&) = default;
};

struct RankFiles {
  std::optional<OutputFile> out;
  std::optional<OutputFile> err;

  friend bool operator==(const RankFiles&, const RankFiles&) = default;
};

// The end of a file, of which no more is read.
struct Tail {
  std::uint32_t rank = 0;
  std::string file;  // its name in the folder
  std::string text;
};

struct AttemptFolder {
  std::string name;  // of the folder itself
  std::string
      link;  // its URL relative to the page, with a slash behind it; empty: nothing is linked
  std::optional<report::ReadReport> report;
  bool damaged = false;  // there is a report, and it cannot be read
  std::optional<plan::StepPlan> plan;
  std::optional<WallTime> begun;  // when plan.json was written: before the ranks start
  std::map<std::uint32_t, RankFiles> files;
  std::map<std::uint32_t, Bootstrap> bootstraps;  // of ranks that use libmuster
  std::vector<Tail> tails;
};

struct Run {
  std::string directory;               // as the user named it
  std::vector<AttemptFolder> folders;  // of the attempts that are there, oldest first; never empty
  std::vector<std::string> problems;   // what could not be read: what, why, and what to do
  std::size_t other_runs = 0;          // that lie beside it
  std::string version;                 // of muster
  WallTime made;                       // the page
};

// The newest report; nothing where there is none.
const report::ReadReport* last_report(const Run& run);

// By the wall clock.
WallTime time_at(const report::Report& report, const report::Moment& moment);

// How the newest attempt ended is not known: it has no report, because it still runs or its supervisor has
// gone, or the report cannot be read.
bool is_open(const Run& run);

}  // namespace muster::page
