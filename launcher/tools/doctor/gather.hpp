// The facts of this host: the one place where `muster doctor` reads and asks. Anything that can hang is
// queried in a child with a deadline.
#pragma once

#include "core/doctor/facts.hpp"
#include "core/environment.hpp"
#include "launcher/os/small_file.hpp"

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::doctor {

using Clock = std::chrono::steady_clock;

// Limits for one child, and for all of them together: even a node on which everything hangs answers before
// `muster doctor` gives up.
inline constexpr std::chrono::milliseconds child_timeout{2000};
inline constexpr std::chrono::milliseconds gather_timeout{10'000};

struct Surroundings {
  std::filesystem::path root = "/";  // for the kernel's files and /etc
  Environment environment = {};
  std::string plugstack = {};         // the submit host's; empty: ask Slurm
  std::string plugin_directory = {};  // likewise
  std::string config = {};            // muster.yaml
  bool asks_controller = false;       // off on the nodes: a thousand would ask at once
  std::string nvml = "libnvidia-ml.so.1";
  Clock::time_point deadline = Clock::now() + gather_timeout;
};

// How long the next child may take. Even after the deadline it gets a moment: a healthy part answers within
// milliseconds, and must not count as silent because another one hangs.
std::chrono::milliseconds time_for_child(const Surroundings& surroundings,
                                         std::chrono::milliseconds most = child_timeout);

Facts gather(const Surroundings& surroundings);

// The parts of it, one file each.
void add_host_facts(const Surroundings& surroundings, Facts& facts);
void add_file_facts(const Surroundings& surroundings, Facts& facts);
void add_network_facts(const Surroundings& surroundings, Facts& facts);
// Needs the facts about the network.
void add_peer_facts(const Surroundings& surroundings, Facts& facts);
void add_fabric_facts(const Surroundings& surroundings, Facts& facts);
void add_gpu_facts(const Surroundings& surroundings, Facts& facts);
void add_library_facts(const Surroundings& surroundings, Facts& facts);
void add_variable_facts(const Surroundings& surroundings, Facts& facts);
void add_command_facts(const Surroundings& surroundings, Facts& facts);
void add_slurm_facts(const Surroundings& surroundings, Facts& facts);
void add_plugin_facts(const Surroundings& surroundings, Facts& facts);

// The first line of a small file below `root`, without trailing spaces; empty if there is none.
std::string first_line(const Surroundings& surroundings, std::string_view path);

// Sets the fact if the file exists and is not empty.
void add_line(const Surroundings& surroundings, std::string_view path, std::string_view name,
              Facts& facts);

// Two files with the same contents have the same value; no value if the file cannot be read.
std::optional<std::string> hash_of(const std::filesystem::path& file);

// `path` below `root`.
std::filesystem::path below(const Surroundings& surroundings, const std::filesystem::path& path);

using os::names_in;

// Adds the "name=value" lines from a child that may hang.
void add_lines(const std::string& lines, Facts& facts);

}  // namespace muster::doctor
