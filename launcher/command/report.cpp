#include "core/error.hpp"
#include "core/page/page.hpp"
#include "core/text/quote.hpp"
#include "launcher/command/commands.hpp"
#include "launcher/command/usage_error.hpp"
#include "launcher/os/new_file.hpp"
#include "launcher/os/output.hpp"
#include "launcher/site/installed.hpp"
#include "launcher/tools/page/read_run.hpp"
#include "launcher/tools/page/run_place.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::command {
namespace {

namespace fs = std::filesystem;

constexpr mode_t as_private_as_the_logs = 0600;

struct PageOptions {
  std::vector<std::string> words;
  std::optional<std::string> output;
};

fs::path named_directory(const PageOptions& options) {
  if (options.words.empty()) {
    throw command::UsageError("muster report needs a logs= directory: muster report DIR");
  }
  if (options.words.size() > 1) {
    throw command::UsageError(fmt::format("muster report takes only one directory; leave out {}",
                                          text::in_quotes(options.words[1])));
  }
  return options.words.front();
}

// Decides where to write if `directory` itself is unsuitable: another user could replace the file there, or
// would find a file they did not ask for.
fs::path place_beside(const fs::path& directory) {
  struct stat status {};
  if (stat(directory.c_str(), &status) == 0 && status.st_uid != geteuid()) {
    throw Error(fmt::format(
        "{} belongs to another user; choose where to write the page: -o FILE, or -o - for standard output",
        text::printable_path(directory.string())));
  }
  return directory / "report.html";
}

void write_page(const std::string& html, const fs::path& file) {
  if (const int error = os::write_new_file(file, html, as_private_as_the_logs); error != 0) {
    throw Error(fmt::format(
        "cannot write {}: {}; use -o FILE to write it elsewhere, or -o - for standard output",
        text::printable_path(file.string()), std::strerror(error)));
  }
  os::print(text::printable_path(file.string()) + "\n", "name of the page");
}

void say_problems(const page::Run& run) {
  for (const auto& problem : run.problems) os::say(os::Severity::warning, problem);
  const auto& newest = run.folders.back();
  if (newest.report || newest.damaged) return;
  os::say(os::Severity::warning,
          fmt::format(
              "{}: no report.json yet: the run is in progress, or its supervisor was killed; the "
              "page shows what has been recorded so far",
              newest.name));
}

int run_report(const PageOptions& options) {
  const auto directory = named_directory(options);
  const auto place = page::find_run(directory);
  const auto file = options.output ? fs::path(*options.output) : place_beside(directory);
  auto run = page::read_run(place, !options.output);
  run.directory = directory.string();
  run.version = site::installed_version();
  run.made = std::chrono::system_clock::now();
  say_problems(run);
  const auto html = page::to_html(run);
  if (file == "-") {
    os::print(html, "page");
  } else {
    write_page(html, file);
  }
  return EXIT_SUCCESS;
}

}  // namespace

Command report_command() {
  auto options = std::make_shared<PageOptions>();
  command::Command command("report", "make an HTML page about a run from its logs= directory");
  command
      .value("--output", options->output,
             "the file to write (default: DIR/report.html; -: standard output)")
      .letter('o')
      .takes("directory", options->words,
             "the logs= or --log-dir directory, or the folder of one attempt");
  return command.action([options] { return run_report(*options); });
}

}  // namespace muster::command
