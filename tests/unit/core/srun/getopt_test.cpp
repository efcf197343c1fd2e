// Compares getopt_long with this room's parser of srun's command line: for random lines, and with the options
// of each release.
#include "core/srun/line.hpp"
#include "core/srun/options.hpp"

#include <array>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <getopt.h>
#include <gtest/gtest.h>

namespace muster::srun {
namespace {

using Words = std::vector<std::string>;

constexpr int lines_of_each = 2000;

// How getopt_long interprets a line.
struct Reading {
  std::vector<std::pair<std::string, std::optional<std::string>>> options;  // name and value
  std::size_t program = 0;
  bool refused = false;
};

std::vector<const OptionInfo*> options_of(int release) {
  std::vector<const OptionInfo*> options;
  for (const auto& info : all_options()) {
    if (info.since <= release && release <= info.until) options.push_back(&info);
  }
  return options;
}

// srun's usage: options come first, and all names of one option have the same number.
class Getopt {
 public:
  explicit Getopt(int release) : options_(options_of(release)) {
    for (const auto* const info : options_) {
      const auto form = static_cast<std::size_t>(info->form);
      constexpr std::array<int, 3> arguments{no_argument, optional_argument, required_argument};
      names_.push_back({info->name.data(), arguments.at(form), nullptr, number_of(*info)});
      if (info->letter == 0) continue;
      letters_ += info->letter;
      letters_ += std::string(form == 0 ? "" : form == 1 ? "::" : ":");
    }
    names_.push_back({});
  }

  Reading read(const Words& words) {
    std::vector<char*> pointers;
    for (const auto& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
    pointers.push_back(nullptr);
    Reading reading;
    optind = 0;
    opterr = 0;
    int found = 0;
    while ((found = getopt_long(static_cast<int>(words.size()), pointers.data(), letters_.c_str(),
                                names_.data(), nullptr)) != -1) {
      if (found == '?') {
        reading.refused = true;
        continue;
      }
      auto& [name, value] = reading.options.emplace_back(name_of(found), std::nullopt);
      if (optarg != nullptr) value = optarg;
    }
    reading.program = static_cast<std::size_t>(optind);
    return reading;
  }

  [[nodiscard]] const std::vector<const OptionInfo*>& options() const { return options_; }

 private:
  static constexpr int first_number = 1000;

  static int number_of(const OptionInfo& info) {
    const auto& own = *find_option(own_name(info));
    if (own.letter != 0) return own.letter;
    return first_number + static_cast<int>(&own - all_options().data());
  }

  static std::string name_of(int number) {
    if (number < first_number) return std::string(find_option(static_cast<char>(number))->name);
    return std::string(all_options()[static_cast<std::size_t>(number - first_number)].name);
  }

  std::vector<const OptionInfo*> options_;
  std::vector<option> names_;
  std::string letters_ = "+";
};

Reading ours(const Words& words) {
  const auto line = read_line({words, 0});
  Reading reading{{}, line.program, false};
  for (const auto& given : line.options) reading.options.emplace_back(given.name, given.value);
  return reading;
}

class Writer {
 public:
  Writer(unsigned seed, const std::vector<const OptionInfo*>& options)
      : random_(seed), options_(options) {}

  Words line() {
    Words words{"srun"};
    for (auto count = below(7); count > 0; --count) {
      below(3) == 0 ? add_letters(words) : add_long(words);
    }
    if (below(3) == 0) words.emplace_back("--");
    for (auto count = below(4); count > 0; --count) words.push_back(any_word());
    return words;
  }

 private:
  std::size_t below(std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_);
  }

  std::string any_word() {
    static const Words words{"./train", "-",   "--",  ":",   "",       "5",   "-K0",          "-t5",
                             "-Q",      "a=b", "-J=", "--t", "--time", "-lN", "--comment=-K", "="};
    return words.at(below(words.size()));
  }

  // The whole name or a random abbreviation; srun refuses one that is too short. Not the name of another
  // release's option: --extra was short for --extra-node-info in 22.05.
  std::string any_name(const OptionInfo& info) {
    const auto name = std::string(info.name);
    const auto cut = name.substr(0, 1 + below(name.size()));
    return find_option(cut) != nullptr || below(2) == 0 ? name : cut;
  }

  const OptionInfo& any_option() { return *options_.at(below(options_.size())); }

  void add_long(Words& words) {
    const auto& info = any_option();
    auto word = "--" + any_name(info);
    const bool attached = info.form != Form::none && below(2) == 0;
    if (attached) word += '=' + any_word();
    words.push_back(word);
    if (info.form == Form::required && !attached) words.push_back(any_word());
  }

  void add_letters(Words& words) {
    std::string word = "-";
    for (auto count = 1 + below(4); count > 0; --count) {
      const auto& info = any_option();
      if (info.letter == 0) continue;
      word += info.letter;
      if (info.form == Form::none) continue;
      const bool attached = below(2) == 0;
      words.push_back(attached ? word + any_word() : word);
      if (info.form == Form::required && !attached) words.push_back(any_word());
      return;
    }
    if (word.size() > 1) words.push_back(word);
  }

  std::mt19937 random_;
  const std::vector<const OptionInfo*>& options_;
};

std::string text_of(const Words& words) {
  std::string text;
  for (const auto& word : words) text += '[' + word + "] ";
  return text;
}

class OfARelease : public testing::TestWithParam<int> {};

TEST_P(OfARelease, IsReadAsGetoptLongReadsIt) {
  Getopt getopt(GetParam());
  Writer writer(static_cast<unsigned>(GetParam()), getopt.options());
  int accepted = 0;
  for (int i = 0; i < lines_of_each; ++i) {
    const auto words = writer.line();
    const auto expected = getopt.read(words);
    const auto found = ours(words);
    if (expected.refused) continue;
    ++accepted;
    ASSERT_EQ(found.options, expected.options) << text_of(words);
    ASSERT_EQ(found.program, expected.program) << text_of(words);
  }
  EXPECT_GT(accepted, lines_of_each / 4);
}

INSTANTIATE_TEST_SUITE_P(SrunLine, OfARelease, testing::ValuesIn(slurm::releases),
                         [](const auto& release) { return std::to_string(release.param); });

}  // namespace
}  // namespace muster::srun
