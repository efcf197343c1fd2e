// Shows a step's plan on the terminal once every node's part of it has come: explain on stderr,
// dry-run on stdout, where a program may read it. With logs= it is kept beside them as plan.json.
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
  std::string svg =
      {};  // also drawn into this file; "-" is standard output, which then gets nothing else
  std::string node = {};  // which node; empty: rank 0's
};

class PlanView {
 public:
  PlanView(const request::Request& request, PlanStyle style);

  // Before a plan is shown: the nodes that the step does not use, and that are kept ready.
  void keep_idle(std::vector<std::string> spares) { spares_ = std::move(spares); }

  // The nodes' texts (core/plan/step_plan.hpp). Called from the channel's thread.
  void show(const std::vector<std::string>& texts);

  [[nodiscard]] bool shown() const { return shown_; }
  // It came, but could not be shown; a line has said why.
  [[nodiscard]] bool failed() const { return failed_; }

  // Where rank 0's node has the files of logs=, once the plan has come; empty: nowhere. Only after the
  // channel has ended.
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
