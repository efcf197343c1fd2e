#include "launcher/allocation/srun_line.hpp"

#include "core/option/srun_options.hpp"
#include "launcher/allocation/is_one_of.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>

namespace muster::allocation {
namespace {

// Whether a value follows. An optional one can only be in the same word.
enum class Form { none, optional, required };

struct Letter {
  char letter;
  std::string_view name;
};

// Of 22.05 to 26.05.
constexpr std::array letters{Letter{'A', "account"},
                             Letter{'B', "extra-node-info"},
                             Letter{'C', "constraint"},
                             Letter{'D', "chdir"},
                             Letter{'E', "preserve-env"},
                             Letter{'F', "nodefile"},
                             Letter{'G', "gpus"},
                             Letter{'H', "hold"},
                             Letter{'I', "immediate"},
                             Letter{'J', "job-name"},
                             Letter{'K', "kill-on-bad-exit"},
                             Letter{'L', "licenses"},
                             Letter{'M', "clusters"},
                             Letter{'N', "nodes"},
                             Letter{'O', "overcommit"},
                             Letter{'Q', "quiet"},
                             Letter{'S', "core-spec"},
                             Letter{'T', "threads"},
                             Letter{'V', "version"},
                             Letter{'W', "wait"},
                             Letter{'X', "disable-status"},
                             Letter{'Z', "no-allocate"},
                             Letter{'b', "begin"},
                             Letter{'c', "cpus-per-task"},
                             Letter{'d', "dependency"},
                             Letter{'e', "error"},
                             Letter{'h', "help"},
                             Letter{'i', "input"},
                             Letter{'k', "no-kill"},
                             Letter{'l', "label"},
                             Letter{'m', "distribution"},
                             Letter{'n', "ntasks"},
                             Letter{'o', "output"},
                             Letter{'p', "partition"},
                             Letter{'q', "qos"},
                             Letter{'r', "relative"},
                             Letter{'s', "oversubscribe"},
                             Letter{'t', "time"},
                             Letter{'u', "unbuffered"},
                             Letter{'v', "verbose"},
                             Letter{'w', "nodelist"},
                             Letter{'x', "exclude"}};

// --pty and --overlap have had none or an optional one.
constexpr std::array<std::string_view, 15> with_optional_value{"bcast",
                                                               "compress",
                                                               "exclusive",
                                                               "external-launcher",
                                                               "immediate",
                                                               "nice",
                                                               "kill-on-bad-exit",
                                                               "no-kill",
                                                               "oom-kill-step",
                                                               "overlap",
                                                               "propagate",
                                                               "pty",
                                                               "resv-ports",
                                                               "send-libs",
                                                               "x11"};

constexpr std::array<std::string_view, 29> without_value{"async",
                                                         "consolidate-segments",
                                                         "contiguous",
                                                         "debugger-test",
                                                         "disable-status",
                                                         "exact",
                                                         "external",
                                                         "help",
                                                         "hold",
                                                         "interactive",
                                                         "label",
                                                         "multi-prog",
                                                         "no-allocate",
                                                         "overcommit",
                                                         "oversubscribe",
                                                         "parsable",
                                                         "preserve-env",
                                                         "quiet",
                                                         "quit-on-interrupt",
                                                         "reboot",
                                                         "spread-job",
                                                         "spread-segments",
                                                         "stepmgr",
                                                         "test-only",
                                                         "unbuffered",
                                                         "usage",
                                                         "use-min-nodes",
                                                         "verbose",
                                                         "whole"};
constexpr std::array<std::string_view, 2> without_value_either{"version", "wait-for-children"};

Form form_of(std::string_view name) {
  if (is_one_of(name, with_optional_value)) return Form::optional;
  const bool is_plain = is_one_of(name, without_value) || is_one_of(name, without_value_either);
  return is_plain ? Form::none : Form::required;
}

class Reader {
 public:
  explicit Reader(const supervise::SrunCommand& command)
      : words_(command.words),
        end_(command.program == 0 ? words_.size() : std::min(command.program, words_.size())),
        knows_program_(command.program != 0) {}

