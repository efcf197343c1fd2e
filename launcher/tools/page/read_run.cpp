#include "launcher/tools/page/read_run.hpp"

#include "core/error.hpp"
#include "core/page/markup.hpp"
#include "core/page/read_plan.hpp"
#include "core/page/read_times.hpp"
#include "launcher/tools/page/bounded_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

namespace muster::page {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_json_bytes = std::size_t{256}
                                       << 20;  // a plan of 16384 ranks takes less than half of this
constexpr std::size_t max_tail_bytes = 8192;
constexpr std::size_t max_entries = 262144;  // the most entries read from a folder
constexpr std::size_t max_attempts = 50;     // only the newest attempts' folders are read
constexpr std::size_t max_ranks_with_tails = 8;
constexpr std::size_t max_ranks_with_times = 16384;
// Folders whose report may tell which attempt they belong to.
constexpr std::size_t max_searched = 256;

class Reader {
 public:
  Reader(const RunPlace& place, bool links) : place_(place), links_(links) {}

  Run run();

 private:
  AttemptFolder folder(const std::string& name);
  void read_report(AttemptFolder& folder);
  void read_plan(AttemptFolder& folder);
  void read_tails(AttemptFolder& folder);
  void read_files(AttemptFolder& folder);
  void read_times(AttemptFolder& folder, std::vector<std::uint32_t> ranks);
  std::vector<AttemptFolder> earlier(const AttemptFolder& newest);
  std::optional<std::string> find(const report::AttemptSummary& attempt);
  [[nodiscard]] std::string link_of(const std::string& name) const;
  void problem(const AttemptFolder& folder, const char* file, const std::string& text);

