// Parses one item of a GPU list at a time: a range, bus ID or UUID.
#include "core/topology/gpu_names.hpp"

#include "core/contains.hpp"
#include "core/cpuset.hpp"
#include "core/error.hpp"
#include "core/text/quote.hpp"
#include "core/topology/topology.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace muster::topology {
namespace {

using Positions = std::vector<std::size_t>;

template <typename Fits>
Positions positions_where(const Topology& topology, Fits fits) {
  Positions found;
  for (std::size_t i = 0; i < topology.gpus.size(); ++i)
    if (fits(topology.gpus[i])) found.push_back(i);
  return found;
}

[[noreturn]] void refuse(std::string_view item, std::string_view why) {
  throw Error(fmt::format("GPU {} {}; name GPUs by index (0,2-3), bus id (0000:07:00.0) or UUID",
                          text::in_quotes(item), why));
}

bool is_range(std::string_view item) {
  return !item.empty() && item.find_first_not_of("0123456789-") == item.npos;
}

Positions by_indexes(const Topology& topology, std::string_view item) {
  Positions found;
  for (const unsigned index : CpuSet::parse(item)) {
    const auto here = positions_where(topology, [&](const Gpu& gpu) { return gpu.index == index; });
    if (here.empty()) refuse(item, fmt::format("is not on this node: no index {}", index));
    const auto vendor = topology.gpus[here.front()].vendor;
    if (!std::ranges::all_of(here, [&](auto i) { return topology.gpus[i].vendor == vendor; }))
      throw Error(fmt::format(
          "GPU {} could belong to more than one vendor; name it by bus id (0000:07:00.0) or UUID",
          text::in_quotes(item)));
    found.insert(found.end(), here.begin(), here.end());  // all partitions of one GPU
  }
  return found;
}

Positions by_bus_id(const Topology& topology, std::string_view item) {
  const PciAddress address = PciAddress::parse(item);
  return positions_where(topology, [&](const Gpu& gpu) { return gpu.address == address; });
}

Positions by_uuid(const Topology& topology, std::string_view item) {
  return positions_where(topology, [&](const Gpu& gpu) { return gpu.uuid == item; });
}

Positions by_name(const Topology& topology, std::string_view item) {
  if (is_range(item)) return by_indexes(topology, item);
  auto found = item.find(':') != item.npos ? by_bus_id(topology, item) : by_uuid(topology, item);
  if (found.empty()) refuse(item, "is not on this node");
  return found;
}

}  // namespace

std::vector<std::size_t> gpus_named(const Topology& topology, std::string_view list) {
  Positions all;
  for (bool more = !list.empty(); more;) {
    const auto comma = list.find(',');
    const std::string_view item = list.substr(0, comma);
    for (const auto position : by_name(topology, item)) {
      if (contains(all, position)) refuse(item, "occurs twice");
      all.push_back(position);
    }
    more = comma != list.npos;
    if (more) list.remove_prefix(comma + 1);
  }
  return all;
}

}  // namespace muster::topology
