#include "launcher/tools/dump/dump_files.hpp"

#include "core/dump/json.hpp"
#include "core/dump/text.hpp"
#include "core/error.hpp"
#include "core/text/quote.hpp"
#include "launcher/os/bounded_child.hpp"
#include "launcher/os/new_file.hpp"
#include "launcher/os/private_directory.hpp"

#include <cstring>
#include <set>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

namespace muster::dump {
namespace {

struct DumpFile {
  std::string name;
  std::string text;
};

[[noreturn]] void refuse(std::string_view what, const std::filesystem::path& path, int error) {
  throw Error(fmt::format("cannot {} {}: {}; choose another directory with --output=DIR", what,
                          text::in_quotes(path.native()), std::strerror(error)));
}

std::string directory_name(const Dump& dump, bool in_logs) {
  const auto time = time_text(dump.time, "%Y%m%d-%H%M%S");
  if (in_logs) return fmt::format("{}/dump-{}", dump.logs, time);
  return fmt::format("muster-dump-{}-{}", dump.step, time);
}

bool can_write_to_logs(const Dump& dump) {
  return !dump.logs.empty() && access(dump.logs.c_str(), W_OK | X_OK) == 0;
}

std::vector<DumpFile> files_of(const Dump& dump) {
  std::vector<DumpFile> files{{"dump.txt", full_text(dump)}, {"dump.json", to_json(dump)}};
  std::set<std::uint32_t> ranks;
  for (const auto& look : dump.looks.processes) ranks.insert(look.rank);
  for (const auto rank : ranks) {
    files.push_back({fmt::format("rank-{}.txt", rank), rank_text(dump, rank)});
  }
  return files;
}

}  // namespace

std::string usual_directory(const Dump& dump) {
  return directory_name(dump, can_write_to_logs(dump));
}

std::string usual_directory(const Dump& dump, std::chrono::milliseconds timeout) {
  if (dump.logs.empty()) return directory_name(dump, false);
  const auto answer = os::answer_of_child(
      [&dump] { return std::string(can_write_to_logs(dump) ? "yes" : "no"); }, timeout);
  return directory_name(dump, answer == "yes");
}

void write_files(const Dump& dump, const std::filesystem::path& directory) {
  if (const int error = os::make_private_directory(directory); error != 0) {
    refuse("make", directory, error);
  }
  for (const auto& file : files_of(dump)) {
    const auto path = directory / file.name;
    if (const int error = os::write_new_file(path, file.text); error != 0) {
      refuse("write", path, error);
    }
  }
}

// Everything is prepared before the fork, because another thread may have held a lock for which the child
// would wait. malloc()'s own lock is free in the child.
std::function<void()> file_writer(const Dump& dump, const std::filesystem::path& directory) {
  return [directory, files = files_of(dump)] {
    if (const int error = os::make_private_directory(directory); error != 0) _exit(error);
    for (const auto& [name, text] : files) {
      if (const int error = os::write_new_file(directory / name, text); error != 0) _exit(error);
    }
  };
}

}  // namespace muster::dump
