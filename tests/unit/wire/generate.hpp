// Messages of every shape for the round-trip tests.
#pragma once

#include "fixtures/random_text.hpp"
#include "wire/messages.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace muster::wire {

class Generate {
 public:
  explicit Generate(unsigned seed) : random_(seed) {}

  fixtures::RandomText& random() { return random_; }

  std::uint32_t number() { return static_cast<std::uint32_t>(random_.below(std::size_t{1} << 32)); }

  std::vector<std::string> texts() {
    std::vector<std::string> list(random_.below(5));
    for (auto& text : list) text = random_.bytes(12);
    return list;
  }

  std::vector<Assignment> assignments() {
    std::vector<Assignment> list(random_.below(4));
    for (auto& [name, value] : list) {
      name = random_.bytes(8);
      value = random_.bytes(12);
    }
    return list;
  }

  StepFacts facts() {
    StepFacts facts{.job_id = number(),
                    .step_id = number(),
                    .node_index = number(),
                    .node_count = number(),
                    .task_count = number(),
                    .global_ids = std::vector<std::uint32_t>(random_.below(6)),
                    .cores = random_.bytes(10),
                    .option = random_.bytes(10),
                    .working_directory = random_.bytes(10),
                    .arguments = texts(),
                    .environment = texts()};
    for (auto& id : facts.global_ids) id = number();
    facts.other_root = random_.below(2) == 1;
    facts.agent_lost = random_.below(2) == 1;
    facts.without_slurm = random_.below(2) == 1;
    facts.slurmstepd = random_.bytes(10);
    return facts;
  }

  NodePlan plan() {
    NodePlan plan{.warnings = texts(), .set = assignments(), .unset = texts(), .tasks = {}};
    plan.tasks.resize(random_.below(4));
    for (auto& task : plan.tasks) {
      task.set = assignments();
      task.cpu_mask.resize(random_.below(3));
      for (auto& word : task.cpu_mask) word = std::uint64_t{number()} << 32 | number();
      using Mode = MemoryPolicy::Mode;
      task.memory.mode = random_.pick(
          std::vector<Mode>{Mode::kernels, Mode::preferred, Mode::bind, Mode::preferred_many});
      task.memory.nodes.resize(random_.below(3));
      for (auto& word : task.memory.nodes) word = number();
      task.cpus_required = random_.below(2) == 1;
      task.who = random_.bytes(9);
    }
    plan.directory = random_.bytes(9);
    plan.start_hook = random_.bytes(9);
    plan.has_files = random_.below(2) == 1;
    return plan;
  }

 private:
  fixtures::RandomText random_;
};

}  // namespace muster::wire
