// InfiniBand, RoCE, EFA and Slingshot.
#include "core/doctor/check.hpp"
#include "core/text/amounts.hpp"

#include <fmt/format.h>

namespace muster::doctor {
namespace {

constexpr std::uint64_t many_link_losses = 3;

bool has_ib(const Facts& facts) {
  return facts.count("ib.devices") > 0;
}

Verdict ports(const Facts& facts) {
  if (!has_ib(facts)) return std::nullopt;
  const auto down = facts.text("ib.not_active");
  const auto evidence = fmt::format("{}{}{}", text::count(facts.count("ib.active"), "active port"),
                                    down.empty() ? "" : ", not active: ", down);
  // Every device is switched off.
  if (facts.count("ib.active") == 0 && down.empty()) return std::nullopt;
  if (facts.count("ib.active") == 0) return error(evidence);
  return warning_if(!down.empty(), evidence);
}

Verdict link_errors(const Facts& facts) {
  if (!facts.has("ib.link_downed")) return std::nullopt;
  return warning_if(
      facts.count("ib.link_downed") > many_link_losses || facts.count("ib.link_error_recovery") > 0,
      fmt::format("link_downed {} on one port, link_error_recovery {} since the driver was loaded",
                  facts.text("ib.link_downed"), facts.count("ib.link_error_recovery")));
}

Verdict partitions(const Facts& facts) {
  if (!facts.has("ib.limited")) return std::nullopt;
  const auto limited = facts.text("ib.limited");
  return warning_if(!limited.empty(), limited.empty()
                                          ? "every active port is a full member of a partition"
                                          : "no full membership: " + limited);
}

Verdict device_files(const Facts& facts) {
  if (!has_ib(facts) || !facts.has("ib.uverbs")) return std::nullopt;
  return error_if(facts.count("ib.uverbs") == 0,
                  fmt::format("{}, {} /dev/infiniband/uverbs*",
                              text::count(facts.count("ib.devices"), "RDMA device"),
                              text::count(facts.count("ib.uverbs"), "device file")));
}

Verdict efa_plugin(const Facts& facts) {
  if (facts.count("efa.devices") == 0 || !facts.has("gpu.driver") || !facts.has("nccl.net_plugin"))
    return std::nullopt;
  return error_if(facts.text("nccl.net_plugin") == "no",
                  "libnccl-net*.so can be loaded: " + facts.text("nccl.net_plugin"));
}

Verdict efa_pages(const Facts& facts) {
  if (facts.count("efa.devices") == 0 || facts.count("memory.huge_pages") == 0) return std::nullopt;
  return warning_if(facts.count("memory.huge_pages_free") == 0,
                    fmt::format("HugePages_Free: {} of {}", facts.count("memory.huge_pages_free"),
                                facts.text("memory.huge_pages")));
}

Verdict slingshot_retry(const Facts& facts) {
  if (facts.count("cxi.devices") == 0 || !facts.has("cxi.no_handler")) return std::nullopt;
  const auto without = facts.text("cxi.no_handler");
  return warning_if(!without.empty(),
                    without.empty() ? "/run/cxi has every NIC" : "/run/cxi lacks " + without);
}

}  // namespace

std::vector<Check> fabric_checks() {
  return {
      {{"rdma-ports", "NCCL falls back to sockets, or a rank has fewer rails than the others",
        "check the cable, the port and the subnet manager", "ibstat; iblinkinfo"},
       Place::node,
       ports},
      {{"rdma-errors",
        "a link that goes down and comes back makes runs fail: \"error 12\", retry exceeded",
        "check the cable and its connectors", "perfquery -x"},
       Place::node,
       link_errors},
      {{"rdma-partition", "queue pairs are refused, or carry no traffic",
        "make the port a full member of its partition in the subnet manager"},
       Place::node,
       partitions},
      {{"rdma-files", "a container without these files cannot use the NICs that it sees",
        "set MELLANOX_VISIBLE_DEVICES=all for enroot, or mount /dev/infiniband"},
       Place::node,
       device_files},
      {{"efa-plugin", "NCCL silently uses sockets instead of EFA: ten times slower",
        "add aws-ofi-nccl's directory to LD_LIBRARY_PATH, and set NCCL_NET"},
       Place::node,
       efa_plugin},
      {{"efa-pages", "a fork fails with \"Cannot allocate memory\"", "FI_EFA_USE_HUGE_PAGE=0"},
       Place::node,
       efa_pages},
      {{"slingshot-retry", "traffic stalls after a link is lost", "start cxi_rh for that NIC",
        "systemctl status 'cxi_rh@*'"},
       Place::node,
       slingshot_retry},
  };
}

}  // namespace muster::doctor
