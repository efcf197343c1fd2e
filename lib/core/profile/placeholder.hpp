// The placeholders of a profile's templates, in one table, and the templates themselves:
// "{master_addr}:{master_port}", with {{ and }} for braces.
#pragma once

#include "core/origin.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace muster::profile {

enum class Placeholder : std::uint8_t {
  rank,
  local_rank,
  world_size,
  local_world_size,
  node_rank,
  nodes,
  procid,
  restart_count,
  run_id,
  max_restarts,
  master_addr,
  master_port,
  error_file,
  log_directory,
  ras_addr,
  threads,
  places,
  proc_bind,
  socket_ifname,
  gloo_ifname,
  ib_hca,
  ucx_devices,
  cxi_devices,
  cpus,
  node,
  local_addr,
  rendezvous,
  cross_rank,
  cross_size,
  ntasks_per_node,
  gpu_indexes,
  workers,
  worker_threads,
  task_port,
  endpoints,
  no_proxy,
  python_path,
  agent_store,
  group,
  groups,
  lighthouse,
};

struct PlaceholderInfo {
  Placeholder placeholder;
  std::string_view name;
  std::string_view meaning;
  bool identity;  // identifies a task: no exported value can be correct for every task
};

// In the order of Placeholder.
std::span<const PlaceholderInfo> placeholders();
const PlaceholderInfo& info(Placeholder placeholder);

struct PlaceholderValue {
  std::string value;
  Origin origin = Origin::slurm;
};

// A placeholder that is absent has no value here (for example, no InfiniBand): variables that use it are
// not set.
using PlaceholderValues = std::map<Placeholder, PlaceholderValue>;

class Template {
 public:
  // The Error names `where` and suggests the closest placeholder.
  static Template parse(std::string_view text, std::string_view where);

  bool identity() const;
  bool uses(Placeholder placeholder) const;
  // Whether it contains nothing else.
  bool is_only(Placeholder placeholder) const { return pieces_.size() == 1 && uses(placeholder); }
  // Whether its value contains the one that the user exported.
  bool extends_users() const { return uses(Placeholder::python_path); }

  // The origin of the first placeholder; Origin::profile if there is none.
  std::optional<PlaceholderValue> expand(const PlaceholderValues& values) const;

  friend bool operator==(const Template&, const Template&) = default;

 private:
  std::vector<std::variant<std::string, Placeholder>> pieces_;
};

}  // namespace muster::profile
