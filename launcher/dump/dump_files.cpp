#include "launcher/dump/dump_files.hpp"

#include "core/dump/json.hpp"
#include "core/dump/text.hpp"
#include "core/error.hpp"
#include "core/text/quote.hpp"
#include "launcher/os/new_file.hpp"
#include "launcher/os/private_directory.hpp"

#include <cstring>
#include <set>

#include <fmt/format.h>
#include <unistd.h>

namespace muster::dump {
namespace {

void write(const std::filesystem::path& file, const std::string& text) {
  if (const int error = os::write_new_file(file, text); error != 0) {
    throw Error(fmt::format("cannot write {}: {}; choose another directory by --output=DIR",
                            text::in_quotes(file.native()), std::strerror(error)));
  }
}

}  // namespace

std::string usual_directory(const Dump& dump) {
  const auto time = time_text(dump.time, "%Y%m%d-%H%M%S");
  if (!dump.logs.empty() && access(dump.logs.c_str(), W_OK | X_OK) == 0) {
    return fmt::format("{}/dump-{}", dump.logs, time);
  }
  return fmt::format("muster-dump-{}-{}", dump.step, time);
}

void write_files(const Dump& dump, const std::filesystem::path& directory) {
  if (const int error = os::make_private_directory(directory); error != 0) {
    throw Error(fmt::format("cannot make {}: {}; choose another directory by --output=DIR",
                            text::in_quotes(directory.native()), std::strerror(error)));
  }
  write(directory / "dump.txt", full_text(dump));
  write(directory / "dump.json", to_json(dump));
  std::set<std::uint32_t> ranks;
  for (const auto& look : dump.looks.processes) ranks.insert(look.rank);
  for (const auto rank : ranks) {
    write(directory / fmt::format("rank-{}.txt", rank), rank_text(dump, rank));
  }
}

}  // namespace muster::dump
