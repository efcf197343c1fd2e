#include "launcher/supervisor/attempts/saved_state.hpp"

#include "core/restart/saved.hpp"
#include "launcher/os/descriptor.hpp"
#include "launcher/os/new_file.hpp"
#include "launcher/os/private_directory.hpp"
#include "launcher/os/user_secret.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::attempts {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view file_prefix = "requeue-";

std::string hash_of(const std::vector<std::string>& command) {
  std::string text;
  for (const auto& word : command) text += word + '\0';
  std::array<unsigned char, crypto_generichash_BYTES_MIN> bytes{};
  crypto_generichash(bytes.data(), bytes.size(),
                     reinterpret_cast<const unsigned char*>(text.data()), text.size(), nullptr, 0);
  return fmt::format("{:02x}", fmt::join(bytes, ""));
}

// A cluster's name, which Slurm hardly restricts, as part of a file name.
std::string file_part(std::string text) {
  const auto strange = [](unsigned char c) { return std::isalnum(c) == 0 && c != '-' && c != '_'; };
  std::ranges::replace_if(text, strange, '_');
  return text.substr(0, 64);
}

}  // namespace

bool only_user_writes(int file) {
  struct stat status {};
  return fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
         (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

std::string saved_state_file(const Environment& environment, const std::string& job,
                             const std::vector<std::string>& command) {
  const auto state = os::state_directory(environment);
  if (state.empty()) return {};
  return fs::path(state) / fmt::format("{}{}-{}-{}", file_prefix,
                                       file_part(environment.get("SLURM_CLUSTER_NAME")),
                                       file_part(job), hash_of(command));
}

std::optional<std::string> read_saved_state(const std::string& file) {
  const os::Descriptor opened(
      open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!opened || !only_user_writes(opened.get())) return std::nullopt;
  std::string text(restart::max_saved_bytes + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const auto count = read(opened.get(), text.data() + size, text.size() - size);
    if (count < 0) return std::nullopt;
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
  }
  text.resize(size);
  return text;
}

void remove_old_states(const std::string& file) {
  constexpr int max_entries = 10000;
  std::error_code error;
  const auto oldest = fs::file_time_type::clock::now() - max_saved_state_age;
  fs::directory_iterator entry(fs::path(file).parent_path(), error);
  for (int i = 0; !error && entry != fs::directory_iterator() && i < max_entries; ++i) {
    const auto& path = entry->path();
    const bool is_state = path.filename().string().starts_with(file_prefix) &&
                          entry->symlink_status(error).type() == fs::file_type::regular;
    if (is_state && fs::last_write_time(path, error) < oldest && !error) fs::remove(path, error);
    error.clear();  // another process may have removed it
    entry.increment(error);
  }
}

std::string write_saved_state(const std::string& file, std::string_view text) {
  if (file.empty()) return "neither XDG_STATE_HOME nor HOME is a directory";
  int error = os::make_directories(fs::path(file).parent_path());
  if (error == 0) error = os::write_new_file(file, text, S_IRUSR | S_IWUSR);
  return error == 0 ? "" : std::generic_category().message(error);
}

}  // namespace muster::attempts