  SrunLine read() {
    while (at_ < end_ && words_[at_].starts_with('-') && words_[at_] != "-" &&
           words_[at_] != "--") {
      if (words_[at_].starts_with("--")) {
        read_long();
      } else {
        read_letters();
      }
    }
    line_.end = at_;
    if (at_ < end_ && words_[at_] == "--") ++at_;
    line_.program = knows_program_ ? end_ : at_;
    return std::move(line_);
  }

 private:
  void read_long() {
    const auto word = words_[at_++];
    const auto equals = word.find('=');
    const auto given = std::string_view(word).substr(2, equals - 2);
    const auto full = option::full_srun_option(given);
    SrunOption option{std::string(full.empty() ? given : full), {}, {word}};
    if (equals != std::string::npos) {
      option.value = word.substr(equals + 1);
    } else if (full.empty() ? value_of_plugins_follows() : form_of(full) == Form::required) {
      take_next(option);
    }
    line_.options.push_back(std::move(option));
  }

  void read_letters() {
    const auto word = words_[at_++];
    for (std::size_t i = 1; i < word.size(); ++i) {
      const auto known = std::ranges::find(letters, word[i], &Letter::letter);
      const auto name = known == letters.end() ? std::string_view() : known->name;
      SrunOption option{std::string(name), {}, {std::string{'-', word[i]}}};
      const auto form = name.empty() ? Form::none : form_of(name);
      if (form != Form::none && i + 1 < word.size()) {
        option.value = word.substr(i + 1);
        option.words.front() += *option.value;
        i = word.size();
      } else if (form == Form::required) {
        take_next(option);
      }
      line_.options.push_back(std::move(option));
    }
  }

  // srun has read the line: in front of its program, a word without a dash is some option's value.
  [[nodiscard]] bool value_of_plugins_follows() const {
    return knows_program_ && at_ < end_ && !words_[at_].starts_with('-');
  }

  void take_next(SrunOption& option) {
    if (at_ >= end_) return;
    option.value = words_[at_];
    option.words.push_back(words_[at_++]);
  }

  const std::vector<std::string>& words_;
  std::size_t end_;
  bool knows_program_;
  std::size_t at_ = 1;
  SrunLine line_;
};

}  // namespace

const SrunOption* SrunLine::last(std::string_view name) const {
  return last_of({name});
}

const SrunOption* SrunLine::last_of(std::initializer_list<std::string_view> names) const {
  const auto found = std::find_if(options.rbegin(), options.rend(), [&](const auto& option) {
    return is_one_of(option.name, names);
  });
  return found == options.rend() ? nullptr : &*found;
}

SrunLine read_srun_line(const supervise::SrunCommand& command) {
  return Reader(command).read();
}

bool is_flag(std::string_view name) {
  return option::is_exact_srun_option(name) && form_of(name) == Form::none;
}

// In any case of its letters, or the beginning of the word, before what follows by ',' or ':'.
bool is_arbitrary(std::string_view distribution) {
  constexpr std::string_view word = "arbitrary";
  const auto first = distribution.substr(0, distribution.find_first_of(",:"));
  const auto is_same = [](char a, char b) { return std::tolower(a) == b; };
  return !first.empty() && first.size() <= word.size() &&
         std::equal(first.begin(), first.end(), word.begin(), is_same);
}

bool places_tasks(const SrunLine& line) {
  const auto* const option = line.last("distribution");
  return option != nullptr && option->value && is_arbitrary(*option->value);
}

// With "k" or "m" behind it, 1024 times as many, or that twice.
std::optional<std::uint32_t> leading_number(std::string_view text) {
  constexpr std::uint64_t kilo = 1024;
  std::uint32_t value = 0;
  const auto* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{}) return std::nullopt;
  const auto unit = stop == end ? 0 : std::tolower(*stop);
  const auto scaled = value * (unit == 'k' ? kilo : unit == 'm' ? kilo * kilo : 1);
  if (scaled > UINT32_MAX) return std::nullopt;
  return static_cast<std::uint32_t>(scaled);
}

}  // namespace muster::allocation
