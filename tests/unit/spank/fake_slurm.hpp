// A Slurm that does what the test says and remembers what it was asked to do.
#pragma once

#include "spank/slurm_api.hpp"

#include <map>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include <unistd.h>

namespace muster::spank {

inline Identity own_identity() {
  Identity identity{.uid = geteuid(), .gid = getegid(), .groups = {}};
  identity.groups.resize(static_cast<std::size_t>(getgroups(0, nullptr)));
  const int count = getgroups(static_cast<int>(identity.groups.size()), identity.groups.data());
  identity.groups.resize(static_cast<std::size_t>(count));
  return identity;
}

class FakeSlurm final : public SlurmApi {
 public:
  /// Two tasks on the second of two nodes.
  Step facts{.job_id = 42,
             .step_id = 0,
             .node_index = 1,
             .node_count = 2,
             .task_count = 4,
             .global_ids = {2, 3},
             .cores = "0-3",
             .arguments = {"./train", "--lr", "3"},
             .environment = {}};
  std::optional<Identity> user = own_identity();
  std::map<std::string, std::string> variables;
  std::uint32_t task = 0;
  std::uint32_t wait_status = 0;
  std::optional<StepLayout> layout;
  std::uint32_t components_asked = 0;
  bool out_of_memory = false;
  std::string unsettable;  ///< a name that set_job_variable refuses

  std::vector<std::string> errors;
  std::vector<std::string> notices;
  std::vector<std::string> unset;
  int asked = 0;  ///< calls that cost something

  std::uint32_t step_id() noexcept override { return facts.step_id; }
  Step step() override {
    ++asked;
    if (out_of_memory) throw std::bad_alloc();
    auto copy = facts;
    for (const auto& [name, value] : variables) copy.environment.push_back(name + '=' + value);
    return copy;
  }
  std::optional<Identity> identity() override {
    ++asked;
    return user;
  }
  bool has_job_variable(const char* name) noexcept override { return variables.count(name) != 0; }
  std::optional<std::string> job_variable(const char* name) override {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  }
  bool set_job_variable(const std::string& name, const std::string& value) override {
    ++asked;
    if (name == unsettable) return false;
    variables[name] = value;
    return true;
  }
  void unset_job_variable(const char* name) override {
    ++asked;
    variables.erase(name);
    unset.push_back(name);
  }
  std::uint32_t local_task_id() override { return task; }
  std::uint32_t task_process() override { return 100 + task; }
  std::uint32_t task_wait_status() override { return wait_status; }
  std::string mpi_default() override { return {}; }
  std::optional<StepLayout> step_layout(std::uint32_t components) override {
    ++asked;
    components_asked = components;
    return layout;
  }
  void error(const std::string& line) override { errors.push_back(line); }
  void notice(const std::string& line) override { notices.push_back(line); }
};

}  // namespace muster::spank
