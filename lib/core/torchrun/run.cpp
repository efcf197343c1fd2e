#include "core/torchrun/run.hpp"

#include "core/contains.hpp"
#include "core/error.hpp"
#include "core/text/list.hpp"
#include "core/text/number.hpp"
#include "core/text/quote.hpp"
#include "core/torchrun/output.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <initializer_list>

#include <fmt/format.h>

namespace muster::torchrun {
namespace {

constexpr std::uint32_t max_ranks =
    4096;  // on one machine; a larger number is more likely a typing error
constexpr std::uint32_t max_nodes = 65536;

std::uint32_t count_of(std::string_view flag, const std::string& value, std::uint32_t max) {
  const auto number = text::number<std::uint32_t>(value);
  if (number && *number <= max) return *number;
  throw Error(fmt::format("--{} {}: use a number from 0 to {}", flag, text::in_quotes(value), max));
}

// In whole seconds: muster's grace= has no smaller unit.
std::string seconds_of(std::string_view flag, const std::string& value) {
  constexpr std::uint32_t max_seconds = 86400;
  return fmt::to_string(count_of(flag, value.substr(0, value.find('.')), max_seconds));
}

struct Word {
  std::string_view torchrun;
  std::string_view muster;
};

constexpr std::array bindings{Word{"node", "numa"}, Word{"socket", "socket"},
                              Word{"exclusive", "exclusive"}, Word{"core-complex", "l3"}};

std::string binding_of(const std::string& value) {
  const auto found = std::ranges::find(bindings, value, &Word::torchrun);
  if (found != bindings.end()) return std::string(found->muster);
  throw Error(fmt::format("--numa-binding {}: use node, socket, exclusive or core-complex",
                          text::in_quotes(value)));
}

void refuse(bool given, std::string_view flag, std::string_view instead) {
  if (given)
    throw Error(fmt::format("--{}: muster run does not support this flag; {}", flag, instead));
}

bool is_local(std::string_view endpoint) {
  const auto host = endpoint.substr(0, endpoint.rfind(':'));
  return host.empty() || host == "localhost" || host == "127.0.0.1" || host == "[::1]" ||
         host == "::1";
}

void check_one_of(std::string_view flag, const Text& value,
                  std::initializer_list<std::string_view> words, std::string_view instead) {
  if (!value || contains(words, *value)) return;
  throw Error(fmt::format("--{} {}: {}", flag, text::in_quotes(*value), instead));
}

void refuse_what_is_not_there(const Words& words) {
  refuse(words.virtual_local_rank, "virtual-local-rank",
         "--distributed=gpus=own shows each rank its own GPU");
  check_one_of(
      "logs-specs", words.logs_specs, {"default"},
      "only default is supported; --log-dir and --distributed=logs=DIR set where the output goes");
  const auto* const filters = "--log-dir keeps all output in files: use grep there";
  refuse(words.duplicate_stdout_filters.has_value(), "duplicate-stdout-filters", filters);
  refuse(words.duplicate_stderr_filters.has_value(), "duplicate-stderr-filters", filters);
  check_one_of("event-log-handler", words.event_log_handler, {"null"},
               "only null is supported; --distributed=report=FILE writes what happened as JSON");
  check_one_of("start-method", words.start_method, {"spawn", "fork", "forkserver"},
               "use spawn, fork or forkserver");
  check_one_of("rdzv-backend", words.rdzv_backend, {"static", "c10d"},
               "use static or c10d; muster run needs no rendezvous service");
}

void add(std::string& option, std::string_view key, std::string_view value) {
  if (value.find(',') != std::string_view::npos) {
    throw Error(fmt::format("{}={}: a comma separates muster's keys; choose a name without one",
                            key, text::in_quotes(value)));
  }
  option += fmt::format("{}{}={}", option.empty() ? "" : ",", key, value);
}

// "xpu" is torch's name for Intel's GPUs. No machine has GPUs of several vendors that torch could use.
bool is_gpu(std::string_view value) {
  return value == "gpu" || value == "xpu";
}

std::vector<int> signals_of(const Text& value) {
  std::vector<int> signals;
  const std::string names = value.value_or("SIGTERM,SIGINT,SIGHUP,SIGQUIT");
  for (const auto word : text::split(names, ',')) {
    const auto name = word.starts_with("SIG") ? word.substr(3) : word;
    int number = 1;
    while (number < SIGRTMIN && (sigabbrev_np(number) == nullptr || name != sigabbrev_np(number)))
      ++number;
    if (number == SIGRTMIN || number == SIGKILL || number == SIGSTOP || number == SIGCHLD) {
      throw Error(fmt::format(
          "--signals-to-handle {}: {} is unknown or cannot be handled; use names such as "
          "SIGTERM,SIGUSR1",
          text::in_quotes(names), text::in_quotes(word)));
    }
    signals.push_back(number);
  }
  return signals;
}

// Handles the flags that only torchrun's rendezvous would use. With --standalone, torchrun ignores them as
// well.
void add_meeting_place(const Words& words, Run& run) {
  if (words.standalone) return;
  const auto address = words.master_addr ? words.master_addr : words.local_addr;
  if (address) run.variables.emplace_back("MASTER_ADDR", *address);
  if (words.master_port) {
    constexpr std::uint32_t min_port = 1024;
    constexpr std::uint32_t max_port = 65535;
    const auto port = count_of("master-port", *words.master_port, max_port);
    if (port > 0 && port < min_port) {
      throw Error(fmt::format(
          "--master-port {}: ports below {} are privileged; use one from {} to {}, or leave it out",
          port, min_port, min_port, max_port));
    }
    if (port > 0) run.variables.emplace_back("MASTER_PORT", fmt::to_string(port));
  }
  if (words.rdzv_id && *words.rdzv_id != "none") {
    run.variables.emplace_back("TORCHELASTIC_RUN_ID", *words.rdzv_id);
  }
}

}  // namespace

Nodes nodes_of(const Words& words) {
  if (!words.nnodes) return {};
  const auto& text = *words.nnodes;
  const auto colon = std::min(text.find(':'), text.size());
  const auto min = text::number<std::uint32_t>(std::string_view(text).substr(0, colon));
  const auto max = colon == text.size()
                       ? min
                       : text::number<std::uint32_t>(std::string_view(text).substr(colon + 1));
  if (min && max && *min > 0 && *min <= *max && *max <= max_nodes) return {*min, *max};
  throw Error(fmt::format("--nnodes {}: use N or MIN:MAX, with 0 < MIN <= MAX <= {}",
                          text::in_quotes(text), max_nodes));
}

bool asks_for_gpus(const Words& words) {
  const auto value = words.nproc_per_node.value_or("1");
  return is_gpu(value) || value == "auto";
}

std::uint32_t ranks_per_node(const Words& words, const Machine& machine) {
  const auto value = words.nproc_per_node.value_or("1");
  if (value == "cpu") return machine.cpus;
  if (value == "auto") return machine.gpus > 0 ? machine.gpus : machine.cpus;
  if (is_gpu(value) && machine.gpus > 0) return machine.gpus;
  if (is_gpu(value)) {
    throw Error(fmt::format(
        "--nproc-per-node={}: this process has no GPU that it may use; check {}, or use a number",
        value, value == "xpu" ? "ZE_AFFINITY_MASK" : "nvidia-smi and CUDA_VISIBLE_DEVICES"));
  }
  const auto number = text::number<std::uint32_t>(value);
  if (number && *number > 0 && *number <= max_ranks) return *number;
  throw Error(fmt::format("--nproc-per-node {}: use a number from 1 to {}, auto, gpu, xpu or cpu",
                          text::in_quotes(value), max_ranks));
}

std::vector<std::string> command_of(const Words& words, const Environment& environment,
                                    const std::string& python) {
  // If all three are given, torchrun obeys this one: an interpreter runs the script, but not as the main
  // program.
  const bool script = words.run_path;
  if (words.no_python && words.module && !script) {
    throw Error(
        "--no-python and --module: a program is not a Python module; leave out one of the flags");
  }
  std::vector<std::string> command;
  if (!words.no_python || script) {
    const auto* const chosen = environment.if_set("PYTHON_EXEC");
    command = {chosen == nullptr ? python : *chosen, "-u"};
    if (words.module && !script) command.emplace_back("-m");
  }
  command.insert(command.end(), words.program.begin(), words.program.end());
  return command;
}

Run run_of(const Words& words, std::uint32_t ranks) {
  refuse_what_is_not_there(words);
  Run run;
  if (words.max_restarts) {
    constexpr std::uint32_t max_restarts = 1'000'000;
    add(run.option, "restarts",
        fmt::to_string(count_of("max-restarts", *words.max_restarts, max_restarts)));
  }
  if (words.monitor_interval &&
      words.monitor_interval->find_first_not_of("0123456789.eE+-") != std::string::npos) {
    throw Error(fmt::format("--monitor-interval {}: use a number of seconds",
                            text::in_quotes(*words.monitor_interval)));
  }
  if (words.shutdown_timeout) {
    add(run.option, "grace", seconds_of("shutdown-timeout", *words.shutdown_timeout));
  }
  if (words.numa_binding) add(run.option, "bind", binding_of(*words.numa_binding));
  const auto output = output_of(words, ranks);
  if (output.to_files) {
    run.wants_directory = !words.log_dir || *words.log_dir == "/dev/null";
    if (!run.wants_directory) add(run.option, "logs", *words.log_dir);
    add(run.option, "view", output.view);
    add(run.option, "prefix", output.prefixed ? "rank" : "none");
  }
  if (words.role) run.variables.emplace_back("ROLE_NAME", *words.role);
  run.ending_signals = signals_of(words.signals_to_handle);
  add_meeting_place(words, run);
  return run;
}

bool one_is_enough(const Words& words, const Nodes& nodes) {
  const bool others_are_known = words.rdzv_endpoint && !is_local(*words.rdzv_endpoint);
  return nodes.min == 1 && !others_are_known;
}

std::string several_nodes_text(const Words& words, const Nodes& nodes) {
  const auto many = nodes.min == nodes.max ? fmt::to_string(nodes.max)
                                           : fmt::format("{}-{}", nodes.min, nodes.max);
  const auto rendezvous = words.rdzv_endpoint && !is_local(*words.rdzv_endpoint)
                              ? " (the rendezvous would be at " + *words.rdzv_endpoint + ")"
                              : "";
  return fmt::format(
      "--nnodes={}: muster run starts only the ranks of this machine{}; in a Slurm allocation, "
      "the same line uses all of its nodes: salloc --nodes={} muster run ...; without Slurm, "
      "use torchrun",
      many, text::printable(rendezvous), many);
}

std::vector<std::string> srun_of(const Srun& srun, const std::vector<std::string>& command) {
  const auto nodes = srun.nodes.max;
  auto option = srun.profile;
  if (!srun.option.empty()) option += "," + srun.option;
  if (srun.nodes.min != srun.nodes.max)
    option += fmt::format(",nodes={}:{}", srun.nodes.min, nodes);
  std::vector<std::string> words{
      "srun", fmt::format("--nodes={}", nodes),
      fmt::format("--ntasks={}", nodes * srun.ranks_per_node),
      fmt::format("--ntasks-per-node={}", srun.ranks_per_node),
      // Several such steps may run at the same time, just as several torchruns may on one machine.
      "--overlap"};
  if (srun.cpus_per_rank > 0)
    words.push_back(fmt::format("--cpus-per-task={}", srun.cpus_per_rank));
  if (!srun.muster.empty()) words.insert(words.end(), {"--kill-on-bad-exit", srun.muster, "exec"});
  words.push_back("--distributed=" + option);
  if (!srun.muster.empty()) words.emplace_back("--");
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

}  // namespace muster::torchrun
