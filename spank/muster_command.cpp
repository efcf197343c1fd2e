#include "spank/muster_command.hpp"

#include "spank/process.hpp"
#include "wire/variables.hpp"

#include <cstdlib>

namespace muster::spank {

std::vector<std::string> muster_command(const Plugstack& line, const char* verb,
                                        const std::string& value) {
  std::vector<std::string> command{line.muster, verb, "--distributed=" + value,
                                   "--config=" + line.config};
  if (line.config_required) command.emplace_back("--config-required");
  if (line.trust_any_owner) command.emplace_back("--trust-any-owner");
  return command;
}

void add_arguments(std::vector<std::string>& command, const std::string& name,
                   const std::vector<std::string>& arguments, std::size_t program_index) {
  if (program_index > 0 && program_index < arguments.size()) {
    command.push_back("--program-index=" + std::to_string(program_index));
  }
  command.emplace_back("--");
  command.push_back(name);
  if (arguments.empty()) return;
  command.insert(command.end(), arguments.begin() + 1, arguments.end());
}

std::string unusable(const Plugstack& line) {
  if (!line.error.empty()) return line.error;
  return untrusted_program(line.muster, line.trust_any_owner);
}

std::optional<std::string> variable(const char* name) {
  // srun is single-threaded here: it parses options before it starts its signal thread.
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  if (value == nullptr) return std::nullopt;
  return value;
}

void show_help(const Plugstack& line) {
  const auto outcome = run(muster_command(line, "check", "help"), check_timeout);
  std::exit(outcome == wire::check_help_shown ? 0 : 1);  // NOLINT(concurrency-mt-unsafe)
}

}  // namespace muster::spank
