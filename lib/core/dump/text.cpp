#include "core/dump/text.hpp"

#include "core/dump/collective_text.hpp"
#include "core/dump/ranks.hpp"
#include "core/text/amounts.hpp"
#include "core/text/base_name.hpp"
#include "core/text/list.hpp"
#include "core/text/quote.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace muster::dump {
namespace {

constexpr std::size_t everything = SIZE_MAX;
constexpr std::size_t max_silent_groups = 3;
constexpr std::size_t max_suspect_groups = 3;
constexpr std::size_t max_child_groups = 2;
constexpr std::size_t max_remarks = 2;
constexpr std::size_t max_collectives = 2;
constexpr std::size_t max_ras_lines_on_screen = 2;
constexpr std::size_t frames_on_screen = 3;

std::string fit(const std::string& line, std::size_t columns) {
  std::size_t shown = 0;
  std::size_t cut = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (!text::starts_character(line[i])) continue;
    if (shown + 3 == columns) cut = i;
    ++shown;
  }
  return shown <= columns ? line : line.substr(0, cut) + "...";
}

// Wraps at spaces if there are any; continuation lines are indented.
std::vector<std::string> wrapped(std::string_view line, std::size_t columns) {
  std::vector<std::string> lines;
  std::string now;
  for (const auto word : text::split(line, ' ')) {
    if (!now.empty() && now.size() + 1 + word.size() > columns) {
      lines.push_back(std::move(now));
      now = "   ";
    }
    if (!now.empty()) now += ' ';
    now += word;
  }
  lines.push_back(std::move(now));
  return lines;
}

std::string frame_text(const Frame& frame, bool whole) {
  const auto file = whole ? std::string_view(frame.file) : text::base_name(frame.file);
  if (file.empty()) return frame.function;
  if (frame.line == 0) return fmt::format("{} ({})", frame.function, file);
  return fmt::format("{} ({}:{})", frame.function, file, frame.line);
}

bool is_library(const Frame& frame) {
  const auto has = [&](std::string_view part) {
    return frame.file.find(part) != std::string::npos;
  };
  return frame.file.empty() || has("site-packages/") || has("dist-packages/") ||
         has("/lib/python3") || has("<frozen") || has(".so") || has("nptl/") || has("csu/");
}

// The innermost frame, and the innermost frames of the program itself.
std::vector<Frame> telling_frames(const std::vector<Frame>& stack, std::size_t max_count) {
  std::vector<Frame> telling;
  for (const auto& frame : stack) {
    if (telling.size() >= max_count) break;
    if (frame.function == "?") continue;
    if (telling.empty() || !is_library(frame)) telling.push_back(frame);
  }
  return telling;
}

std::string_view shown_word(Standing standing) {
  switch (standing) {
    case Standing::silent:
      return "SILENT";
    case Standing::suspect:
      return "SUSPECT";
    case Standing::waiting:
      break;
  }
  return "WAITING";
}

std::string state_text(const Group& group) {
  auto text = group.what;
  if (group.missing) text += ", not in the other ranks' collective";
  if (group.moves) text += ", moving";
  if (group.cpu_percent > 0) text += fmt::format(", CPU {} %", group.cpu_percent);
  return text;
}

std::string place_text(const Group& group) {
  if (group.node.empty()) return {};
  const auto which = group.ranks.size() == 1 ? "" : "the first ";
  return fmt::format(" ({}on {}, process {})", which, group.node, group.pid);
}

std::vector<std::string> group_lines(const Group& group, std::size_t columns, bool whole) {
  const auto ranks = ranks_text(group.ranks, whole ? everything : columns / 2);
  std::vector<std::string> lines{
      fmt::format("{} {} {}{}", shown_word(group.standing),
                  text::plural(group.ranks.size(), "rank"), ranks, place_text(group)),
      "  " + state_text(group)};
  const bool silent = group.standing == Standing::silent;
  const auto frames =
      whole ? group.stack : telling_frames(group.stack, silent ? 1 : frames_on_screen);
  for (const auto& frame : frames) lines.push_back("    " + frame_text(frame, whole));
  if (frames.empty() && !group.remark.empty() && !silent)
    lines.push_back("  no stack: " + group.remark);
  for (auto& line : lines) line = fit(line, columns);
  return lines;
}

