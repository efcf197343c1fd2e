// All attempts of one srun, by its supervisor; or those that are left to its successor.
#pragma once

#include "core/report/record.hpp"
#include "core/report/report.hpp"
#include "core/restart/nodes.hpp"
#include "core/restart/past.hpp"
#include "launcher/supervisor/attempts/attempt.hpp"
#include "launcher/supervisor/attempts/interruption.hpp"
#include "launcher/supervisor/attempts/job_nodes.hpp"
#include "launcher/supervisor/attempts/launch.hpp"
#include "launcher/supervisor/attempts/node_health.hpp"
#include "launcher/supervisor/attempts/node_preflight.hpp"
#include "launcher/supervisor/attempts/own_allocation.hpp"
#include "launcher/supervisor/attempts/requeue.hpp"
#include "launcher/supervisor/attempts/standard_input.hpp"
#include "launcher/supervisor/attempts/step_nodes.hpp"
#include "launcher/supervisor/attempts/succession.hpp"

#include <chrono>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <vector>

namespace muster::attempts {

class Course {
 public:
  explicit Course(const Launch& launch);

  // Returns the exit code for this process.
  int run();

 private:
  using Clock = std::chrono::steady_clock;

  static constexpr std::chrono::milliseconds time_to_ask{2000};  // scontrol

  int run_all();
  std::optional<int> attempt(std::uint32_t number);
  std::optional<int> after(Attempt& attempt);
  std::optional<int> resume();
  bool find_nodes();
  void choose_first_nodes(bool elastic);
  bool again(const report::Record& record, const report::Report& report);
  void check_nodes();
  bool choose_nodes(const report::Record& record);
  void use(const restart::Choice& choice, bool beside_old_step);
  [[nodiscard]] restart::Size size_after(const report::Record& record) const;
  [[nodiscard]] std::uint32_t max_attempts() const {
    return launch_.request.restarts + launch_.request.requeue + 1;
  }
  [[nodiscard]] std::optional<int> show(const report::Report& report) const;
  int end(const report::Report& report, const Attempt& attempt, bool signalled);
  int end_without_another(const std::exception& error);
  bool interrupted_before(Clock::time_point time);
  void begin(Attempt& attempt);

  const Launch& launch_;
  const bool own_allocation_ = take_own_allocation();
  Requeue requeue_{launch_};
  control::Socket control_;
  std::optional<JobNodes> nodes_;           // nothing where the allocation is not known
  std::optional<NodeHealth> health_;        // likewise
  std::optional<NodePreflight> preflight_;  // likewise, and where it is off
  StepShape shape_;
  std::uint32_t allocated_ = 0;      // nodes of the job at its beginning
  srun::Command command_;            // of the next attempt
  std::vector<std::string> names_;   // of its nodes; empty: as the user's words have them
  std::vector<std::string> spares_;  // that are kept ready meanwhile
  Clock::time_point not_before_ = Clock::time_point::min();
  std::vector<restart::Past> past_ = requeue_.earlier();  // of earlier runs of the job, too
  std::optional<Succession> succession_;
  std::optional<report::Report> last_;  // with all attempts so far
  std::string last_logs_;               // that attempt's directory of logs=; empty without one
  bool shares_cores_ = false;           // the next srun, with a step before it
  bool old_step_remains_ = false;       // it holds resources for as long as its node is lost
  bool too_few_nodes_ = false;
  std::string why_no_more_;
  std::optional<Interruption> interruption_;
  attempts::StandardInput input_;
};

}  // namespace muster::attempts
