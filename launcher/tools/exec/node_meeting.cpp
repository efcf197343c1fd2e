#include "launcher/tools/exec/node_meeting.hpp"

#include "core/error.hpp"
#include "core/text/amounts.hpp"
#include "core/text/list.hpp"
#include "launcher/channel/step/facts.hpp"
#include "launcher/os/local_socket.hpp"
#include "secret/mac.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

namespace muster::exec {
namespace {

using Clock = std::chrono::steady_clock;

// For one message from a task that has connected.
constexpr std::chrono::seconds message_timeout{5};
constexpr std::chrono::seconds planning_timeout{60};  // for the plan, once all tasks have connected
constexpr std::chrono::milliseconds retry_interval{5};
constexpr std::size_t max_name_bytes = 100;

wire::Deadline after(std::chrono::seconds time) {
  return Clock::now() + time;
}

// For the case that another user's process holds the name.
[[noreturn]] void fail_other_user(const MeetingPlace& place, uid_t user) {
  throw Error(
      fmt::format("a process of user {} on {} holds the socket @{}, through which the tasks of "
                  "this step would meet; set MUSTER_SECRET_FILE to a file of your own, so that "
                  "nobody can predict the name, or ask your administrator to end that process",
                  user, place.node, place.name));
}

}  // namespace

MeetingPlace meeting_place(const TaskFacts& facts, std::chrono::seconds timeout,
                           const std::optional<secret::Key>& secret) {
  const auto user = getuid();
  // Two slurmds on one machine may share its namespace: the name includes the node.
  auto name = fmt::format("muster/exec/{}/{}/{}", user, step::run_id(facts.step), facts.node_name);
  if (secret) name = "muster/exec/" + secret::to_hex(secret::derive_key(*secret, {"socket", name}));
  name.resize(std::min(name.size(), max_name_bytes));
  return {std::move(name), facts.local_tasks, facts.node_name, timeout, user};
}

Met meet(const MeetingPlace& place) {
  const auto deadline = after(place.timeout);
  while (true) {
    if (auto listener = os::listen_at(place.name)) {
      return {Leader(place, std::move(listener)), os::Descriptor()};
    }
    auto leader = os::connect_to(place.name);
    const auto user = leader ? peer_user(leader) : std::nullopt;
    if (user && *user != place.user) fail_other_user(place, *user);
    if (user) return {std::nullopt, std::move(leader)};
    if (Clock::now() >= deadline) {
      throw Error(fmt::format(
          "on {}, no process answered on the socket @{} within {} s; does another process hold it?",
          place.node, place.name, place.timeout.count()));
    }
    std::this_thread::sleep_for(retry_interval);
  }
}

Leader::Leader(MeetingPlace place, os::Descriptor listener)
    : place_(std::move(place)),
      listener_(std::move(listener)),
      members_(place_.local_tasks.size()),
      reports_(place_.local_tasks.size()) {}

std::vector<TaskReport> Leader::collect(const TaskReport& own) {
  const auto deadline = after(place_.timeout);
  reports_.at(own.local_id) = own;
  while (!std::ranges::all_of(reports_, [](const auto& report) { return report.has_value(); })) {
    auto member = accept_before(listener_, deadline);
    if (!member) throw Error(missing());
    take(std::move(member), deadline);
  }
  std::vector<TaskReport> all;
  for (auto& report : reports_) all.push_back(std::move(*report));
  return all;
}

// Drops the connection of another user's process, or one whose message is not a report. No other task is
// affected.
void Leader::take(os::Descriptor member, wire::Deadline deadline) {
  if (peer_user(member) != place_.user) return;
  const auto frame = wire::receive_frame(member.get(), std::min(deadline, after(message_timeout)));
  if (frame.status != wire::PipeStatus::ok || frame.kind != wire::Kind::facts) return;
  auto report = decode_report(frame.payload);
  if (!report || report->local_id >= reports_.size()) return;
  const auto task = place_.local_tasks[report->local_id];
  if (report->procid != task || reports_[report->local_id]) {
    throw Error(
        fmt::format("two processes on {} claim to be task {}; start muster exec once in "
                    "each task",
                    place_.node, task));
  }
  members_[report->local_id] = std::move(member);
  reports_[report->local_id] = std::move(report);
}

std::string Leader::missing() const {
  std::vector<layout::ProcId> tasks;
  for (std::size_t i = 0; i < reports_.size(); ++i) {
    if (!reports_[i]) tasks.push_back(place_.local_tasks[i]);
  }
  return fmt::format(
      "{} {} on {} did not arrive within {} s (gather_timeout); muster exec must be started in "
      "every task of the step",
      text::plural(tasks.size(), "task"), text::join(tasks, ", "), place_.node,
      place_.timeout.count());
}

void Leader::answer(std::uint32_t local_id, wire::Kind kind, const std::string& payload) {
  const auto& member = members_.at(local_id);
  if (member) wire::send_frame(member.get(), kind, payload, after(message_timeout));
}

void Leader::refuse_all() {
  for (std::uint32_t i = 0; i < members_.size(); ++i) {
    answer(i, wire::Kind::refusal, wire::encode(wire::Refusal{}));
  }
}

wire::Received report_to_leader(const MeetingPlace& place, const os::Descriptor& leader,
                                const TaskReport& own) {
  wire::send_frame(leader.get(), wire::Kind::facts, encode(own), after(message_timeout));
  auto answer = wire::receive_frame(leader.get(), after(place.timeout + planning_timeout));
  if (answer.status != wire::PipeStatus::ok) {
    throw Error(fmt::format(
        "on {}, the task that plans for the others {}; look for its message", place.node,
        answer.status == wire::PipeStatus::timeout ? "did not answer" : "has exited"));
  }
  return answer;
}

}  // namespace muster::exec
