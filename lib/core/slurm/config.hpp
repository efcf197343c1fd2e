// Slurm's configuration, as `scontrol show config` prints it: "NAME  = VALUE" lines. Written for the outputs
// of Slurm 22.05 to 26.05. Pure.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::slurm {

// The most that is read of scontrol's output; a real one is about 10 KiB.
inline constexpr std::size_t max_config_bytes = 1048576;

// Slurm's default, for a slurm.conf that does not set KillWait.
inline constexpr std::chrono::seconds default_kill_wait{30};

class Config {
 public:
  // Ignores lines of any other form, and an incomplete last line. The first of two lines with the same name
  // counts, because plugins have sections of their own at the end.
  static Config from_text(std::string_view text);

  // The rest of the line; empty if there is no line with that name.
  [[nodiscard]] std::string value(std::string_view name) const;

  // How long Slurm waits between SIGTERM and SIGKILL.
  [[nodiscard]] std::optional<std::chrono::seconds> kill_wait() const;

  // How long a node must be silent before Slurm marks it DOWN; 0: never.
  [[nodiscard]] std::optional<std::chrono::seconds> slurmd_timeout() const;

  // The port of slurmd on nodes that do not have their own; if none is configured, Slurm's default, 6818.
  [[nodiscard]] std::uint16_t slurmd_port() const;

  [[nodiscard]] std::vector<std::string> plugin_directories() const;

  // Whether a job may be submitted with --requeue=expedite.
  [[nodiscard]] bool permits_expedited_requeue() const;

  // Whether a running job may give nodes back.
  [[nodiscard]] bool permits_shrinking() const;

 private:
  // The number at the beginning of the value.
  [[nodiscard]] std::optional<std::uint32_t> number(std::string_view name) const;

  std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace muster::slurm
