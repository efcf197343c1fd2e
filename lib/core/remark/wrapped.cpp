#include "core/remark/wrapped.hpp"

#include "core/remark/shell_script.hpp"
#include "core/text/base_name.hpp"
#include "core/text/take.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace muster::remark {
namespace {

using Words = std::span<const std::string>;

struct Wrapper {
  std::string_view name;
  std::string_view word;        // the word that must follow, after options
  std::string_view with_value;  // options that take the next word as their value
  std::size_t operands = 0;     // words between the options and the command, such as an image
};

constexpr std::string_view container_options =
    "-B --bind -H --home --pwd --cwd -W --workdir -S --scratch -o --overlay --mount --app --env "
    "--env-file --network --network-args --dns --hostname --security --add-caps --drop-caps "
    "--apply-cgroups --fusemount --pid-file --cpus --cpuset-cpus --cpuset-mems --memory "
    "--pem-path";
constexpr std::string_view conda_options =
    "-n --name -p --prefix --cwd -r --root-prefix -e --env -a --attach";

// An option that is missing here counts as one without a value: its value is then taken for the command, and
// is not a launcher.
constexpr std::array wrappers{
    Wrapper{"env", "", "-u --unset -C --chdir -S --split-string"},
    Wrapper{"exec", "", "-a"},
    Wrapper{"time", "", "-f --format -o --output"},
    Wrapper{"nice", "", "-n --adjustment"},
    Wrapper{"ionice", "", "-c --class -n --classdata"},
    Wrapper{"nohup", "", ""},
    Wrapper{"setsid", "", ""},
    Wrapper{"stdbuf", "", "-i --input -o --output -e --error"},
    Wrapper{"timeout", "", "-k --kill-after -s --signal", 1},
    Wrapper{"chrt", "", "-T --sched-runtime -P --sched-period -D --sched-deadline", 1},
    Wrapper{"taskset", "", "", 1},
    Wrapper{"numactl", "",
            "-i --interleave -w --weighted-interleave -p --preferred -P --preferred-many -N "
            "--cpunodebind -C --physcpubind -m --membind"},
    Wrapper{"uv", "run",
            "--with --with-editable --with-requirements -p --python --project --directory "
            "--package --extra --group --only-group --no-group --no-extra --env-file "
            "--config-file --cache-dir --index --default-index -i --index-url --extra-index-url "
            "-f --find-links --color -P --upgrade-package --refresh-package -w "
            "--python-platform --link-mode --index-strategy"},
    Wrapper{"poetry", "run", "-C --directory -P --project"},
    Wrapper{"pipenv", "run", "--python"},
    Wrapper{"pdm", "run", "-p --project -c --config"},
    Wrapper{"hatch", "run", "-e --env -p --project"},
    Wrapper{"pixi", "run", "-e --environment --manifest-path --color"},
    Wrapper{"conda", "run", conda_options},
    Wrapper{"mamba", "run", conda_options},
    Wrapper{"micromamba", "run", conda_options},
    Wrapper{"apptainer", "exec", container_options, 1},
    Wrapper{"singularity", "exec", container_options, 1},
    Wrapper{"nsys", "profile",
            "-o --output -t --trace -s --sample -b --backtrace -c --capture-range "
            "--capture-range-end -d --duration -y --delay -f --force-overwrite -w --show-output "
            "-x --stop-on-exit -n --inherit-environment -e --env-var -p --nvtx-capture -k "
            "--kill --stats --session-new --cpuctxsw --cuda-memory-usage --cudabacktrace "
            "--python-backtrace --python-sampling --gpu-metrics-devices --nic-metrics --export"},
    Wrapper{"ncu", "",
            "-o --export -k --kernel-name -c --launch-count -s --launch-skip --set --section "
            "--metrics --nvtx-include --target-processes --replay-mode --log-file"},
    Wrapper{"rocprofv3", "",
            "-d --output-directory -o --output-file -i --input -f --output-format"},
    Wrapper{"py-spy", "record", "-o --output -f --format -r --rate -d --duration"},
};

constexpr std::string_view shells = "bash sh dash zsh ksh";

Words without_first(Words words, std::size_t count) {
  return words.subspan(std::min(count, words.size()));
}

// Whether the word is in a list of words.
bool lists(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    if (text::take(list) == word) return true;
  }
  return false;
}

