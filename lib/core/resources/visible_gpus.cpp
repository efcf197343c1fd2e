#include "core/resources/visible_gpus.hpp"

#include "core/resources/gpu_assignment.hpp"
#include "core/resources/gpu_lookup.hpp"
#include "core/resources/gpu_uuid.hpp"
#include "core/text/list.hpp"
#include "core/topology/topology.hpp"

#include <algorithm>
#include <numeric>

namespace muster::resources {
namespace {

using Kind = GpuConfinement::Kind;
using Places = std::vector<std::size_t>;  // positions in the step's list

class Views {
 public:
  Views(const topology::Topology& topology, const GpuGrant& grant, const Places& positions,
        const binding::BindingPlan& plan)
      : topology_(topology), grant_(grant), positions_(positions), plan_(plan) {}

  [[nodiscard]] GpuViews confined() const {
    const auto tasks = plan_.tasks.size();
    const auto assigned = assigned_gpus(grant_, tasks);
    GpuViews result;
    for (std::size_t task = 0; task < tasks; ++task) {
      const auto own = assigned ? (*assigned)[task] : Places();
      result.tasks.push_back({{}, first_numbers(assigned ? own.size() : grant_.confinement.count)});
      result.own.push_back(describe(own));
    }
    return result;
  }

  [[nodiscard]] GpuViews of_each_its_own() const {
    GpuViews result;
    for (const auto& task : plan_.tasks) {
      const auto own = places_of(task.gpus);
      result.tasks.push_back({variables(own), first_numbers(own.size())});
      result.own.push_back(describe(own));
    }
    return result;
  }

  // One list for all tasks, so that index LOCAL_RANK is each rank's own GPU.
  [[nodiscard]] GpuViews shared() const {
    const auto order = places_of(plan_.gpu_order);
    const auto shown = variables(order);
    GpuViews result;
    for (const auto& task : plan_.tasks) {
      const auto own = places_of(task.gpus);
      GpuView view{shown, {}};
      for (const auto place : own) {
        view.own.push_back(
            static_cast<std::size_t>(std::ranges::find(order, place) - order.begin()));
      }
      result.tasks.push_back(std::move(view));
      result.own.push_back(describe(own));
    }
    return result;
  }

 private:
  static Places first_numbers(std::size_t count) {
    Places numbers(count);
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    return numbers;
  }

  [[nodiscard]] Places places_of(const Places& gpus) const {
    Places places;
    for (const auto gpu : gpus) {
      const auto found = std::ranges::find(positions_, gpu);
      if (found != positions_.end()) {
        places.push_back(static_cast<std::size_t>(found - positions_.begin()));
      }
    }
    return places;
  }

  [[nodiscard]] std::vector<TaskGpu> describe(const Places& places) const {
    std::vector<TaskGpu> gpus;
    for (const auto place : places) {
      const auto& gpu = topology_.gpus[positions_[place]];
      const bool known = on_pci(gpu);
      gpus.push_back({known ? std::optional(gpu.index) : gpu_index(grant_.ids[place]),
                      known ? to_string(gpu.address) : std::string(), gpu.uuid});
    }
    return gpus;
  }

  [[nodiscard]] bool all_of(topology::GpuVendor vendor) const {
    return std::ranges::all_of(
        positions_, [&](auto position) { return topology_.gpus[position].vendor == vendor; });
  }

  // Many programs call int() on each name, so Slurm's numbers stay. If Slurm names a MIG instance, all names
  // become UUIDs: CUDA reads a list only as far as its names are of one kind.
  [[nodiscard]] bool by_uuid() const {
    return std::ranges::any_of(grant_.visible, is_uuid) &&
           std::ranges::all_of(positions_, [&](auto position) {
             return topology_.gpus[position].uuid.has_value();
           });
  }

  [[nodiscard]] std::string names(const Places& places) const {
    std::vector<std::string> shown;
    for (const auto place : places) {
      const auto& given = grant_.visible[place];
      const bool as_given = is_uuid(given) || !by_uuid();
      shown.push_back(as_given ? given : *topology_.gpus[positions_[place]].uuid);
    }
    return text::join(shown, ",");
  }

  [[nodiscard]] std::vector<EnvVar> variables(const Places& places) const {
    std::vector<EnvVar> all;
    const auto set = [&](std::string name, std::string value) {
      all.push_back({std::move(name), std::move(value), Origin::binding, false, false});
    };
    const bool amd = all_of(topology::GpuVendor::amd);
    const bool rocr = std::ranges::count(grant_.variables, "ROCR_VISIBLE_DEVICES") > 0;
    for (const auto& name : grant_.variables) {
      // HIP_VISIBLE_DEVICES, and CUDA_VISIBLE_DEVICES if HIP reads it, count only the GPUs that ROCR shows.
      const bool relative = amd && rocr && name != "ROCR_VISIBLE_DEVICES";
      set(name, relative ? text::join(first_numbers(places.size()), ",") : names(places));
      // CUDA orders GPUs by speed; Slurm and nvidia-smi order them by bus.
      if (name == "CUDA_VISIBLE_DEVICES" && !by_uuid()) set("CUDA_DEVICE_ORDER", "PCI_BUS_ID");
      if (name == "ZE_AFFINITY_MASK") set("ZE_ENABLE_PCI_ID_DEVICE_ORDER", "1");
    }
    return all;
  }

  const topology::Topology& topology_;
  const GpuGrant& grant_;
  const Places& positions_;
  const binding::BindingPlan& plan_;
};

bool can_share(const GpuGrant& grant, std::size_t tasks) {
  return tasks < 2 || grant.visible.size() < 2 || std::ranges::none_of(grant.visible, is_mig);
}

std::string confinement_warning() {
  return "Slurm shows each task only its own GPUs (--gpus-per-task, --gpu-bind): a program that "
         "uses the GPU with index LOCAL_RANK fails, and NCCL may lose NVLink; use --gpus-per-node=N, or "
         "add --gpu-bind=none";
}

}  // namespace

GpuViews gpu_views(const topology::Topology& topology, const GpuGrant& grant,
                   const std::vector<std::size_t>& positions, const binding::BindingPlan& plan,
                   option::Gpus wanted) {
  const Views views(topology, grant, positions, plan);
  if (grant.empty()) {
    return {std::vector<GpuView>(plan.tasks.size()),
            std::vector<std::vector<TaskGpu>>(plan.tasks.size()),
            {},
            wanted};
  }
  if (grant.confinement.kind == Kind::none) {
    const auto seen = can_share(grant, plan.tasks.size()) ? wanted : option::Gpus::own;
    auto result = seen == option::Gpus::own ? views.of_each_its_own() : views.shared();
    result.seen = seen;
    return result;
  }
  auto result = views.confined();
  result.seen = wanted;
  // With a single task this loses nothing.
  if (wanted == option::Gpus::shared && plan.tasks.size() > 1) {
    result.warnings.push_back(confinement_warning());
  }
  return result;
}

}  // namespace muster::resources
