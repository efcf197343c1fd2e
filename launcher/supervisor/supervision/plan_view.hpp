// Shows the plan of a step on the terminal as soon as all nodes have sent their parts: for explain on stderr,
// for dry-run on stdout, where a program may read it. With logs= it is kept next to the logs as plan.json.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace muster::plan {
struct StepPlan;
}

namespace muster::request {
struct Request;
}

namespace muster::supervision {

enum class PlanFormat : std::uint8_t { table, json };

struct PlanStyle {
  PlanFormat format = PlanFormat::table;
  std::string svg = {};   // the file for a drawing; "-": standard output, which gets nothing else
  std::string node = {};  // the node to draw; empty: rank 0's
};

class PlanView {
 public:
  PlanView(const request::Request& request, PlanStyle style);

  // Call it before a plan is shown: the nodes that the step does not use, and that are kept ready.
  void keep_idle(std::vector<std::string> spares) { spares_ = std::move(spares); }

  // Takes the texts of the nodes (core/plan/step_plan.hpp). Called from the channel's thread.
  void show(const std::vector<std::string>& texts);

  [[nodiscard]] bool shown() const { return shown_; }
  // Whether the plan arrived but could not be shown. The user has been told why.
  [[nodiscard]] bool failed() const { return failed_; }

  // The directory of logs= on rank 0's node, once the plan has arrived; empty if there is none. Call it only
  // after the channel has ended.
  [[nodiscard]] const std::string& logs() const { return logs_; }

 private:
  std::FILE* stream_;
  void show(const plan::StepPlan& plan);
  void draw(const plan::StepPlan& plan) const;

  void keep(const plan::StepPlan& plan);

  bool wanted_;
  PlanStyle style_;
  std::string logs_;
  std::vector<std::string> spares_;
  std::atomic<bool> shown_ = false;
  std::atomic<bool> failed_ = false;
};

}  // namespace muster::supervision
