// How long muster-agent takes from its start to its plan, compared with the whole life of an empty program.
// The two take turns.
//
//   bind_agent ROUNDS TASKS AGENT EMPTY CONFIG...     seconds by arm as JSON: "empty", then each
//   CONFIG
//
// This program plays slurmstepd's part: a step of one node whose tasks have GPUs 0 to 7.
#include "wire/frames.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace muster;
using Clock = std::chrono::steady_clock;

constexpr int agents_socket = 3;
constexpr std::chrono::seconds patience{30};

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "bind_agent: %s\n", why.c_str());
  std::exit(1);
}

wire::StepFacts facts(std::uint32_t tasks) {
  wire::StepFacts step{.job_id = 1,
                       .step_id = 0,
                       .node_index = 0,
                       .node_count = 1,
                       .task_count = tasks,
                       .global_ids = {},
                       .cores = "",
                       .option = "torch",
                       .working_directory = "/",
                       .arguments = {"/bin/true"},
                       .environment = {}};
  for (std::uint32_t task = 0; task < tasks; ++task) step.global_ids.push_back(task);
  step.environment = {fmt::format("SLURM_MUSTER_STEP=1|localhost|0+1x{}|127.0.0.1", tasks),
                      "SLURM_CLUSTER_NAME=bench", "SLURM_STEP_GPUS=0,1,2,3,4,5,6,7",
                      "CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7", "PATH=/usr/bin:/bin"};
  return step;
}

pid_t start(const std::vector<std::string>& words, int socket) {
  std::vector<char*> arguments;
  for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  char* const environment[] = {nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (socket >= 0) posix_spawn_file_actions_adddup2(&actions, socket, agents_socket);
  pid_t child = 0;
  if (posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environment) != 0)
    fail("cannot start " + words[0]);
  posix_spawn_file_actions_destroy(&actions);
  return child;
}

double since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double life_of(const std::string& program) {
  const auto begin = Clock::now();
  const pid_t child = start({program}, -1);
  waitpid(child, nullptr, 0);
  return since(begin);
}

void check_plan(const wire::Received& answer, std::uint32_t tasks) {
  if (answer.kind == wire::Kind::refusal)
    fail(wire::decode_refusal(answer.payload).value_or(wire::Refusal{}).text);
  const auto plan = wire::decode_plan(answer.payload);
  if (answer.status != wire::PipeStatus::ok || !plan || plan->tasks.size() != tasks)
    fail("the agent sent no plan");
}

double plan_of(const std::string& agent, const std::string& config, std::uint32_t tasks) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) fail("no socket pair");
  const auto request = wire::encode(facts(tasks));
  const auto begin = Clock::now();
  const pid_t child = start({agent, "agent", "--config", config, "--trust-any-owner"}, ends[1]);
  close(ends[1]);
  wire::send_frame(ends[0], wire::Kind::facts, request, begin + patience);
  const auto answer = wire::receive_frame(ends[0], begin + patience);
  const double taken = since(begin);
  check_plan(answer, tasks);
  close(ends[0]);  // the end of the step
  waitpid(child, nullptr, 0);
  return taken;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6) fail("usage: bind_agent ROUNDS TASKS AGENT EMPTY CONFIG...");
  const int rounds = std::atoi(argv[1]);
  const auto tasks = static_cast<std::uint32_t>(std::atoi(argv[2]));
  std::vector<std::string> arms{"empty"};
  arms.insert(arms.end(), argv + 5, argv + argc);
  std::map<std::string, std::vector<double>> seconds;
  for (int round = -3; round < rounds; ++round) {  // the first three warm up
    for (std::size_t i = 0; i < arms.size(); ++i) {
      // Each round starts with a different arm, so that the after-effects of one arm affect all others
      // equally.
      const auto& arm = arms[(i + static_cast<std::size_t>(round + 3)) % arms.size()];
      const double taken = arm == "empty" ? life_of(argv[4]) : plan_of(argv[3], arm, tasks);
      if (round >= 0) seconds[arm].push_back(taken);
    }
  }
  std::vector<std::string> parts;
  for (const auto& [arm, samples] : seconds)
    parts.push_back(fmt::format("\"{}\": [{}]", arm, fmt::join(samples, ", ")));
  fmt::print("{{{}}}\n", fmt::join(parts, ", "));
}
