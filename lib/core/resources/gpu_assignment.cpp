#include "core/resources/gpu_assignment.hpp"

#include "core/resources/gpu_lookup.hpp"

#include <algorithm>
#include <numeric>
#include <string>

namespace muster::resources {
namespace {

using Kind = GpuConfinement::Kind;
using Places = std::vector<std::size_t>;  // positions in the step's list

// Slurm binds a task for which nothing is left to the step's first GPU.
Places or_first(Places places) {
  return places.empty() ? Places{0} : places;
}

Places in_order(const GpuGrant& grant, std::size_t task) {
  const auto count = grant.confinement.count;
  Places places;
  for (auto i = task * count; i < (task + 1) * count && i < grant.visible.size(); ++i) {
    places.push_back(i);
  }
  return or_first(std::move(places));
}

// A list counts the step's GPUs from 0 if the control group does, otherwise it has the node's numbers. The
// step's names show which: the control group renumbers them. UUIDs do not show it.
class ListReader {
 public:
  explicit ListReader(const GpuGrant& grant) : grant_(grant) {}

  [[nodiscard]] bool is_certain() const {
    return counts_from_zero(grant_.ids) || grant_.visible == grant_.ids ||
           std::ranges::all_of(grant_.visible,
                               [](const auto& name) { return gpu_index(name).has_value(); });
  }

  [[nodiscard]] Places places(const std::vector<std::size_t>& numbers) const {
    const bool by_id = !counts_from_zero(grant_.ids) && grant_.visible == grant_.ids;
    Places found;
    for (const auto number : numbers) {
      const auto place = by_id ? place_of(std::to_string(number)) : number;
      if (place < grant_.visible.size()) found.push_back(place);
    }
    return or_first(std::move(found));
  }

 private:
  [[nodiscard]] std::size_t place_of(const std::string& id) const {
    return static_cast<std::size_t>(std::ranges::find(grant_.ids, id) - grant_.ids.begin());
  }

  const GpuGrant& grant_;
};

// Whatever CPUs the tasks have, Slurm has no choice: it can only give each of them all GPUs.
std::optional<Places> without_choice(const GpuGrant& grant, std::size_t tasks) {
  const auto all = grant.visible.size();
  if (all != 1 && (tasks != 1 || grant.confinement.count < all)) return std::nullopt;
  Places places(all);
  std::iota(places.begin(), places.end(), std::size_t{0});
  return places;
}

}  // namespace

std::optional<std::vector<std::vector<std::size_t>>> assigned_gpus(const GpuGrant& grant,
                                                                   std::size_t tasks) {
  const auto& [kind, count, of_task] = grant.confinement;
  std::vector<Places> assigned;
  if (grant.empty() || kind == Kind::none || kind == Kind::unknown) return std::nullopt;
  if (const auto all = without_choice(grant, tasks)) return std::vector<Places>(tasks, *all);
  // Before 25.11, Slurm hides nothing from a task that is alone on its node; a TresBind does not tell.
  if (kind == Kind::by_cpus || tasks == 1) return std::nullopt;
  const ListReader list(grant);
  if (kind == Kind::map && !list.is_certain()) return std::nullopt;
  for (std::size_t task = 0; task < tasks; ++task) {
    assigned.push_back(kind == Kind::map ? list.places(of_task[task % of_task.size()])
                                         : in_order(grant, task));
  }
  return assigned;
}

}  // namespace muster::resources
