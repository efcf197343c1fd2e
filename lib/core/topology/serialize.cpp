// One JSON object. It uses lists instead of objects for long sequences, because every step has to read them.
#include "core/topology/serialize.hpp"

#include "core/error.hpp"
#include "core/text/json.hpp"

#include <cstdint>
#include <limits>

#include <fmt/format.h>

namespace muster::topology {
namespace {

using Json = nlohmann::json;

constexpr int max_message_depth = 6;

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
          static_cast<unsigned>(nic.api),
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

template <typename Number>
Number number(const Json& value) {
  if (!value.is_number_unsigned() ||
      value.get<std::uint64_t>() > std::numeric_limits<Number>::max()) {
    refuse("has a number that is out of range");
  }
  return static_cast<Number>(value.get<std::uint64_t>());
}

template <typename Value>
std::optional<Value> or_none(const Json& value) {
  if (value.is_null()) return std::nullopt;
  return value.get<Value>();
}

std::optional<std::size_t> place(const Json& value, std::size_t count) {
  if (value.is_null()) return std::nullopt;
  const auto place = number<std::size_t>(value);
  if (place >= count) refuse("names a part that it does not contain");
  return place;
}

Attachment attachment(const Json& row) {
  Attachment at{cpus(row.at(0)), {}};
  for (const auto& bus : row.at(1))
    at.buses.push_back({number<std::uint32_t>(bus.at(0)), number<std::uint8_t>(bus.at(1))});
  return at;
}

GpuVendor vendor(const Json& row) {
  const auto value = number<unsigned>(row);
  if (value > static_cast<unsigned>(GpuVendor::other)) refuse("has an unknown vendor");
  return static_cast<GpuVendor>(value);
}

Gpu gpu(const Json& row) {
  return {vendor(row.at(0)),
          number<unsigned>(row.at(1)),
          PciAddress::parse(row.at(2).get_ref<const std::string&>()),
          number<unsigned>(row.at(3)),
          or_none<std::string>(row.at(4)),
          attachment(row.at(5))};
}

NicApi api(const Json& value) {
  const auto known = number<unsigned>(value);
  if (known > static_cast<unsigned>(NicApi::efa)) refuse("has an unknown kind of NIC");
  return static_cast<NicApi>(known);
}

Nic nic(const Json& row) {
  return {.name = row.at(0).get<std::string>(),
          .networks = row.at(1).get<std::vector<std::string>>(),
          .address = PciAddress::parse(row.at(2).get_ref<const std::string&>()),
          .rdma = row.at(3).get<bool>(),
          .up = or_none<bool>(row.at(4)),
          .infiniband = or_none<bool>(row.at(5)),
          .gigabits = or_none<double>(row.at(6)),
          .api = api(row.at(7)),
          .at = attachment(row.at(8))};
}

GpuLink link(const Json& row, std::size_t gpus) {
  const GpuLink link{number<std::size_t>(row.at(0)), number<std::size_t>(row.at(1)),
                     number<std::uint64_t>(row.at(2))};
  if (link.a >= link.b || link.b >= gpus) refuse("links GPUs that it does not contain");
  return link;
}

Topology read(const Json& all) {
  Topology t;
  t.pus = cpus(all.at("pus"));
  for (const auto& row : all.at("packages"))
    t.packages.push_back({number<unsigned>(row.at(0)), cpus(row.at(1))});
  for (const auto& row : all.at("numa"))
    t.numa_nodes.push_back({number<unsigned>(row.at(0)), cpus(row.at(1)), row.at(2).get<bool>()});
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

std::string serialize(const Topology& t) {
  const auto core = [](const Core& each) {
    return Json{each.pus.to_string(), or_null(each.package), or_null(each.numa), or_null(each.l3)};
  };
  const Json all{
      {"pus", t.pus.to_string()},
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
      {"nics", rows(t.nics, [](const Nic& each) { return to_json(each); })}};
  return text::compact_text(all, true);
}

Topology deserialize(std::string_view text) {
  const auto shallow = [](int depth, Json::parse_event_t, Json&) {
    if (depth > max_message_depth) refuse("is nested too deeply");
    return true;
  };
  try {
    return read(text::parse_json(text, shallow));
  } catch (const Json::exception&) {
    refuse("is damaged");
  }
}

}  // namespace muster::topology
