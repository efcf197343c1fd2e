// Where logs= keeps the output of an attempt: one directory, and in it a file for each rank and stream. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::logs {

enum class Stream : std::uint8_t { output, error };

// What tells the attempts that may use the same logs= apart.
struct AttemptName {
  std::string step;  // "4711.0"
  std::uint32_t attempt = 0;
  std::uint32_t slurm_restarts = 0;  // of the job: its steps are numbered anew each time
};

// logs=DIR as the user wrote it, with the attempt's own part: what stands for %j (job), %s (step), %J
// (job.step), %a (attempt), %r (how often the job ran before) and %% (a %), or, where DIR has none of
// these, a folder of that name: "DIR/4711.0-attempt-0". Throws Error for any other %, and for a DIR
// that is empty.
std::string directory(std::string_view logs, const AttemptName& attempt);

// What a folder of that form is of, such as "4711.0-attempt-0"; nothing for any other name.
std::optional<AttemptName> attempt_of(std::string_view folder);

// Of a rank in that directory: "rank-7.out".
std::string file_name(std::uint32_t rank, Stream stream);

// Whose file has that name, and which stream is in it; nothing for any other name.
struct FileOfRank {
  std::uint32_t rank = 0;
  Stream stream = Stream::output;
};
std::optional<FileOfRank> rank_of(std::string_view file);

// What libmuster keeps of that rank's start: "rank-7.times".
std::string times_name(std::uint32_t rank);

// Whose file has that name; nothing for any other name.
std::optional<std::uint32_t> rank_of_times(std::string_view file);

// Beside the directories of all attempts: the link to the newest.
inline constexpr std::string_view latest = "latest";

}  // namespace muster::logs
