#include "launcher/attempts/attempt.hpp"

#include "core/error.hpp"
#include "core/logs/names.hpp"
#include "core/site/config.hpp"
#include "launcher/os/output.hpp"
#include "launcher/supervise/slurms_word.hpp"
#include "launcher/supervise/time_limit.hpp"
#include "launcher/supervise/unreached.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include <unistd.h>

namespace muster::attempts {
namespace {

std::unique_ptr<channel::Server> open_channel(const Launch& launch, const channel::StepKey& key,
                                              supervise::PlanView& view,
                                              supervise::Notices& notices,
                                              const supervise::Supervision& supervision) {
  return std::make_unique<channel::Server>(
      key, launch.site.config().control_ports,
      [&view](const std::vector<std::string>& texts) { view.show(texts); },
      [&notices](const std::string& text) { notices.show(text); }, channel::Limits(),
      supervision.station());
}

// An srun that was killed leaves a job that Slurm cancels, and this says nothing of the cause.
report::SlurmsWord slurms_word(const report::Record& record, bool left_srun) {
  auto job = supervise::job_of(record, site::current_environment());
  job.ends_soon = job.ends_soon && !left_srun;
  auto word = supervise::ask_slurm(job);
  if (left_srun && (word.job_state == "CANCELLED" || word.job_state == "COMPLETING")) return {};
  return word;
}

// `plan` knows where the files are, once a node has said so.
view::Wanted wanted(const request::Request& request, const supervise::PlanView& plan) {
  const bool terminal = isatty(STDOUT_FILENO) != 0 && isatty(STDERR_FILENO) != 0;
  return {.view = request.view,
          .prefix = request.prefix,
          .screen = {.colour_out = os::wants_color(stdout),
                     .colour_err = os::wants_color(stderr),
                     .terminal = terminal},
          .place = [&plan](const auto& source) {
            const auto stream =
                source.stream == view::Stream::out ? logs::Stream::output : logs::Stream::error;
            return std::filesystem::path(plan.logs()) / logs::file_name(source.rank, stream);
          }};
}

std::function<void(const watch::RankOutput&)> show_on(view::Display& display) {
  return [&display](const watch::RankOutput& output) {
    display.add({output.piece(), output.node, output.ranks});
  };
}

std::string own_name() {
  constexpr std::size_t max_name = 255;
  std::array<char, max_name + 1> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "the submit host";
}

template <class Time>
Time sooner(const Time& one, const Time& other) {
  if (!one || !other) return one ? one : other;
  return std::min(*one, *other);
}

supervise::SrunHooks with(supervise::SrunHooks hooks, const Chore& chore) {
  auto next = std::move(hooks.next);
  auto act = std::move(hooks.act);
  hooks.next = [next = std::move(next), &chore] { return sooner(next(), chore.next()); };
  hooks.act = [act = std::move(act), &chore](pid_t srun) {
    act(srun);
    chore.act();
  };
  return hooks;
}

}  // namespace

Chore both(Chore one, Chore other) {
  const auto chores = std::make_shared<std::pair<Chore, Chore>>(std::move(one), std::move(other));
  return {.next = [chores] { return sooner(chores->first.next(), chores->second.next()); },
          .act =
              [chores] {
                chores->first.act();
                chores->second.act();
              }};
}

Attempt::Attempt(const Launch& launch, std::uint32_t number)
    : launch_(launch),
      number_(number),
      view_(launch.request, launch.plan_style),
      notices_(stderr),
      display_(wanted(launch.request, view_),
               [this](const auto& source, auto offset, auto bytes) {
                 supervision_.station()->shown({source, offset}, bytes);
               }),
      supervision_(launch.policy, notices_, show_on(display_)),
      channel_(open_channel(launch, key_, view_, notices_, supervision_)) {}

supervise::Ended Attempt::run(const supervise::SrunCommand& command, const Chore& chore,
                              const sigset_t& mask) {
  const auto words = prepare_environment(launch_, command, {number_, key_, channel_->address()});
  step_.hand_on();
  auto hooks = supervision_.hooks([this] {
    step_.handed_on();
    if (launch_.request.logs) display_.start();
    channel_->start();
  });
  hooks.mask = mask;
  ended_ = supervise::run_srun(words, with(std::move(hooks), chore));
  if (launch_.request.logs) {
    supervision_.await_last_words();
    display_.finish(!is_well());
  }
  return ended_;
}

void Attempt::stop() {
  stopped_ = true;
  supervision_.stop();
}

bool Attempt::is_well() const {
  return ended_.wait_status == 0 && supervision_.unharmed();
}

// What srun and its command line tell of the step.
void Attempt::add_step(report::Record& record) const {
  const auto& command = launch_.command;
  record.attempt = number_;
  record.program = command.program == 0 ? "" : command.words.at(command.program);
  record.time_limit = supervise::chosen_time_limit(site::current_environment(), command.options());
  const auto created = step_.read();
  if (!created) return;
  record.created = supervision_.station()->moment(created->time);
  // Agents that got as far as asking, and never watched a task, say themselves why.
  if (record.nodes.empty() && channel_->reached()) return;
  supervise::name_silent_nodes(record, created->nodes);
}

report::Record Attempt::record() {
  auto record = supervision_.record(ended_);
  add_step(record);
  const auto channel = channel_->address();
  channel_.reset();  // asking Slurm starts a process, and this one has threads until now
  notices_.finish();
  const auto unreached = supervise::unreached_text(record, own_name(), channel);
  if (!unreached.empty() && (!is_well() || launch_.request.verbose)) {
    std::fprintf(stderr, "muster: %s\n", unreached.c_str());
  }
  if (!is_well()) record.slurm = slurms_word(record, supervision_.left_srun());
  return record;
}

int end_of_dry_run(const Attempt& attempt) {
  const int code = supervise::end_like(attempt.ended());
  if (attempt.view().failed() && code == 0) return EXIT_FAILURE;
  if (attempt.view().shown() || code != 0) return code;
  throw Error(
      "no plan came from the nodes, and the program has run if there is one; does slurmd there have "
      "muster.so in its plugstack.conf?");
}

}  // namespace muster::attempts
