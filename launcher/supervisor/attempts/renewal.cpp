#include "launcher/supervisor/attempts/renewal.hpp"

#include "core/error.hpp"
#include "core/restart/saved.hpp"
#include "launcher/os/command_output.hpp"
#include "launcher/os/executable.hpp"
#include "launcher/os/left_bytes.hpp"
#include "launcher/os/own_command.hpp"
#include "launcher/site/installed.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

namespace muster::attempts {
namespace {

constexpr const char* variable = "MUSTER_RENEWED";
constexpr std::chrono::seconds version_timeout{5};

// Empty if it still is the program's file. The kernel marks the path of a file that has been replaced.
std::string replaced_file() {
  constexpr std::string_view mark = " (deleted)";
  const auto path = site::installed_program();
  return path.ends_with(mark) ? path.substr(0, path.size() - mark.size()) : "";
}

}  // namespace

std::string other_version() {
  const auto file = replaced_file();
  if (file.empty()) return {};
  constexpr std::string_view prefix = "muster ";
  const auto said = os::command_output({file, "--version"}, version_timeout);
  if (!said.starts_with(prefix)) return {};
  const auto version = said.substr(prefix.size(), said.find('\n') - prefix.size());
  return version == site::installed_version() ? "" : version;
}

void renew(const restart::Renewed& renewed, std::chrono::system_clock::time_point start) {
  const auto file = replaced_file();
  auto words = os::own_command();
  auto variables = os::first_environment();
  variables.push_back(os::leave_bytes(variable, to_text(renewed, start)));
  std::signal(SIGPIPE, SIG_DFL);
  execve(file.c_str(), os::exec_pointers(words).data(), os::exec_pointers(variables).data());
  throw Error(fmt::format("cannot execute {}: {}", file, std::strerror(errno)));
}

std::optional<std::string> take_left() {
  return os::take_bytes(variable, 2 * restart::max_saved_bytes);
}

std::optional<restart::Renewed> renewed_by(const std::optional<std::string>& left,
                                           std::chrono::system_clock::time_point start) {
  if (!left) return std::nullopt;
  auto renewed = restart::renewed_from(*left, start);
  if (!renewed)
    throw Error(
        "cannot read the state that the previous version of muster left; start the run again");
  return renewed;
}

}  // namespace muster::attempts
