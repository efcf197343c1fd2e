#include "launcher/supervise/program_check.hpp"

#include "core/text/quote.hpp"
#include "launcher/supervise/het_step.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

namespace muster::supervise {
namespace {

// pyxis and Slurm's own --container-*, --multi-prog, --chdir, and options that copy the program
// first.
constexpr std::array<std::string_view, 5> moving_options{"--container", "--multi-prog", "--chdir",
                                                         "--bcast", "--chroot"};

bool moves_program(const std::string& word) {
  const bool short_directory = word.starts_with("-D") && !word.starts_with("--");
  return short_directory || std::any_of(moving_options.begin(), moving_options.end(),
                                        [&](auto option) { return word.starts_with(option); });
}

}  // namespace

bool program_elsewhere(const SrunCommand& command) {
  const auto options = command.options();
  return command.program == 0 || heterogeneous(command) ||
         std::any_of(options.begin(), options.end(), moves_program);
}

std::string missing_program(const SrunCommand& command) {
  if (program_elsewhere(command) || command.program >= command.words.size()) return {};
  const auto& name = command.words[command.program];
  if (name.starts_with('/') || name.find('/') == std::string::npos) return {};
  if (access(name.c_str(), F_OK) == 0 || errno != ENOENT) return {};
  return fmt::format("there is no program {} in this directory; check its path",
                     text::printable_path(name));
}

}  // namespace muster::supervise
