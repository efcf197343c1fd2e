// One task of `muster exec`, up to the point where it becomes its program.
#pragma once

#include "core/environment.hpp"
#include "core/option/option.hpp"
#include "core/request/request.hpp"
#include "launcher/agent/port/held_port.hpp"
#include "launcher/site/site.hpp"
#include "launcher/tools/exec/node_meeting.hpp"
#include "launcher/tools/exec/task_facts.hpp"
#include "wire/messages.hpp"

#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace muster::plan {
struct StepPlan;
}

namespace muster::exec {

struct TaskReport;

struct TaskOptions {
  site::SiteOptions site;
  std::optional<std::string> option;  // the value of --distributed
  std::vector<std::string> command;   // the program and its arguments, as typed
};

class Task {
 public:
  using ShowHelp = std::function<void(const site::Site&)>;

  // Both must outlive it; `inherited` is this process's environment.
  Task(const TaskOptions& options, const Environment& inherited);

  // Plans with the other tasks of the node and becomes the program. Returns the exit code if there
  // is nothing to become. One task calls `show_help` if help was requested.
  int run(const ShowHelp& show_help);

 private:
  [[nodiscard]] int step_aside() const;
  void prepare();
  void find_program();
  void hold_ports();
  [[nodiscard]] TaskReport report() const;
  int lead(Leader& leader);
  [[nodiscard]] wire::NodePlan plan(const std::vector<TaskReport>& reports) const;
  void show(const plan::StepPlan& step) const;
  int follow(const MeetingPlace& place, const os::Descriptor& leader);
  int start(const wire::NodePlan& part);

  const TaskOptions& options_;
  TaskFacts facts_;
  const Environment& inherited_;
  Environment environment_;  // without the variables that an outer step's muster has set
  std::optional<site::Site> site_;
  option::Action action_ = option::Action::launch;
  std::optional<request::Request> request_;
  std::vector<port::HeldPort> ports_;  // of rank 0
  std::string failure_;
  int exit_code_ = EXIT_FAILURE;
};

}  // namespace muster::exec
