// One JSON object; lists instead of objects where there are many of a kind, because the time to
// read them is part of every step.
#include "core/topology/stored.hpp"

#include "core/error.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace muster {
namespace {

using Json = nlohmann::json;

constexpr int max_depth = 6;

[[noreturn]] void refuse(std::string_view why) {
  throw Error(fmt::format("a stored topology {}; remove the file", why));
}

template <typename Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

Json to_json(const Attachment& at) {
  Json buses = Json::array();
  for (const auto& bus : at.buses) buses.push_back({bus.domain, bus.bus});
  return {at.cpus.to_string(), buses};
}

Json to_json(const Gpu& gpu) {
  return {static_cast<unsigned>(gpu.vendor),
          gpu.index,
          to_string(gpu.address),
          gpu.partition,
          or_null(gpu.uuid),
          to_json(gpu.at)};
}

Json to_json(const Nic& nic) {
  return {nic.name,
          nic.networks,
          to_string(nic.address),
          nic.rdma,
          or_null(nic.up),
          or_null(nic.infiniband),
          or_null(nic.gigabits),
          to_json(nic.at)};
}

template <typename Parts, typename Row>
Json rows(const Parts& parts, Row row) {
  Json all = Json::array();
  for (const auto& part : parts) all.push_back(row(part));
  return all;
}

CpuSet cpus(const Json& text) {
  return CpuSet::parse(text.get_ref<const std::string&>());
}

template <typename Value>
std::optional<Value> or_none(const Json& value) {
  if (value.is_null()) return std::nullopt;
  return value.get<Value>();
}

std::optional<std::size_t> place(const Json& value, std::size_t count) {
  const auto place = or_none<std::size_t>(value);
  if (place && *place >= count) refuse("names a part that it lacks");
  return place;
}

Attachment attachment(const Json& row) {
  Attachment at{cpus(row.at(0)), {}};
  for (const auto& bus : row.at(1))
    at.buses.push_back({bus.at(0).get<std::uint32_t>(), bus.at(1).get<std::uint8_t>()});
  return at;
}

GpuVendor vendor(const Json& number) {
  const auto value = number.get<unsigned>();
  if (value > static_cast<unsigned>(GpuVendor::other)) refuse("has an unknown vendor");
  return static_cast<GpuVendor>(value);
}

Gpu gpu(const Json& row) {
  return {vendor(row.at(0)),
          row.at(1).get<unsigned>(),
          PciAddress::parse(row.at(2).get_ref<const std::string&>()),
          row.at(3).get<unsigned>(),
          or_none<std::string>(row.at(4)),
          attachment(row.at(5))};
}

Nic nic(const Json& row) {
  return {.name = row.at(0).get<std::string>(),
          .networks = row.at(1).get<std::vector<std::string>>(),
          .address = PciAddress::parse(row.at(2).get_ref<const std::string&>()),
          .rdma = row.at(3).get<bool>(),
          .up = or_none<bool>(row.at(4)),
          .infiniband = or_none<bool>(row.at(5)),
          .gigabits = or_none<double>(row.at(6)),
          .at = attachment(row.at(7))};
}

GpuLink link(const Json& row, std::size_t gpus) {
  const GpuLink link{row.at(0).get<std::size_t>(), row.at(1).get<std::size_t>(),
                     row.at(2).get<std::uint64_t>()};
  if (link.a >= link.b || link.b >= gpus) refuse("links GPUs that it lacks");
  return link;
}

Topology read(const Json& all) {
  Topology t;
  t.pus = cpus(all.at("pus"));
  for (const auto& row : all.at("packages"))
    t.packages.push_back({row.at(0).get<unsigned>(), cpus(row.at(1))});
  for (const auto& row : all.at("numa"))
    t.numa_nodes.push_back({row.at(0).get<unsigned>(), cpus(row.at(1)), row.at(2).get<bool>()});
  for (const auto& row : all.at("l3")) t.l3_groups.push_back({cpus(row)});
  for (const auto& row : all.at("cores"))
    t.cores.push_back({cpus(row.at(0)), place(row.at(1), t.packages.size()),
                       place(row.at(2), t.numa_nodes.size()),
                       place(row.at(3), t.l3_groups.size())});
  for (const auto& row : all.at("gpus")) t.gpus.push_back(gpu(row));
  for (const auto& row : all.at("links")) t.gpu_links.push_back(link(row, t.gpus.size()));
  for (const auto& row : all.at("nics")) t.nics.push_back(nic(row));
  if (t.pus.empty()) refuse("has no CPU");
  return t;
}

}  // namespace

std::string to_stored(const Topology& t) {
  const auto core = [](const Core& each) {
    return Json{each.pus.to_string(), or_null(each.package), or_null(each.numa), or_null(each.l3)};
  };
  return Json{{"pus", t.pus.to_string()},
              {"packages", rows(t.packages,
                                [](const Package& each) {
                                  return Json{each.os_index, each.cpus.to_string()};
                                })},
              {"numa", rows(t.numa_nodes,
                            [](const NumaNode& each) {
                              return Json{each.os_index, each.cpus.to_string(), each.memory_only};
                            })},
              {"l3", rows(t.l3_groups, [](const L3Group& each) { return each.cpus.to_string(); })},
              {"cores", rows(t.cores, core)},
              {"gpus", rows(t.gpus, [](const Gpu& each) { return to_json(each); })},
              {"links", rows(t.gpu_links,
                             [](const GpuLink& each) {
                               return Json{each.a, each.b, each.bandwidth};
                             })},
              {"nics", rows(t.nics, [](const Nic& each) { return to_json(each); })}}
      .dump();
}

Topology from_stored(std::string_view text) {
  const auto shallow = [](int depth, Json::parse_event_t, Json&) {
    if (depth > max_depth) refuse("is nested too deeply");
    return true;
  };
  try {
    return read(Json::parse(text, shallow));
  } catch (const Json::exception&) {
    refuse("is damaged");
  }
}

}  // namespace muster