std::string child_line(const ChildGroup& group) {
  const std::vector<std::uint32_t> ranks(group.ranks.begin(), group.ranks.end());
  const auto place = group.stands_still ? fmt::format(" (process {} on {})", group.pid, group.node)
                                        : std::string();
  auto line = fmt::format("CHILDREN of {} {}: {} {}{}: {}", text::plural(ranks.size(), "rank"),
                          ranks_text(ranks, 20), group.processes, group.program, place, group.what);
  if (!group.stack.empty()) line += ": " + frame_text(group.stack.front(), false);
  return line;
}

// The words that NCCL uses for a communicator, or one of its ranks, that differs from the others.
bool tells_of_a_fault(std::string_view line) {
  constexpr std::string_view words[] = {"MISMATCH", "INCOMPLETE", "ERROR", "DEAD", "TIMEOUT"};
  return std::ranges::any_of(words,
                             [&](auto word) { return line.find(word) != std::string_view::npos; });
}

std::string header(const Dump& dump) {
  std::size_t ranks = 0;
  for (const auto& group : dump.groups) ranks += group.ranks.size();
  return fmt::format("step {}: {} of {}, {}, {}", dump.step, ranks,
                     text::count(std::max<std::size_t>(dump.ranks_of_step, ranks), "rank"),
                     text::count(dump.groups.size(), "group"),
                     time_text(dump.time, "%Y-%m-%d %H:%M:%S UTC"));
}

// A working program has its ranks in many places; that is not a hang.
std::string movement(const Dump& dump) {
  std::size_t ranks = 0;
  std::size_t moving = 0;
  for (const auto& group : dump.groups) {
    ranks += group.ranks.size();
    if (group.moves) moving += group.ranks.size();
  }
  if (moving == 0) return {};
  return fmt::format("{} of {} moved between the two samples: {}", moving,
                     text::count(ranks, "rank"),
                     2 * moving > ranks ? "the program may just be working"
                     : moving == 1      ? "it may just be working"
                                        : "they may just be working");
}

class Screen {
 public:
  explicit Screen(std::size_t reserved) : room_(max_screen_lines - reserved) {}

  void add(const std::vector<std::string>& lines) {
    for (const auto& line : lines) add(line);
  }
  void add(const std::string& line) {
    if (line.empty() || room_ == 0) return;
    text_ += fit(line, max_screen_columns) + '\n';
    --room_;
  }
  void add_last(const std::string& line) {
    if (!line.empty()) text_ += fit(line, max_screen_columns) + '\n';
  }
  [[nodiscard]] std::string text() const { return text_; }

 private:
  std::size_t room_;
  std::string text_;
};

// The ranks of the groups for which there is no space.
std::string rest_text(const std::vector<const Group*>& groups, Standing standing) {
  if (groups.empty()) return {};
  std::size_t ranks = 0;
  for (const auto* const group : groups) ranks += group->ranks.size();
  return fmt::format("{} {} in {}", shown_word(standing), text::count(ranks, "more rank"),
                     text::count(groups.size(), "group"));
}

void add_groups(Screen& screen, const Dump& dump, Standing standing, std::size_t max_groups) {
  std::size_t shown = 0;
  std::vector<const Group*> rest;
  for (const auto& group : dump.groups) {
    if (group.standing != standing) continue;
    if (shown++ < max_groups) {
      screen.add(group_lines(group, max_screen_columns, false));
    } else {
      rest.push_back(&group);
    }
  }
  screen.add(rest_text(rest, standing));
}

}  // namespace

std::string time_text(std::chrono::system_clock::time_point time, const char* format) {
  const auto seconds = std::chrono::system_clock::to_time_t(time);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  std::array<char, 64> text{};
  return {text.data(), std::strftime(text.data(), text.size(), format, &utc)};
}

