#include "launcher/supervisor/supervision/log_reservation.hpp"

#include "core/srun/line.hpp"
#include "launcher/os/descriptor.hpp"
#include "launcher/os/private_directory.hpp"
#include "launcher/os/small_file.hpp"

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::supervision {

namespace fs = std::filesystem;

namespace {

bool has_files_of_step(const fs::path& directory) {
  return std::ranges::any_of(os::names_in(directory), logs::is_of_attempt);
}

}  // namespace

std::optional<fs::path> directory_to_reserve(std::string_view logs,
                                             const logs::AttemptName& attempt,
                                             const srun::Command& command,
                                             const Environment& environment) {
  if (!logs::names_job_alone(logs) || attempt.job.number.empty()) return std::nullopt;
  std::error_code unknown;
  const auto here = fs::current_path(unknown);
  if (unknown) return std::nullopt;
  const auto elsewhere = setting(read_line(command), environment, "chdir").value_or("");
  return (here / elsewhere / logs::directory(logs, attempt)).lexically_normal();
}

LogReservation::LogReservation(fs::path directory) : directory_(std::move(directory)) {
  std::error_code error;
  created_ = !fs::exists(directory_, error);
  if (os::make_private_directory(directory_) != 0) {
    created_ = false;
    return;
  }
  const auto file = directory_ / logs::reservation;
  const os::Descriptor made(
      open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
  taken_ = (!made && errno == EEXIST) || has_files_of_step(directory_);
  reserved_ = static_cast<bool>(made);
}

LogReservation::~LogReservation() {
  if (reserved_) unlink((directory_ / logs::reservation).c_str());
  if (created_) rmdir(directory_.c_str());
}

}  // namespace muster::supervision
