#include "made_up_spank.hpp"

#include "spank/slurmctld.hpp"

#include <array>
#include <cstdarg>
#include <cstdio>

extern "C" {
#include <slurm/slurm_errno.h>
#include <slurm/spank.h>
}

namespace muster::spank {

MadeUpSpank& made_up_spank() {
  static MadeUpSpank instance;
  return instance;
}

std::string mpi_default_of_srun() {
  return {};
}

std::optional<StepLayout> layout_from_slurmctld(std::uint32_t /*job*/, std::uint32_t /*step*/,
                                                std::uint32_t /*components*/) {
  return std::nullopt;
}

namespace {

std::array<gid_t, 2> groups{1001, 1002};

void keep_line(const char* form, std::va_list values) {
  std::array<char, 4096> line{};
  std::vsnprintf(line.data(), line.size(), form, values);
  made_up_spank().lines.emplace_back(line.data());
}

}  // namespace
}  // namespace muster::spank

using muster::spank::groups;
using muster::spank::made_up_spank;

extern "C" {

spank_err_t spank_get_item(spank_t /*handle*/, spank_item_t item, ...) {
  if (made_up_spank().missing.contains(item)) return static_cast<spank_err_t>(ESPANK_NOT_AVAIL);
  std::va_list values;
  va_start(values, item);
  if (item == S_JOB_UID) *va_arg(values, uid_t*) = made_up_spank().uid;
  if (item == S_JOB_GID) *va_arg(values, gid_t*) = made_up_spank().gid;
  if (item == S_JOB_SUPPLEMENTARY_GIDS) {
    *va_arg(values, gid_t**) = groups.data();
    *va_arg(values, int*) = static_cast<int>(groups.size());
  }
  va_end(values);
  return static_cast<spank_err_t>(ESPANK_SUCCESS);
}

spank_err_t spank_setenv(spank_t /*handle*/, const char* /*name*/, const char* /*value*/,
                         int /*overwrite*/) {
  return static_cast<spank_err_t>(ESPANK_SUCCESS);
}

spank_err_t spank_unsetenv(spank_t /*handle*/, const char* /*name*/) {
  return static_cast<spank_err_t>(ESPANK_SUCCESS);
}

void slurm_error(const char* form, ...) {
  std::va_list values;
  va_start(values, form);
  muster::spank::keep_line(form, values);
  va_end(values);
}

void slurm_spank_log(const char* form, ...) {
  std::va_list values;
  va_start(values, form);
  muster::spank::keep_line(form, values);
  va_end(values);
}
}