  const RunPlace& place_;
  bool links_;
  std::map<std::string, std::string> found_;  // by "STEP-NUMBER", for folders with other names
  bool searched_ = false;
  std::vector<std::string> problems_;
};

WallTime time_of(const timespec& time) {
  return WallTime(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
}

std::string why(const Content& content) {
  if (content.too_large) return fmt::format("it is larger than {} MiB", max_json_bytes >> 20);
  if (content.error == ENOENT) return "there is no such file (supervise=off writes none)";
  if (content.error == ELOOP || content.error == EINVAL) return "it is not a muster file";
  return std::strerror(content.error);
}

void Reader::problem(const AttemptFolder& folder, const char* file, const std::string& text) {
  problems_.push_back(fmt::format("{}/{}: {}", folder.name, file, text));
}

std::string Reader::link_of(const std::string& name) const {
  if (!links_) return {};
  if (place_.is_parent) return fmt::format("./{}/", url_part(name));
  return name == place_.newest ? "./" : fmt::format("../{}/", url_part(name));
}

void Reader::read_report(AttemptFolder& folder) {
  const auto content = whole_file(place_.parent / folder.name / "report.json", max_json_bytes);
  if (content.error == ENOENT) return;
  try {
    if (content.error != 0 || content.too_large) throw Error(why(content));
    folder.report = report::read_json(content.text);
  } catch (const Error& error) {
    folder.damaged = true;
    problem(folder, "report.json",
            fmt::format("{}; the page does not show how the attempt ended", error.what()));
  }
}

void Reader::read_plan(AttemptFolder& folder) {
  const auto file = place_.parent / folder.name / "plan.json";
  const auto content = whole_file(file, max_json_bytes);
  struct stat status {};
  if (lstat(file.c_str(), &status) == 0) folder.begun = time_of(status.st_mtim);
  try {
    if (content.error != 0 || content.too_large) throw Error(why(content));
    folder.plan = page::read_plan(content.text);
  } catch (const Error& error) {
    problem(folder, "plan.json",
            fmt::format("{}; the page does not show the ranks' nodes and bindings", error.what()));
  }
}

// Uses the descriptor, so the names belong to this folder even if it is moved in the meantime.
void Reader::read_files(AttemptFolder& folder) {
  DIR* const directory = opendir((place_.parent / folder.name).c_str());
  if (directory == nullptr) return;
  std::size_t entries = 0;
  std::vector<std::uint32_t> with_times;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): only this thread reads the stream
  for (auto* entry = readdir(directory); entry != nullptr && entries < max_entries;
       entry = readdir(directory)) {
    ++entries;
    if (const auto rank = logs::rank_of_times(&entry->d_name[0])) with_times.push_back(*rank);
    const auto of = logs::rank_of(&entry->d_name[0]);
    struct stat status {};
    if (!of || fstatat(dirfd(directory), &entry->d_name[0], &status, AT_SYMLINK_NOFOLLOW) != 0)
      continue;
    if (!S_ISREG(status.st_mode)) continue;
    auto& files = folder.files[of->rank];
    (of->stream == logs::Stream::out ? files.out : files.err) =
        OutputFile{static_cast<std::uint64_t>(status.st_size), time_of(status.st_mtim)};
  }
  closedir(directory);
  read_times(folder, std::move(with_times));
}

// Reports all files that cannot be read in a single line.
void Reader::read_times(AttemptFolder& folder, std::vector<std::uint32_t> ranks) {
  std::ranges::sort(ranks);
  if (ranks.size() > max_ranks_with_times) ranks.resize(max_ranks_with_times);
  std::vector<std::pair<std::uint32_t, std::string>> unread;
  for (const auto rank : ranks) {
    const auto file = place_.parent / folder.name / logs::times_name(rank);
    const auto content = whole_file(file, max_times_bytes);
    try {
      if (content.too_large) throw Error("it is larger than any file that libmuster writes");
      if (content.error != 0) throw Error(why(content));
      auto bootstrap = page::read_times(content.text);
      if (!bootstrap.phases.empty()) folder.bootstraps.emplace(rank, std::move(bootstrap));
    } catch (const Error& error) {
      unread.emplace_back(rank, error.what());
    }
  }
  if (unread.empty()) return;
  problem(folder, logs::times_name(unread.front().first).c_str(),
          fmt::format("{}; {} left out of the bootstrap", unread.front().second,
                      unread.size() == 1
                          ? "this rank is"
                          : fmt::format("this rank and {} more are", unread.size() - 1)));
}

// The last lines of the ranks that the report blames.
void Reader::read_tails(AttemptFolder& folder) {
  if (!folder.report || folder.report->report.result == report::Result::ok) return;
  std::set<std::uint32_t> ranks;
  const auto& report = folder.report->report;
  if (report.first) ranks.insert(report.first->end.place.rank);
  for (const auto& rank : report.others) {
    if (ranks.size() < max_ranks_with_tails) ranks.insert(rank.end.place.rank);
  }
  for (const auto rank : ranks) {
    for (const auto stream : {logs::Stream::err, logs::Stream::out}) {
      const auto name = logs::file_name(rank, stream);
      auto text = end_of_file(place_.parent / folder.name / name, max_tail_bytes);
      if (!text.empty()) folder.tails.push_back({rank, name, std::move(text)});
    }
  }
}

AttemptFolder Reader::folder(const std::string& name) {
  AttemptFolder folder;
  folder.name = name;
  folder.link = link_of(name);
  read_report(folder);
  read_tails(folder);
  return folder;
}

std::string key_of(const report::AttemptSummary& attempt) {
  return fmt::format("{}-{}", attempt.step, attempt.number);
}

// Finds the folder by its name. If logs= has patterns, searches the reports for the attempt instead.
std::optional<std::string> Reader::find(const report::AttemptSummary& attempt) {
  const auto name = folder_of(place_.newest, attempt.step, attempt.number);
  std::error_code error;
  if (fs::is_directory(place_.parent / name, error)) return name;
  if (logs::attempt_of(place_.newest)) return std::nullopt;
  for (std::size_t i = 0; !searched_ && i < std::min(place_.siblings.size(), max_searched); ++i) {
    AttemptFolder candidate;
    candidate.name = place_.siblings[i];
    const auto problems = problems_;
    read_report(candidate);
    problems_ = problems;
    if (!candidate.report || candidate.report->report.attempts.empty()) continue;
    found_.emplace(key_of(candidate.report->report.attempts.back()), candidate.name);
  }
  searched_ = true;
  const auto found = found_.find(key_of(attempt));
  return found == found_.end() ? std::nullopt : std::optional(found->second);
}

// Returns the oldest first.
std::vector<AttemptFolder> Reader::earlier(const AttemptFolder& newest) {
  std::vector<AttemptFolder> folders;
  const AttemptFolder* known = &newest;
  if (!newest.report) {
    const auto before = folder_before(newest.name, place_.siblings);
    if (!before) return folders;
    folders.push_back(folder(*before));
    known = &folders.back();
    if (!known->report) return folders;
  }
  const auto attempts = known->report->report.attempts;
  std::vector<AttemptFolder> all;
  for (std::size_t i = attempts.size() > max_attempts ? attempts.size() - max_attempts : 0;
       i + 1 < attempts.size(); ++i) {
    if (const auto name = find(attempts[i])) all.push_back(folder(*name));
  }
  std::ranges::move(folders, std::back_inserter(all));
  return all;
}

Run Reader::run() {
  auto newest = folder(place_.newest);
  read_plan(newest);
  read_files(newest);
  Run run;
  run.directory = (place_.is_parent ? place_.parent : place_.parent / place_.newest).string();
  run.folders = earlier(newest);
  run.folders.push_back(std::move(newest));
  run.problems = problems_;
  run.other_runs = place_.siblings.size() - std::min(place_.siblings.size(), run.folders.size());
  return run;
}

}  // namespace

Run read_run(const RunPlace& place, bool links) {
  return Reader(place, links).run();
}

}  // namespace muster::page
