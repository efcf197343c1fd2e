// Arguments: those of muster.so's line in plugstack.conf, which the shim reads in srun and slurmstepd, and
// those of the muster program's command line. An input is arguments that each end with a line feed.
#include "launcher/command/words.hpp"

#include "core/error.hpp"
#include "launcher/command/commands.hpp"
#include "spank/plugstack.hpp"
#include "target.hpp"

namespace {

using namespace muster;
using command::Command;
using List = std::vector<std::string>;

void read_plugstack(const List& words) {
  const auto line = spank::parse_plugstack(words);
  if (!line.error.empty()) return fuzz::expect_one_line(line.error);
  fuzz::expect(line.timeout.count() >= 1 && line.timeout.count() <= 3600, "a timeout has no bound");
  List again{"muster=" + line.muster, "config=" + line.config,
             "timeout=" + std::to_string(line.timeout.count())};
  if (line.config_required) again.emplace_back("config_required");
  if (line.trust_any_owner) again.emplace_back("trust_any_owner");
  const auto same = spank::parse_plugstack(again);
  fuzz::expect(same.error.empty() && same.muster == line.muster && same.config == line.config &&
                   same.timeout == line.timeout && same.config_required == line.config_required &&
                   same.trust_any_owner == line.trust_any_owner,
               "a line changes");
}

bool lacks_its_value(const Command& command, const List& own) {
  if (own.empty() || own.back().find('=') != std::string::npos) return false;
  for (const auto& option : command.options()) {
    if (option.name == own.back()) return option.takes == command::CommandOption::Takes::a_value;
  }
  return true;  // --help, after which nothing is read
}

void read_command_line(const Command& command, const List& words) {
  try {
    const auto split = command::split_words(command, words);
    if (lacks_its_value(command, split.own)) return;
    auto again = split.own;
    if (command.handed_on()) {
      again.emplace_back("--");
      again.insert(again.end(), split.handed_on.begin(), split.handed_on.end());
    }
    const auto same = command::split_words(command, again);
    fuzz::expect(same.own == split.own && same.handed_on == split.handed_on,
                 "a command line changes");
  } catch (const Error& refusal) {
    fuzz::expect_one_line(refusal.what());
  }
}

void read_input(std::string_view text) {
  static const std::vector<Command> commands{command::agent_command(),     command::check_command(),
                                             command::exec_command(),      command::plan_command(),
                                             command::supervise_command(), command::topo_command()};
  List words;
  while (!text.empty()) words.emplace_back(fuzz::take_until(text, '\n'));
  read_plugstack(words);
  for (const auto& command : commands) read_command_line(command, words);
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  return {"muster=/usr/bin/muster\nconfig=/etc/muster/muster.yaml\ntimeout=60\nconfig_required",
          "timeout=0",
          "--config=/etc/m.yaml\n--\nsrun\n-n2\n./train",
          "--config\n/etc/m.yaml\n--format\njson\ntorch",
          "--help",
          "-h",
          "--distributed=torch,bind=none\n--nodes=2\n--\n./train\n--lr=1"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::one_input(data, size, {.base = 1U << 20, .per_byte = 16384}, read_input);
}
