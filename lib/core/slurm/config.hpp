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

// The most that is read of scontrol's output; real ones have about 10 KiB.
inline constexpr std::size_t max_config_bytes = 1048576;

// If slurm.conf does not set KillWait.
inline constexpr std::chrono::seconds default_kill_wait{30};

class Config {
 public:
  // Passes over what is not such a line, and over a last line that was cut off. The first of two lines with
  // one name counts: plugins have sections of their own at the end.
  static Config from_text(std::string_view text);

  // The rest of the line; empty without the name.
  [[nodiscard]] std::string value(std::string_view name) const;

  // How long Slurm waits between SIGTERM and SIGKILL.
  [[nodiscard]] std::optional<std::chrono::seconds> kill_wait() const;

  // After how much silence Slurm calls a node DOWN; 0: never.
  [[nodiscard]] std::optional<std::chrono::seconds> slurmd_timeout() const;

  // The port of slurmd on nodes without one of their own; Slurm's default, 6818, if none is named.
  [[nodiscard]] std::uint16_t slurmd_port() const;

  [[nodiscard]] std::vector<std::string> plugin_directories() const;

  // Whether a running job may give nodes back.
  [[nodiscard]] bool permits_shrinking() const;

 private:
  // The number at the beginning of the value.
  [[nodiscard]] std::optional<std::uint32_t> number(std::string_view name) const;

  std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace muster::slurm
