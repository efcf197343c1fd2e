#include "launcher/agent/reporter.hpp"

#include <utility>

namespace muster::agent {
namespace {

using std::chrono::milliseconds;

// The last task's exit waits for the agent, at most for two seconds (spank/slurmstepd.cpp).
constexpr milliseconds time_to_deliver{1000};
constexpr milliseconds time_without_supervisor{100};

}  // namespace

Reporter::Reporter(asio::io_context& io, const MonitoredStep& step, const ranks::Ranks& ranks,
                   ranks::Evidence& evidence, watch::LinkEvents events)
    : io_(io), step_(step), ranks_(ranks), evidence_(evidence) {
  if (step.supervisor) link_.emplace(io, step.supervisor, step.rules.heartbeat, std::move(events));
}

void Reporter::say_hello(std::optional<Clock::time_point> first_start) {
  if (!link_) return;
  first_start_ = first_start;
  hello_is_vague_ = first_start && !link_->established();
  link_->start({.step = step_.step,
                .node = step_.node,
                .ranks = ranks_.places(),
                .started = first_start ? link_->moment(*first_start) : report::Moment(),
                .ranks_of_step = step_.ranks});
}

void Reporter::send_waiting() {
  if (!established()) return;
  send_all();
}

void Reporter::rank_ended(std::size_t local_id) {
  if (!link_) return;
  waiting_.push_back(local_id);
  send_waiting();
}

void Reporter::send_all() {
  if (hello_is_vague_ && link_->established()) say_hello(first_start_);
  const auto moment = [this](Clock::time_point time) { return link_->moment(time); };
  for (const auto id : std::exchange(waiting_, {})) {
    link_->send(watch::Ended{evidence_.of(id, ranks_.all()[id], moment)});
  }
}

// The report has one line for each node.
void Reporter::remark(const std::string& text) {
  remark_ += (remark_.empty() ? "" : "; ") + text;
  if (link_) link_->send(watch::Remark{remark_});
}

void Reporter::stuck(watch::Stuck stuck) {
  if (link_) link_->send(std::move(stuck));
}

void Reporter::hangs(watch::Hangs hangs) {
  if (link_) link_->send(std::move(hangs));
}

void Reporter::deliver(bool urgent) {
  if (!link_) return;
  const auto limit = urgent || link_->established() ? time_to_deliver : time_without_supervisor;
  io_.restart();
  const auto established_by = Clock::now() + time_without_supervisor;
  while (urgent && !link_->established() && io_.run_one_until(established_by) > 0) {
  }
  send_all();
  bool done = false;
  link_->finish(limit, [&done] { done = true; });
  const auto deadline = Clock::now() + limit;
  io_.restart();
  while (!done && io_.run_one_until(deadline) > 0) {
  }
}

}  // namespace muster::agent
