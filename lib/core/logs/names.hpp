// Where logs= keeps the output of an attempt: a directory with a file for each rank and stream. Pure.
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
  std::string number = {};      // empty if Slurm has not yet assigned one
  std::string array = {};       // the array's number; empty outside of arrays
  std::string array_task = {};  // empty outside of arrays
  std::string name = {};        // --job-name
  std::string user = {};
  std::string node = {};  // where the supervisor runs, without its domain

  friend bool operator==(const JobName&, const JobName&) = default;
};

// What distinguishes the attempts that may use the same logs=.
struct AttemptName {
  std::string step = {};  // "4711.0"; empty if there was no step
  std::uint32_t attempt = 0;
  // How often the job was requeued; its step numbers restart each time.
  std::uint32_t slurm_restarts = 0;
  JobName job = {};
  // Another step of the job has the directory whose name does not contain the step's number.
  bool beside_other_step = false;
};

// logs=DIR as the user wrote it, with its patterns replaced. If these do not distinguish the attempts, a
// folder or an ending for the attempt is added: "DIR/4711.0-attempt-0", "4711-attempt-1", "4711.3" beside
// another step, and "4711-run-1" after the job's first requeue. The patterns are srun's. %a is the array task
// if %A is used as well, and the attempt otherwise; %r is how many times the job ran before. Throws Error for
// any other pattern, and for an empty DIR.
std::string directory(std::string_view logs, const AttemptName& attempt);

// Whether two steps of a job have the same directory unless one of them is `beside_other_step`.
bool names_job_alone(std::string_view logs);

// report=FILE with its patterns replaced; %a is always the array task. `last`: the last attempt. Throws Error
// for an unknown pattern.
std::string report_file(std::string_view report, const AttemptName& last);

// metrics=FILE likewise; `first`: the first attempt.
std::string metrics_file(std::string_view metrics, const AttemptName& first);

// Whether the file has another name for another step, which is unknown before Slurm has created it.
bool names_step(std::string_view pattern);

// The attempt to which a folder such as "4711.0-attempt-0" belongs; no value for any other name.
std::optional<AttemptName> attempt_of(std::string_view folder);

// The name of a rank's file in that directory: "rank-7.out".
std::string file_name(std::uint32_t rank, Stream stream);

// The rank and the stream of a file with that name; no value for any other name.
struct FileOfRank {
  std::uint32_t rank = 0;
  Stream stream = Stream::out;
};
std::optional<FileOfRank> rank_of(std::string_view file);

// The file in which libmuster records the start of that rank: "rank-7.times".
std::string times_name(std::uint32_t rank);

// The rank of a file with that name; no value for any other name.
std::optional<std::uint32_t> rank_of_times(std::string_view file);

// Whether a directory with a file of that name is an attempt's.
bool is_of_attempt(std::string_view file);

// The file that reserves a directory for a step until the step's own files are there.
inline constexpr std::string_view reservation = ".reserved";

// The link to the newest attempt's directory, next to all of them.
inline constexpr std::string_view latest = "latest";

}  // namespace muster::logs