// NAME=VALUE in front of a command.
bool is_assignment(std::string_view word) {
  constexpr auto* letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
  const auto equals = word.find('=');
  return equals != std::string_view::npos && equals > 0 &&
         word.find_first_not_of(letters) == equals;
}

Words behind_assignments(Words words) {
  while (!words.empty() && is_assignment(words.front())) words = words.subspan(1);
  return words;
}

Words behind_options(Words words, std::string_view with_value) {
  while (!words.empty() && words.front().starts_with('-')) {
    const auto& option = words.front();
    if (option == "--") return words.subspan(1);
    words = without_first(words, lists(with_value, option) ? 2 : 1);
  }
  return words;
}

// The command that the wrapper starts; no value if this is not that wrapper.
std::optional<Words> behind(const Wrapper& wrapper, Words command) {
  if (text::base_name(command.front()) != wrapper.name) return std::nullopt;
  auto rest = behind_options(command.subspan(1), wrapper.with_value);
  if (!wrapper.word.empty()) {
    if (rest.empty() || rest.front() != wrapper.word) return std::nullopt;
    rest = behind_options(rest.subspan(1), wrapper.with_value);
  }
  return behind_assignments(without_first(rest, wrapper.operands));
}

// Removes wrappers until `ends` is true for the rest, or there is none.
template <typename End>
Words unwrapped(Words command, End ends) {
  command = behind_assignments(command);
  for (bool found = true; found && !command.empty() && !ends(command);) {
    found = false;
    for (const auto& wrapper : wrappers) {
      const auto inner = behind(wrapper, command);
      if (!inner) continue;
      command = *inner;
      found = true;
      break;
    }
  }
  return command;
}

// An image can be executed like a program.
bool is_apptainer(Words command) {
  const auto name = text::base_name(command.front());
  return name == "apptainer" || name == "singularity" || name.ends_with(".sif");
}

// The text after -c; no value if the shell reads a file or its input.
std::optional<std::string_view> shell_text(Words command) {
  if (!lists(shells, text::base_name(command.front()))) return std::nullopt;
  bool is_text = false;
  auto rest = command.subspan(1);
  while (!rest.empty() && (rest.front().starts_with('-') || rest.front().starts_with('+'))) {
    const std::string_view option = rest.front();
    const bool is_long = option.starts_with("--");
    is_text |= !is_long && option.find('c') != std::string_view::npos;
    const bool takes_next = is_long ? lists("--rcfile --init-file", option) : option.ends_with('o');
    rest = without_first(rest, takes_next ? 2 : 1);
  }
  if (!is_text || rest.empty()) return std::nullopt;
  return rest.front();
}

}  // namespace

std::vector<Command> commands_in(std::span<const std::string> program) {
  const auto command = unwrapped(program, [](Words) { return false; });
  if (command.empty()) return {};
  const auto script = shell_text(command);
  if (!script) return {Command(command.begin(), command.end())};
  std::vector<Command> all;
  for (const auto& line : unconditional_commands(*script)) {
    for (auto& each : commands_in(line)) all.push_back(std::move(each));
  }
  return all;
}

bool runs_in_apptainer(std::span<const std::string> program) {
  const auto command = unwrapped(program, is_apptainer);
  if (command.empty()) return false;
  if (is_apptainer(command)) return true;
  const auto script = shell_text(command);
  return script && std::ranges::any_of(unconditional_commands(*script),
                                       [](const auto& line) { return runs_in_apptainer(line); });
}

}  // namespace muster::remark
