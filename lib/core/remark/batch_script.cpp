#include "core/remark/batch_script.hpp"

#include "core/remark/launchers.hpp"
#include "core/text/quote.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

namespace muster::remark {
namespace {

using Line = std::vector<std::string>;

// Names of programs that start steps, or may do so.
constexpr std::array<std::string_view, 7> ways_to_srun{"srun", "mpirun", "mpiexec", "prun",
                                                       "flux", "parsl",  "muster"};

bool may_reach_srun(std::string_view text) {
  return std::ranges::any_of(ways_to_srun,
                             [&](auto word) { return text.find(word) != std::string_view::npos; });
}

bool is_assignment(const std::string& word) {
  const auto equals = word.find('=');
  return equals != std::string::npos && equals > 0 &&
         word.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == equals;
}

// The words of a line without comments, variables before the command, exec and time. Quotes are kept: a
// quoted program is not judged.
Line words_of(std::string_view line) {
  Line words;
  while (!line.empty()) {
    const auto begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos || line[begin] == '#') break;
    const auto end = std::min(line.find_first_of(" \t\r", begin), line.size());
    std::string word(line.substr(begin, end - begin));
    line.remove_prefix(end);
    const bool in_front =
        words.empty() && (is_assignment(word) || word == "exec" || word == "time");
    if (!in_front) words.push_back(std::move(word));
  }
  return words;
}

std::vector<Line> commands_of(std::string_view script) {
  std::vector<Line> lines;
  while (!script.empty()) {
    const auto end = std::min(script.find('\n'), script.size());
    auto words = words_of(script.substr(0, end));
    script.remove_prefix(std::min(end + 1, script.size()));
    if (!words.empty()) lines.push_back(std::move(words));
  }
  return lines;
}

// Another script of the user may call srun.
bool starts_script(const Line& line) {
  const auto& name = line.front();
  const bool is_shell = name == "bash" || name == "sh" || name == "eval";
  return is_shell ||
         (name.find('/') != std::string::npos && !python_file_of(line) &&
          launcher_of(line).empty()) ||
         name.ends_with(".sh");
}

bool joins_ranks(const Line& line, const ReadFile& read) {
  const auto file = python_file_of(line);
  const auto text = file ? read(*file) : std::nullopt;
  return text && remark::joins_ranks(*text);
}

// "python3 train.py" or "./train.py"
std::string python_command(const Line& line) {
  const auto file = python_file_of(line).value_or("");
  return line.front() == file ? file : fmt::format("{} {}", line.front(), file);
}

}  // namespace

std::string training_without_srun(const profile::Profile& profile, std::string_view script,
                                  const ReadFile& read) {
  const bool sets_ranks = profile.mode == profile::Mode::agent || numbers_ranks(profile);
  if (!sets_ranks || may_reach_srun(script)) return {};
  const auto lines = commands_of(script);
  if (std::ranges::any_of(lines, starts_script)) return {};
  const auto found = std::ranges::find_if(lines, [&](const Line& line) {
    return !launcher_of(line).empty() || joins_ranks(line, read);
  });
  if (found == lines.end()) return {};
  const auto launcher = launcher_of(*found);
  const bool is_replaced = !launcher.empty() && profile.mode == profile::Mode::rank;
  const auto start = text::printable_path(launcher.empty() ? python_command(*found) : launcher);
  return fmt::format(
      "the script starts {0} without srun, but --distributed applies only to the tasks of srun; "
      "write srun {1}{0}",
      start, is_replaced ? "in place of " : "");
}

std::string training_by_salloc(const profile::Profile& profile,
                               std::span<const std::string> command, const ReadFile& read) {
  const bool sets_ranks = profile.mode == profile::Mode::agent || numbers_ranks(profile);
  const Line line(command.begin(), command.end());
  if (!sets_ranks || line.empty() || std::ranges::any_of(line, may_reach_srun)) return {};
  const auto launcher = launcher_of(line);
  if (launcher.empty() && !joins_ranks(line, read)) return {};
  const auto start = text::printable_path(launcher.empty() ? python_command(line) : launcher);
  return fmt::format(
      "salloc starts {0} once, on this host and without a rank, because --distributed applies "
      "only to the tasks of srun; write srun {1}",
      start,
      launcher.empty() ? "before the command, or in place of salloc" : "in place of " + start);
}

}  // namespace muster::remark
