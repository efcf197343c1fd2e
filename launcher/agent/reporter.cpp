#include "launcher/agent/reporter.hpp"

#include "launcher/agent/node_counts.hpp"
#include "launcher/topology/nvml.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include <asio/executor_work_guard.hpp>

namespace muster::agent {
namespace {

using std::chrono::milliseconds;

// The last task's exit waits for the agent for at most two seconds (spank/slurmstepd.cpp).
constexpr milliseconds delivery_timeout{1000};
constexpr milliseconds time_for_output{700};
constexpr milliseconds output_timeout{100};
constexpr milliseconds time_for_evidence{700};  // for ranks that end together
constexpr milliseconds time_without_supervisor{100};
constexpr milliseconds examination_time{5000};
// A program may meet elsewhere, or never.
constexpr milliseconds longest_store_interval{60'000};

}  // namespace

Reporter::Reporter(asio::io_context& io, const MonitoredStep& step, const ranks::Ranks& ranks,
                   ranks::Evidence& evidence, watch::LinkEvents events)
    : io_(io), step_(step), ranks_(ranks), evidence_(evidence) {
  if (!step.supervisor) return;
  watch_client_.emplace(io, step.supervisor, step.rules.heartbeat, step.rules.fences,
                        with_output(std::move(events)));
  if (step.logs.empty()) return;
  tail_.emplace(io, step.logs, step.supervisor.nodes,
                [this](const view::OutputPiece& piece) { return watch_client_->send(piece); });
  tail_->start();
}

watch::LinkEvents Reporter::with_output(watch::LinkEvents events) {
  events.end = [this, end = std::move(events.end)](const auto& told) {
    look_at_store_for_the_last_time();
    end(told);
  };
  events.connected = [this] {
    if (tail_) tail_->connected();
  };
  events.shown = [this](const auto& shown) {
    if (tail_) tail_->shown(shown.source, shown.offset);
  };
  events.examine = [this](const auto& what) { examine(what); };
  events.count = [this, suspended = events.suspended] {
    auto counts = count_node(ranks_, step_.logs, file_sizes_,
                             step_.rules.looks_for_hangs ? &recorders_ : nullptr);
    if (step_.rules.looks_for_hangs && counts.signs) counts.signs->suspended = suspended();
    counts.store = at_store_.look(step_.port, ranks_);
    return counts;
  };
  return events;
}

report::AgentTimes Reporter::agent_times(const StartTimes& start) const {
  return {watch_client_->moment(start.begun), watch_client_->moment(start.came),
          watch_client_->moment(start.met)};
}

void Reporter::say_hello(std::optional<Clock::time_point> first_start) {
  if (!watch_client_) return;
  first_start_ = first_start;
  if (first_start && step_.port != 0 && !std::exchange(looks_at_store_, true))
    next_store_look_ = *first_start + store_interval_;
  hello_is_vague_ = first_start && !watch_client_->established();
  watch::Hello hello{
      .step = step_.step,
      .node = step_.node,
      .ranks = ranks_.places(),
      .started = first_start ? watch_client_->moment(*first_start) : report::Moment(),
      .ranks_of_step = step_.ranks,
      .gpus = step_.gpus};
  if (first_start && step_.start) hello.agent = agent_times(*step_.start);
  watch_client_->start(std::move(hello));
}

void Reporter::send_waiting() {
  if (!established()) return;
  send_all();
}

void Reporter::rank_ended(std::size_t local_id) {
  if (!watch_client_) return;
  if (ranks_.all()[local_id].wait_status != 0) look_at_store_for_the_last_time();
  waiting_.push_back(local_id);
}

// Those that have come earlier may be about to leave, because their time is over. So it looks now and then
// until all have come, and less and less often.
void Reporter::look_at_store() {
  if (!next_store_look_) return;
  const auto found = at_store_.look(step_.port, ranks_);
  if (found) tell(*found);
  if (!found || at_store_.have_all_come()) return next_store_look_.reset();
  store_interval_ = std::min(store_interval_ * 5 / 4, longest_store_interval);
  next_store_look_ = Clock::now() + store_interval_;
}

// A rank has failed, so the others will end, and with them the difference between those that wait and those
// that are missing.
void Reporter::look_at_store_for_the_last_time() {
  if (!next_store_look_) return;
  next_store_look_.reset();
  if (const auto found = at_store_.last_look(step_.port, ranks_)) tell(*found);
}

void Reporter::tell(const AtStore& at_store) {
  if (at_store == told_at_store_) return;
  told_at_store_ = at_store;
  watch_client_->send(watch::Met{at_store});
}

void Reporter::send_all() {
  if (hello_is_vague_ && watch_client_->established()) say_hello(first_start_);
  const auto moment = [this](Clock::time_point time) { return watch_client_->moment(time); };
  const auto ended = std::exchange(waiting_, {});
  if (ended.empty()) return;
  // The other nodes wait for this news, and the supervisor waits for this node's heartbeat.
  const auto deadline = Clock::now() + time_for_evidence;
  std::vector<watch::FromAgent> ends;
  for (const auto id : ended) {
    ends.emplace_back(watch::Ended{evidence_.of(id, ranks_.all()[id], moment, deadline)});
  }
  watch_client_->send(std::move(ends));
  for (const auto id : ended) {
    const auto& rank = ranks_.all()[id];
    if (tail_ && rank.wait_status != 0 && !rank.signalled) tail_->failed(rank.place.rank);
  }
}

// The report shows one line per node.
void Reporter::remark(const std::string& text) {
  send_waiting();
  remark_ += (remark_.empty() ? "" : "; ") + text;
  if (watch_client_) watch_client_->send(watch::Remark{remark_});
}

void Reporter::stuck(watch::Stuck stuck) {
  send_waiting();
  if (watch_client_) watch_client_->send(std::move(stuck));
}

void Reporter::hangs(watch::Hangs hangs) {
  send_waiting();
  if (watch_client_) watch_client_->send(std::move(hangs));
}

void Reporter::group(Clock::time_point time, std::string line) {
  send_waiting();
  if (watch_client_)
    watch_client_->send(watch::Group{watch_client_->moment(time), std::move(line)});
}

std::optional<Reporter::Clock::time_point> Reporter::next_look() const {
  if (!watch_client_ || !first_start_ || !step_.rules.looks_for_slow) return next_store_look_;
  auto next = std::max(std::min(arrivals_.next(), links_.next()), *first_start_);
  if (next_store_look_) next = std::min(next, *next_store_look_);
  return examination_ ? std::min(next, examination_->due) : next;
}

// One at a time: the supervisor names somebody once, and rarely two at the same time.
void Reporter::examine(const watch::Examine& what) {
  if (examination_ || !step_.rules.looks_for_slow) return;
  std::error_code no_driver;
  std::unique_ptr<GpuWatch> gpus;
  if (std::filesystem::exists("/proc/driver/nvidia/version", no_driver))
    gpus =
        std::make_unique<GpuWatch>(topology::nvml_library, processes_of_step(), examination_time);
  examination_ = {
      .what = what,
      .before = read_counters("/proc", "/sys/fs/cgroup", arrivals_.processes_of(what.rank)),
      .gpus = std::move(gpus),
      .due = Clock::now() + examination_time};
}

std::set<pid_t> Reporter::processes_of_step() const {
  std::set<pid_t> found;
  for (const auto& rank : ranks_.all())
    if (rank.runs()) found.insert(rank.process->pid());
  for (const auto& process : ranks_.below()) found.insert(process.pid);
  return found;
}

std::optional<slow::GpuEvidence> Reporter::look_at_gpus() {
  if (!examination_->gpus) return std::nullopt;
  std::vector<std::string> suspects;
  for (std::size_t i = 0; i < step_.gpu_addresses.size(); ++i) {
    const auto& own = step_.gpu_addresses[i];
    const auto rank = examination_->what.rank;
    if (!rank || step_.places[i].rank == *rank)
      suspects.insert(suspects.end(), own.begin(), own.end());
  }
  return slow::gpu_evidence(examination_->gpus->answer(), suspects);
}

void Reporter::finish_examination() {
  const auto after =
      read_counters("/proc", "/sys/fs/cgroup", arrivals_.processes_of(examination_->what.rank));
  auto evidence = compare(examination_->before, after);
  evidence.gpu = look_at_gpus();
  watch_client_->send_once(watch::Examined{examination_->what.number, std::move(evidence)});
  examination_.reset();
}

void Reporter::look() {
  const auto due = next_look();
  const auto now = Clock::now();
  if (!due || now < *due) return;
  if (next_store_look_ && *next_store_look_ <= now) look_at_store();
  if (!step_.rules.looks_for_slow) return;
  if (examination_ && examination_->due <= now) finish_examination();
  const auto convert = [this](Clock::time_point time) { return watch_client_->moment(time); };
  auto piece = arrivals_.look(now, ranks_, convert);
  if (piece) watch_client_->send_once(watch::Arrived{std::move(*piece)});
  auto traffic = links_.look(now, ranks_);
  if (traffic) watch_client_->send_once(watch::Carried{std::move(*traffic)});
}

// In a short step the connection may only just be opening. Does not wait for a terminal that accepts no
// output: in that case it only reports how much output there is.
void Reporter::deliver_output() {
  if (!tail_) return;
  const auto sent = std::make_shared<bool>(false);
  tail_->when_all_is_sent([sent] { *sent = true; });
  run_until(*sent, time_for_output);
  const auto finished = std::make_shared<bool>(false);
  tail_->finish([finished] { *finished = true; });
  run_until(*finished, output_timeout);
}

void Reporter::run_until(const bool& done, milliseconds time) {
  // Keeps running for the tail, which works in another thread.
  const auto work = asio::make_work_guard(io_);
  const auto deadline = Clock::now() + time;
  io_.restart();
  while (!done && io_.run_one_until(deadline) > 0) {
  }
}

void Reporter::deliver(bool urgent) {
  if (!watch_client_) return;
  io_.restart();
  const auto established_by = Clock::now() + time_without_supervisor;
  while (urgent && !watch_client_->established() && io_.run_one_until(established_by) > 0) {
  }
  send_all();
  deliver_output();
  const auto limit =
      urgent || watch_client_->established() ? delivery_timeout : time_without_supervisor;
  bool done = false;
  watch_client_->finish(limit, [&done] { done = true; });
  const auto deadline = Clock::now() + limit;
  io_.restart();
  while (!done && io_.run_one_until(deadline) > 0) {
  }
}

}  // namespace muster::agent
