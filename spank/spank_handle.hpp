// Implements SlurmApi with the real SPANK handle.
#pragma once

#include "spank/slurm_api.hpp"

struct spank_handle;

namespace muster::spank {

class SpankSlurm final : public SlurmApi {
 public:
  explicit SpankSlurm(spank_handle* handle) : handle_(handle) {}

  std::uint32_t step_id() noexcept override;
  Step step() override;
  std::optional<Identity> identity() override;
  bool has_job_variable(const char* name) noexcept override;
  std::optional<std::string> job_variable(const char* name) override;
  bool set_job_variable(const std::string& name, const std::string& value) override;
  void unset_job_variable(const char* name) override;
  std::uint32_t local_task_id() override;
  std::uint32_t task_process() override;
  std::uint32_t task_wait_status() override;
  std::optional<StepLayout> step_layout(std::uint32_t components) override;
  std::string mpi_default() override;
  void error(const std::string& line) override;
  void notice(const std::string& line) override;

 private:
  [[nodiscard]] const char* value_of(const char* name) const noexcept;

  spank_handle* handle_;
};

}  // namespace muster::spank
