#include "launcher/agent/log_files.hpp"

#include "core/error.hpp"
#include "core/layout/numbering.hpp"
#include "core/logs/names.hpp"
#include "core/text/number.hpp"
#include "core/text/quote.hpp"
#include "launcher/agent/context.hpp"
#include "launcher/channel/step/facts.hpp"
#include "launcher/os/descriptor.hpp"
#include "launcher/os/private_directory.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::agent {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const StepContext& context, const std::string& path,
                       const std::string& why) {
  throw Error(fmt::format("{}: logs={}: {}: {}", context.node_name(),
                          text::printable_path(*context.request().logs), text::printable_path(path),
                          why));
}

[[noreturn]] void fail(const StepContext& context, const std::string& path, int error) {
  fail(context, path,
       fmt::format("{}; use a directory that you can write to", std::strerror(error)));
}

logs::AttemptName name_of(const StepContext& context) {
  const auto count = text::number<std::uint32_t>(context.environment.get("SLURM_RESTART_COUNT"));
  return {.step = step::run_id(context.name),
          .attempt = context.attempt.number,
          .slurm_restarts = count.value_or(0),
          .job = context.attempt.job,
          .beside_other_step = context.attempt.beside_other_step};
}

void make_directory(const StepContext& context, const fs::path& directory) {
  const int error = os::make_private_directory(directory);
  if (error == 0) return;
  if (error != EPERM) fail(context, directory, error);
  fail(context, directory, "this directory belongs to another user; use a directory of your own");
}

std::string make_file(const StepContext& context, const fs::path& file) {
  const os::Descriptor made(
      open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (made) return file;
  if (errno != EEXIST) fail(context, file, errno);
  fail(
      context, file,
      "this file already exists, and muster does not overwrite it; put %J and %r into the name in logs=");
}

// Best effort: anything under that name that is not a link is left alone.
void point_to(const fs::path& directory) {
  const auto link = directory.parent_path() / logs::latest;
  const auto hidden = directory.parent_path() / fmt::format(".{}-{}", logs::latest, getpid());
  struct stat status {};
  if (lstat(link.c_str(), &status) == 0 && !S_ISLNK(status.st_mode)) return;
  if (symlink(directory.filename().c_str(), hidden.c_str()) != 0) return;
  if (rename(hidden.c_str(), link.c_str()) != 0) unlink(hidden.c_str());
}

}  // namespace

LogFiles make_log_files(const StepContext& context) {
  const auto& request = context.request();
  if (!request.logs || request.dry_run) return {};
  const auto directory =
      (fs::path(context.facts.working_directory) / logs::directory(*request.logs, name_of(context)))
          .lexically_normal();
  make_directory(context, directory);
  const auto step = number_ranks(context.layout, request.ranks);
  LogFiles files{.directory = directory, .ranks = {}};
  for (const auto task : tasks_on(context.layout, context.node)) {
    const auto rank = step.rank(task);
    files.ranks.push_back(
        {make_file(context, directory / logs::file_name(rank, logs::Stream::out)),
         make_file(context, directory / logs::file_name(rank, logs::Stream::err))});
  }
  if (context.is_leader()) point_to(directory);
  return files;
}

}  // namespace muster::agent
