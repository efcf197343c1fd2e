// muster-agent: one per node and step, started by the shim as the user. Reads the step's facts from
// its pipe, answers with the plan, holds the rendezvous port, and ends with the last task.
#include "core/error.hpp"
#include "core/text/quote.hpp"
#include "launcher/agent/cancel_step.hpp"
#include "launcher/agent/error_directory.hpp"
#include "launcher/agent/monitor.hpp"
#include "launcher/agent/step.hpp"
#include "launcher/command/commands.hpp"
#include "launcher/command/site_options.hpp"
#include "launcher/site/site.hpp"
#include "launcher/step/facts.hpp"
#include "wire/frames.hpp"

#include <chrono>
#include <csignal>
#include <cstring>
#include <memory>
#include <optional>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::command {
namespace {

constexpr int pipe_socket = 3;
constexpr std::chrono::seconds facts_timeout{30};
constexpr std::chrono::seconds answer_timeout{10};
constexpr std::chrono::seconds cancel_timeout{5};

// Slurm signals everything in the step's container, including the agent. A checkpoint signal is not
// meant for the agent; the end of the pipe is the end of the step. SIGALRM keeps its default until the
// agent has answered: it is how the shim ends one that hangs.
void ignore_signals() {
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGTERM, SIGPIPE, SIGTSTP,
                           SIGTTIN, SIGTTOU, SIGXCPU}) {
    std::signal(signal, SIG_IGN);
  }
}

// The agent itself reports how it ends: it is not slurmstepd's child, so no other process sees it.
void report_crashes() {
  static std::string frames[NSIG];
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) {
    frames[signal] = wire::frame(wire::Kind::refusal,
                                 wire::encode(wire::Refusal{fmt::format(
                                     "muster-agent crashed by signal {} ({}); this is a bug "
                                     "in muster, please report it",
                                     signal, sigdescr_np(signal))}));
    std::signal(signal, [](int fatal) {
      send(pipe_socket, frames[fatal].data(), frames[fatal].size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      std::signal(fatal, SIG_DFL);
      raise(fatal);
    });
  }
}

bool is_socket(int fd) {
  struct stat status {};
  return fstat(fd, &status) == 0 && S_ISSOCK(status.st_mode);
}

void answer(wire::Kind kind, const std::string& payload) {
  wire::send_frame(pipe_socket, kind, payload, std::chrono::steady_clock::now() + answer_timeout);
}

// From the facts of the step until its files are gone.
void serve_step(wire::StepFacts facts, const site::SiteOptions& site) {
  const auto base = step::temporary_directory(step::environment_of(facts));
  agent::Step step(std::move(facts), site);
  const auto plan = step.plan();
  std::signal(SIGALRM, SIG_IGN);
  alarm(0);  // the shim's limit on the answer
  answer(wire::Kind::plan, wire::encode(plan));
  agent::remove_abandoned(base, step.node());  // while nobody waits for it
  agent::Monitor(pipe_socket, step.monitored(), step.watches()).run();
}

// In place of an agent that has gone, after a task has failed.
void end_step(const wire::StepFacts& facts, const site::SiteOptions& options) {
  const auto environment = step::environment_of(facts);
  const site::Site site(options, environment, false);
  agent::cancel_step(fmt::format("{}.{}", facts.job_id, facts.step_id), environment, site.trust(),
                     cancel_timeout);
}

int serve(const site::SiteOptions& site) {
  const auto frame =
      wire::receive_frame(pipe_socket, std::chrono::steady_clock::now() + facts_timeout);
  auto facts = frame.kind == wire::Kind::facts ? wire::decode_facts(frame.payload) : std::nullopt;
  if (frame.status != wire::PipeStatus::ok || !facts) return EXIT_FAILURE;
  try {
    if (facts->agent_lost) {
      end_step(*facts, site);
    } else {
      serve_step(std::move(*facts), site);
    }
    answer(wire::Kind::done, {});
  } catch (const agent::Silent&) {
    answer(wire::Kind::refusal, wire::encode(wire::Refusal{}));
  } catch (const std::exception& error) {
    answer(wire::Kind::refusal, wire::encode(wire::Refusal{text::printable_path(error.what())}));
  }
  return EXIT_SUCCESS;
}

int run_agent(const site::SiteOptions& site) {
  if (!is_socket(pipe_socket)) {
    throw Error(
        "muster-agent is started by muster.so on each node, not by hand; "
        "see `srun --distributed=help`");
  }
  ignore_signals();
  report_crashes();
  return serve(site);
}

}  // namespace

Command agent_command() {
  auto site = std::make_shared<site::SiteOptions>();
  Command command("agent", "plan one node of a step (started by muster.so)");
  add_site_options(command, *site);
  return command.internal().action([site] { return run_agent(*site); });
}

}  // namespace muster::command
