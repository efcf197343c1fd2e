// Shares of GPUs. Each share starts from the first free GPU and grows by one neighbour at a time.
#include "core/binding/devices/gpus.hpp"

#include "core/binding/devices/distance.hpp"
#include "core/binding/devices/gpus_by_package.hpp"
#include "core/contains.hpp"
#include "core/topology/topology.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

namespace muster::binding::devices {
namespace {

// A smaller value is nearer: faster links first (so bandwidth is negated), then shorter paths.
using Remoteness = std::pair<std::int64_t, Distance>;

std::uint64_t bandwidth(const topology::Topology& topology, std::size_t a, std::size_t b) {
  std::uint64_t best = 0;
  for (const auto& link : topology.gpu_links)
    if ((link.a == a && link.b == b) || (link.a == b && link.b == a))
      best = std::max(best, link.bandwidth);
  return best;
}

Remoteness remoteness(const topology::Topology& topology, std::size_t a, std::size_t b) {
  return {-static_cast<std::int64_t>(bandwidth(topology, a, b)),
          distance(topology, topology.gpus[a].at, topology.gpus[b].at)};
}

// A GPU's distance from a group is its distance from the group's farthest member.
Remoteness remoteness(const topology::Topology& topology, std::size_t gpu, const GpuList& group) {
  Remoteness worst = remoteness(topology, gpu, group.front());
  for (const auto member : group) worst = std::max(worst, remoteness(topology, gpu, member));
  return worst;
}

class Grouping {
 public:
  Grouping(const topology::Topology& topology, const GpuList& gpus, std::size_t tasks)
      : topology_(topology),
        free_(gpus),
        size_(gpus.size() / tasks),
        extras_(gpus.size() % tasks),
        tasks_left_(tasks) {}

  std::vector<GpuList> run() {
    std::vector<GpuList> shares;
    for (; tasks_left_ > 0; --tasks_left_) shares.push_back(next_share());
    return shares;
  }

 private:
  GpuList next_share() {
    GpuList share{free_.front()};
    free_.erase(free_.begin());
    while (share.size() < size_) take(share, nearest_free(share));
    if (takes_extra(share)) {
      take(share, nearest_free(share));
      --extras_;
    }
    return share;
  }

  // A share takes an extra GPU if it is no farther than its present GPUs, or if it has to.
  bool takes_extra(const GpuList& share) const {
    if (extras_ == 0) return false;
    if (extras_ == tasks_left_) return true;
    const auto candidate = remoteness(topology_, *nearest_free(share), share);
    for (const auto member : share) {
      GpuList others = share;
      std::erase(others, member);
      if (!others.empty() && !(remoteness(topology_, member, others) < candidate)) return true;
    }
    const bool linked = candidate.first < 0;
    return share.size() == 1 && (linked || candidate.second.path != Path::sys);
  }

  GpuList::const_iterator nearest_free(const GpuList& share) const {
    return std::ranges::min_element(
        free_, {}, [&](std::size_t gpu) { return remoteness(topology_, gpu, share); });
  }

  void take(GpuList& share, GpuList::const_iterator gpu) {
    share.push_back(*gpu);
    free_.erase(gpu);
  }

  const topology::Topology& topology_;
  GpuList free_;
  std::size_t size_;
  std::size_t extras_;
  std::size_t tasks_left_;
};

// Goes package by package if the shares stay as even as possible; in the order of their GPUs.
std::vector<GpuList> share_unevenly(const topology::Topology& topology, const GpuList& gpus,
                                    std::size_t tasks) {
  std::vector<GpuList> shares;
  for (const auto& package : tasks_per_package(topology, gpus, tasks))
    std::ranges::copy(Grouping(topology, package.gpus, package.tasks).run(),
                      std::back_inserter(shares));
  if (shares.empty()) return Grouping(topology, gpus, tasks).run();
  std::ranges::sort(shares, {}, [&](const GpuList& share) {
    return std::ranges::find(gpus, share.front()) - gpus.begin();
  });
  return shares;
}

}  // namespace

std::vector<GpuList> share_gpus(const topology::Topology& topology, const GpuList& gpus,
                                std::size_t tasks) {
  if (gpus.empty()) return std::vector<GpuList>(tasks);
  if (tasks < gpus.size() && gpus.size() % tasks != 0) return share_unevenly(topology, gpus, tasks);
  if (tasks < gpus.size()) return Grouping(topology, gpus, tasks).run();
  std::vector<GpuList> shares;
  for (std::size_t task = 0; task < tasks; ++task) shares.push_back({gpus[task % gpus.size()]});
  return shares;
}

GpuList nearest_first(const topology::Topology& topology, const GpuList& gpus, const GpuList& own) {
  if (own.empty()) return gpus;
  GpuList others;
  for (const auto gpu : gpus)
    if (!contains(own, gpu)) others.push_back(gpu);
  std::ranges::stable_sort(others, {},
                           [&](std::size_t gpu) { return remoteness(topology, gpu, own.front()); });
  GpuList order = own;
  order.insert(order.end(), others.begin(), others.end());
  return order;
}

GpuList shared_order(const GpuList& gpus, const std::vector<GpuList>& shares) {
  GpuList order;
  for (const auto& share : shares)
    if (!share.empty() && order.size() < gpus.size()) order.push_back(share.front());
  for (const auto gpu : gpus)
    if (!contains(order, gpu)) order.push_back(gpu);
  return order;
}

}  // namespace muster::binding::devices
