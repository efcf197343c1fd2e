#include "launcher/agent/serve.hpp"

#include "core/error.hpp"
#include "core/text/quote.hpp"
#include "launcher/agent/cancel_step.hpp"
#include "launcher/agent/monitor.hpp"
#include "launcher/agent/step.hpp"
#include "launcher/channel/step/facts.hpp"
#include "wire/frames.hpp"

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

namespace muster::agent {
namespace {

constexpr std::chrono::seconds facts_timeout{30};
constexpr std::chrono::seconds answer_timeout{10};
constexpr std::chrono::seconds end_step_timeout{5};

// Slurm signals everything in the step's container, including the agent. A checkpoint signal is not meant for
// the agent; for the agent, the step ends when the pipe does. SIGALRM keeps its default action until the
// agent has answered, because it kills an agent that hangs.
void ignore_signals() {
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGTERM, SIGPIPE, SIGTSTP,
                           SIGTTIN, SIGTTOU, SIGXCPU}) {
    std::signal(signal, SIG_IGN);
  }
}

struct LastWords {
  int pipe = -1;
  std::array<std::string, NSIG> frames;
};

LastWords& last_words() {
  static LastWords words;
  return words;
}

// The agent itself reports a crash: it is not a child of slurmstepd, so no other process notices.
void report_crashes(int pipe) {
  auto& words = last_words();
  words.pipe = pipe;
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) {
    words.frames.at(static_cast<std::size_t>(signal)) = wire::frame(
        wire::Kind::refusal, wire::encode(wire::Refusal{fmt::format(
                                 "muster-agent crashed with signal {} ({}); this is a bug in "
                                 "muster: please report it",
                                 signal, sigdescr_np(signal))}));
    std::signal(signal, [](int fatal) {
      const auto& frame = last_words().frames[static_cast<std::size_t>(fatal)];
      send(last_words().pipe, frame.data(), frame.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      std::signal(fatal, SIG_DFL);
      raise(fatal);
    });
  }
}

void answer(int pipe, wire::Kind kind, const std::string& payload) {
  wire::send_frame(pipe, kind, payload, std::chrono::steady_clock::now() + answer_timeout);
}

// Runs from the step's facts until the step's files are gone.
void serve_step(int pipe, wire::StepFacts facts, const site::SiteOptions& site) {
  Step step(std::move(facts), site);
  const auto plan = step.plan();
  std::signal(SIGALRM, SIG_IGN);
  alarm(0);  // cancels the time limit on the answer
  answer(pipe, wire::Kind::plan, wire::encode(plan));
  Monitor(pipe, step.monitored(), step.watches(), step.take_store()).run();
}

// Acts in place of an agent that is gone, after a task has failed.
void end_step(const wire::StepFacts& facts, const site::SiteOptions& options) {
  const auto environment = step::environment_of(facts);
  const site::Site site(options, environment, false);
  cancel_step(fmt::format("{}.{}", facts.job_id, facts.step_id), environment,
              slurm_owners(site.trust(), facts.slurmstepd), end_step_timeout);
}

}  // namespace

int serve(int pipe, const site::SiteOptions& site) {
  ignore_signals();
  report_crashes(pipe);
  const auto frame = wire::receive_frame(pipe, std::chrono::steady_clock::now() + facts_timeout);
  auto facts = frame.kind == wire::Kind::facts ? wire::decode_facts(frame.payload) : std::nullopt;
  if (frame.status != wire::PipeStatus::ok || !facts) return EXIT_FAILURE;
  try {
    if (facts->agent_lost) {
      end_step(*facts, site);
    } else {
      serve_step(pipe, std::move(*facts), site);
    }
    answer(pipe, wire::Kind::done, {});
  } catch (const Silent&) {
    answer(pipe, wire::Kind::refusal, wire::encode(wire::Refusal{}));
  } catch (const std::exception& error) {
    answer(pipe, wire::Kind::refusal,
           wire::encode(wire::Refusal{text::printable_path(error.what())}));
  }
  return EXIT_SUCCESS;
}

}  // namespace muster::agent