std::string screen(const Dump& dump, const std::string& place) {
  const bool has_waiting = std::ranges::any_of(
      dump.groups, [](const Group& group) { return group.standing == Standing::waiting; });
  const auto moving = movement(dump);
  const std::size_t waiting_lines = has_waiting ? 2 + frames_on_screen : 0;
  Screen screen(waiting_lines + (moving.empty() ? 0 : 1) + (place.empty() ? 0 : 1));
  screen.add(header(dump));
  for (std::size_t i = 0; i < std::min(dump.remarks.size(), max_remarks); ++i) {
    screen.add(wrapped(dump.remarks[i], max_screen_columns));
  }
  for (std::size_t i = 0; i < std::min(dump.collectives.size(), max_collectives); ++i) {
    screen.add(collective_line(dump.collectives[i], 20));
  }
  std::size_t ras_lines = 0;
  for (const auto& line : dump.looks.ras) {
    if (tells_of_a_fault(line.ras) && ras_lines++ < max_ras_lines_on_screen) {
      screen.add("NCCL: " + line.ras);
    }
  }
  add_groups(screen, dump, Standing::silent, max_silent_groups);
  for (std::size_t i = 0; i < std::min(dump.children.size(), max_child_groups); ++i) {
    screen.add(child_line(dump.children[i]));
  }
  add_groups(screen, dump, Standing::suspect, max_suspect_groups);
  for (const auto& group : dump.groups) {
    if (group.standing != Standing::waiting) continue;
    for (const auto& line : group_lines(group, max_screen_columns, false)) screen.add_last(line);
  }
  screen.add_last(moving);
  if (!place.empty()) screen.add_last("all stacks: " + place);
  return screen.text();
}

std::string group_line(const Group& group) {
  constexpr std::size_t max_ranks_text = 40;
  auto line = fmt::format("{} {}{}: {}", text::plural(group.ranks.size(), "rank"),
                          ranks_text(group.ranks, max_ranks_text),
                          group.node.empty() || group.ranks.size() > 1 ? "" : " on " + group.node,
                          state_text(group));
  const auto frames = telling_frames(group.stack, 2);
  if (!frames.empty()) line += ", in " + frame_text(frames.front(), false);
  if (frames.size() > 1) line += ", called by " + frame_text(frames.back(), false);
  return line;
}

std::string full_text(const Dump& dump) {
  auto text = header(dump) + '\n';
  for (const auto& remark : dump.remarks) text += remark + '\n';
  for (const auto& collective : dump.collectives) {
    text += collective_line(collective, everything) + '\n';
  }
  for (const auto& group : dump.groups) {
    for (const auto& line : group_lines(group, everything, true)) text += line + '\n';
  }
  for (const auto& child : dump.children) text += child_line(child) + '\n';
  for (const auto& line : dump.looks.ras) text += "NCCL: " + line.ras + '\n';
  if (const auto moving = movement(dump); !moving.empty()) text += moving + '\n';
  return text;
}

std::string rank_text(const Dump& dump, std::uint32_t rank) {
  std::string text;
  const auto add_sample = [&text](std::string_view name, const Sample& sample,
                                  const std::vector<Thread>& threads) {
    text += fmt::format("  {}: state {}, CPU {} ms{}\n", name, sample.state, sample.cpu_ms,
                        sample.wait.empty() ? "" : ", in " + sample.wait);
    for (const auto& thread : threads) {
      text += fmt::format("    {}\n", thread.name);
      for (const auto& frame : thread.frames)
        text += fmt::format("      {}\n", frame_text(frame, true));
    }
  };
  for (const auto& look : dump.looks.processes) {
    if (look.rank != rank) continue;
    text += fmt::format("rank {}, process {} ({}) on {}{}{}\n", rank, look.pid, look.program,
                        look.node, look.tool.empty() ? "" : ", stacks by " + look.tool,
                        look.remark.empty() ? "" : ", " + look.remark);
    const bool same = look.first.threads == look.second.threads;
    text += progress_lines(look);
    add_sample("first look", look.first, look.first.threads);
    add_sample(fmt::format("{} ms later{}", look.apart_ms, same ? ", with the same stacks" : ""),
               look.second, same ? std::vector<Thread>() : look.second.threads);
  }
  return text;
}

}  // namespace muster::dump
