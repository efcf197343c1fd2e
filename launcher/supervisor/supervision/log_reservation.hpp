// logs=logs/%j names one directory for all steps of a job. The first of them gets it. The supervisor of any
// other step learns that before the launch, because all nodes of the step must use the same name.
#pragma once

#include "core/environment.hpp"
#include "core/logs/names.hpp"
#include "core/srun/command.hpp"

#include <filesystem>
#include <optional>
#include <string_view>

namespace muster::supervision {

// The directory that a step gets if no other step has it. No value if its name is different for each step, or
// if the job is unknown, because srun has yet to request it.
std::optional<std::filesystem::path> directory_to_reserve(std::string_view logs,
                                                          const logs::AttemptName& attempt,
                                                          const srun::Command& command,
                                                          const Environment& environment);

// Reserves the directory for as long as this object exists, against supervisors on all hosts that share the
// file system.
class LogReservation {
 public:
  // Creates the directory. If that is impossible, reserves nothing: the nodes report the reason.
  explicit LogReservation(std::filesystem::path directory);
  LogReservation(const LogReservation&) = delete;
  LogReservation& operator=(const LogReservation&) = delete;
  // Removes the directory again if it was created here and is still empty.
  ~LogReservation();

  // Whether another step uses it, or has used it.
  [[nodiscard]] bool is_taken() const { return taken_; }

 private:
  std::filesystem::path directory_;
  bool created_ = false;
  bool reserved_ = false;
  bool taken_ = false;
};

}  // namespace muster::supervision
