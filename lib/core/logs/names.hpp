// Where logs= keeps the output of an attempt: one directory, and in it a file for each rank and stream. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::logs {

enum class Stream : std::uint8_t { out = 1, err = 2 };  // the descriptor of the program

inline constexpr std::size_t max_job_name = 1024;

// The job as patterns name it.
struct JobName {
  std::string number = {};      // empty where Slurm has not given one yet
  std::string array = {};       // the array's number; empty outside of arrays
  std::string array_task = {};  // empty outside of arrays
  std::string name = {};        // --job-name
  std::string user = {};
  std::string node = {};  // on which the supervisor runs, without its domain

  friend bool operator==(const JobName&, const JobName&) = default;
};

// What tells the attempts that may use the same logs= apart.
struct AttemptName {
  std::string step = {};  // "4711.0"; empty where there was none
  std::uint32_t attempt = 0;
  std::uint32_t slurm_restarts = 0;  // of the job: its steps are numbered anew each time
  JobName job = {};
};

// logs=DIR as the user wrote it, with what stands for its patterns and, where these do not tell the attempts
// apart, a folder or an ending for the attempt: "DIR/4711.0-attempt-0", "4711-attempt-1". The patterns are
// srun's. %a is the task of an array where %A is there as well, and the attempt otherwise; %r says how often
// the job ran before. Throws Error for any other pattern, and for a DIR that is empty.
std::string directory(std::string_view logs, const AttemptName& attempt);

// report=FILE with what stands for its patterns, of which %a is always the task of an array. `last`: the last
// attempt. Throws Error for a pattern that does not exist.
std::string report_file(std::string_view report, const AttemptName& last);

// What a folder of that form is of, such as "4711.0-attempt-0"; nothing for any other name.
std::optional<AttemptName> attempt_of(std::string_view folder);

// Of a rank in that directory: "rank-7.out".
std::string file_name(std::uint32_t rank, Stream stream);

// Whose file has that name, and which stream is in it; nothing for any other name.
struct FileOfRank {
  std::uint32_t rank = 0;
  Stream stream = Stream::out;
};
std::optional<FileOfRank> rank_of(std::string_view file);

// What libmuster keeps of that rank's start: "rank-7.times".
std::string times_name(std::uint32_t rank);

// Whose file has that name; nothing for any other name.
std::optional<std::uint32_t> rank_of_times(std::string_view file);

// Beside the directories of all attempts: the link to the newest.
inline constexpr std::string_view latest = "latest";

}  // namespace muster::logs
