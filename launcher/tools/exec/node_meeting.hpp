// The tasks of one node meet, so that one of them can plan for all.
//
//   first to come   listens and leads: collects a report from every task, answers each one
//   the others      report, and wait for their part of the plan, or for the end
//
// The first task to arrive leads, so that one line can name any task that never arrives.
#pragma once

#include "launcher/os/descriptor.hpp"
#include "launcher/tools/exec/task_facts.hpp"
#include "launcher/tools/exec/task_report.hpp"
#include "secret/key.hpp"
#include "wire/frames.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace muster::exec {

struct MeetingPlace {
  std::string name;                         // the socket's name
  std::vector<layout::ProcId> local_tasks;  // the expected tasks, by local ID
  std::string node;                         // for messages
  std::chrono::seconds timeout{30};
  uid_t user = 0;
};

// Any user can see and take the name of such a socket. A name derived from the user's `secret` cannot be
// predicted; without a secret, anybody could predict it.
MeetingPlace meeting_place(const TaskFacts& facts, std::chrono::seconds timeout,
                           const std::optional<secret::Key>& secret);

class Leader {
 public:
  Leader(MeetingPlace place, os::Descriptor listener);

  // All reports by local ID, including `own`. Throws an Error that names the tasks that did not connect.
  std::vector<TaskReport> collect(const TaskReport& own);

  // Answers one of the other tasks. A task that is gone needs no answer.
  void answer(std::uint32_t local_id, wire::Kind kind, const std::string& payload);

  // Tells every task that has connected that it cannot continue. The user already knows why.
  void refuse_all();

 private:
  void take(os::Descriptor member, wire::Deadline deadline);
  [[nodiscard]] std::string missing() const;

  MeetingPlace place_;
  os::Descriptor listener_;
  std::vector<os::Descriptor> members_;  // by local ID
  std::vector<std::optional<TaskReport>> reports_;
};

struct Met {
  std::optional<Leader> leader;      // this task leads
  os::Descriptor leader_connection;  // otherwise: this task has found the leader
};

// Throws Error if neither is possible before the place's timeout ends.
Met meet(const MeetingPlace& place);

// The leader's answer. Throws Error if none arrives.
wire::Received report_to_leader(const MeetingPlace& place, const os::Descriptor& leader,
                                const TaskReport& own);

}  // namespace muster::exec
