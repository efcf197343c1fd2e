// What squeue prints, in the formats that muster asks for. Ignores lines of any other form. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::slurm {

// The most that is read of squeue's output.
inline constexpr std::size_t max_squeue_bytes = std::size_t{4} << 20;

// "42", or "49_2" for a task of an array.
bool is_job_name(std::string_view name);

// A component of a heterogeneous job, which is a job of its own.
struct HetJob {
  std::string leader;
  std::uint32_t offset = 0;
  std::string job;

  friend bool operator==(const HetJob&, const HetJob&) = default;
};

// A task of a job array has a job number of its own, which is in its ranks' environment.
struct ArrayTask {
  std::string name;  // "49_2"
  std::string job;

  friend bool operator==(const ArrayTask&, const ArrayTask&) = default;
};

// Both from lines "NAME|NUMBER" (%i|%A).
std::vector<HetJob> het_jobs(std::string_view output);
std::vector<ArrayTask> array_tasks(std::string_view output);

// The job with that session ID, from lines "JOB SESSION"; empty if there are several.
std::string waiting_job(std::string_view output, std::uint32_t session);

// From lines with one number each (%A).
std::vector<std::string> job_numbers(std::string_view output);

}  // namespace muster::slurm
