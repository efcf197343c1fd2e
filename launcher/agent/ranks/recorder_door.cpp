#include "launcher/agent/ranks/recorder_door.hpp"

#include "core/contains.hpp"
#include "core/dump/stacks.hpp"
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
constexpr std::size_t max_stacks_bytes = std::size_t{384} << 10;

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
  send(word_);
}

void RecorderDoor::ask_times(std::chrono::nanoseconds since) {
  word_ = fmt::format("{}-{}-{}-{:x}t", getpid(), pid_, ++asked_, since.count());
  send(word_);
}

void RecorderDoor::ask_stacks(bool again) {
  if (!again || stacks_word_.empty())
    stacks_word_ = fmt::format("{}-{}-{}s", getpid(), pid_, ++asked_);
  send(stacks_word_);
}

void RecorderDoor::send(const std::string& word) const {
  const auto text = word + '\n';
  // A query that does not fit goes unanswered.
  static_cast<void>(!write(pipe_.get(), text.data(), text.size()));
}

// The lines: the recent words, the collectives, and, if the last query was for them, the stacks.
std::string RecorderDoor::line(std::size_t index, const std::string& word,
                               std::size_t max_bytes) const {
  std::string text(max_words + max_bytes, '\0');
  const auto size = pread(file_.get(), text.data(), text.size(), 0);
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  const auto lines = text::split(text, '\n');
  // What follows the last line end is not a line.
  if (word.empty() || index + 1 >= lines.size()) return {};
  if (!contains(text::split(lines[0], ' '), std::string_view(word))) return {};
  return std::string(lines[index]);
}

std::optional<dump::Recorder> RecorderDoor::answer() const {
  const auto text = line(1, word_, dump::max_recorder_bytes);
  if (text.empty()) return std::nullopt;
  return dump::recorder_of(text);
}

std::optional<std::vector<dump::Thread>> RecorderDoor::stacks() const {
  const auto text = line(2, stacks_word_, dump::max_recorder_bytes + max_stacks_bytes);
  if (text.empty()) return std::nullopt;
  return dump::stacks_of_package(text);
}

std::optional<slow::Answer> RecorderDoor::times() const {
  const auto text = line(1, word_, slow::max_answer_bytes);
  if (text.empty()) return std::nullopt;
  return slow::answer_of(text);
}

bool has_torch(pid_t pid) {
  const auto maps = os::small_file(fmt::format("/proc/{}/maps", pid), max_maps);
  return maps.find("/libtorch_python.so") != std::string::npos;
}

}  // namespace muster::ranks
