#include "launcher/supervise/het_step.hpp"

#include "wire/variables.hpp"

#include <algorithm>
#include <string_view>

namespace muster::supervise {
namespace {

constexpr std::string_view separator = ":";

bool names_several_groups(const std::string& word) {
  return (word.starts_with("--het-group=") || word.starts_with("--pack-group=")) &&
         word.find_first_of(",-", word.find('=')) != std::string::npos;
}

// First, because srun stops reading at NONE.
std::string with_layout(std::string_view value) {
  return std::string(wire::step_variable) + ',' + std::string(value);
}

using Word = std::vector<std::string>::iterator;

Word first_plain_word(Word begin, Word end) {
  return std::find_if(begin, end, [](const auto& word) { return !word.starts_with('-'); });
}

// In one component's options.
void name_layout(Word begin, Word end) {
  for (auto word = begin; word != end; ++word) {
    if (*word == "--export" && word + 1 != end) {
      ++word;
      *word = with_layout(*word);
    } else if (word->starts_with("--export=")) {
      *word = "--export=" + with_layout(word->substr(word->find('=') + 1));
    }
  }
}

}  // namespace

bool heterogeneous(const srun::Command& command) {
  const auto options = command.options();
  // srun takes any argument that is a colon as a separator, wherever it stands.
  return std::find(command.words.begin(), command.words.end(), separator) != command.words.end() ||
         std::any_of(options.begin(), options.end(), names_several_groups);
}

std::vector<std::string> export_layout(const srun::Command& command) {
  auto words = command.words;
  auto begin = words.begin() + 1;
  auto end = begin + std::ssize(command.options());
  if (command.program == 0) end = first_plain_word(begin, words.end());
  while (true) {
    name_layout(begin, end);
    const auto colon = std::find(end, words.end(), separator);
    if (colon == words.end()) return words;
    begin = colon + 1;
    end = first_plain_word(begin, words.end());
  }
}

std::pair<std::string, std::string> export_layout_variable(const Environment& environment) {
  for (const auto* const name : {"SRUN_EXPORT_ENV", "SLURM_EXPORT_ENV"}) {
    const auto found = environment.find(name);
    if (found != environment.end()) return {"SRUN_EXPORT_ENV", with_layout(found->second)};
  }
  return {"SRUN_EXPORT_ENV", with_layout("ALL")};
}

}  // namespace muster::supervise
