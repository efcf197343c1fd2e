#include "launcher/agent/ranks/recorder_door.hpp"

#include "core/contains.hpp"
#include "core/text/list.hpp"
#include "launcher/agent/ranks/memory_file.hpp"
#include "launcher/agent/ranks/process_state.hpp"
#include "launcher/os/small_file.hpp"

#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace muster::ranks {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_words = 512;  // for all recent queries together

}  // namespace

std::optional<RecorderDoor> RecorderDoor::find(pid_t pid) {
  const auto found = find_memory_file(pid, "muster-recorder-");
  if (!found) return std::nullopt;
  const auto pipe = found->path.parent_path() / fmt::to_string(found->number);
  std::error_code gone;
  if (!fs::is_fifo(pipe, gone)) return std::nullopt;
  // Also opened for reading, so that writing does not require a reader at the other end.
  os::Descriptor end(open(pipe.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
  os::Descriptor file(open(found->path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!end || !file) return std::nullopt;
  return RecorderDoor(std::move(end), std::move(file), pid);
}

// In the format that lib/python/muster/_recorder.py reads.
void RecorderDoor::ask(What what) {
  const auto* const end = what == What::numbers ? "n" : "";
  word_ = fmt::format("{}-{}-{}{}", getpid(), pid_, ++asked_, end);
  const auto text = word_ + '\n';
  // A query that does not fit goes unanswered.
  static_cast<void>(!write(pipe_.get(), text.data(), text.size()));
}

std::optional<dump::Recorder> RecorderDoor::answer() const {
  std::string text(max_words + dump::max_recorder_bytes, '\0');
  const auto size = pread(file_.get(), text.data(), text.size(), 0);
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  const auto line_end = text.find('\n');
  if (line_end == std::string::npos || !text.ends_with('\n') || line_end + 1 == text.size()) {
    return std::nullopt;
  }
  const auto words = text::split(std::string_view(text).substr(0, line_end), ' ');
  if (!contains(words, std::string_view(word_))) return std::nullopt;
  return dump::recorder_of(std::string_view(text).substr(line_end + 1));
}

bool has_torch(pid_t pid) {
  const auto maps = os::small_file(fmt::format("/proc/{}/maps", pid), max_maps);
  return maps.find("/libtorch_python.so") != std::string::npos;
}

}  // namespace muster::ranks
