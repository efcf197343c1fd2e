// Variables of a fabric that depend on each other or on the step.
#include "core/lint/values.hpp"

namespace muster::lint {
namespace {

using fabric::Fabric;

constexpr std::string_view slingshot_documentation =
    "HPE's documentation for the Slingshot host software";

bool asks_network(const Circumstances& all, std::string_view word) {
  return all.value("SLURM_NETWORK").find(word) != std::string_view::npos;
}

std::vector<Variable> missing(std::string_view name) {
  return {{.name = std::string(name), .value = {}, .where = {}}};
}

std::vector<Variable> alternative_read(const Circumstances& all) {
  if (asks_network(all, "disable_rdzv_get")) return {};
  return those_equal(all, {"FI_CXI_RDZV_PROTO"}, "alt_read");
}

std::vector<Variable> disabled_get(const Circumstances& all) {
  if (!asks_network(all, "disable_rdzv_get")) return {};
  if (all.value("FI_CXI_RDZV_PROTO") == "alt_read") return {};
  if (all.value("FI_CXI_RX_MATCH_MODE") == "software") return {};
  return those_set(all, {"SLURM_NETWORK"});
}

std::vector<Variable> memory_monitor(const Circumstances& all) {
  if (!all.is_on(Fabric::slingshot)) return {};
  const auto* const set = all.find("FI_MR_CACHE_MONITOR");
  if (set == nullptr) return missing("FI_MR_CACHE_MONITOR");
  return those_equal(all, {"FI_MR_CACHE_MONITOR"}, "memhooks");
}

// A step on one node has no virtual network unless it asks for one.
std::vector<Variable> single_node(const Circumstances& all) {
  if (!all.is_on(Fabric::slingshot) || all.nodes != 1 || asks_network(all, "single_node_vni"))
    return {};
  return those(all, {"NCCL_NET"},
               [](std::string_view value) { return value != "Socket" && value != "IB"; });
}

std::vector<Variable> unforced_efa(const Circumstances& all) {
  if (!all.is_on(Fabric::efa) || all.find("NCCL_NET") != nullptr) return {};
  return missing("NCCL_NET");
}

std::vector<Variable> ucx(const Circumstances& all) {
  if (!all.is_on(Fabric::slingshot)) return {};
  return those(all, {"UCX_TLS"}, [](std::string_view value) {
    return value.find("rc") != std::string_view::npos ||
           value.find("ud") != std::string_view::npos || value.find("dc") != std::string_view::npos;
  });
}

}  // namespace

std::vector<Row> fabric_rows() {
  return {
      {.id = "slingshot-rendezvous",
       .names = {"FI_CXI_RDZV_PROTO", "SLURM_NETWORK"},
       .why = "alt_read hangs on large messages unless srun's --network is set to match",
       .fix = "srun --network=disable_rdzv_get",
       .since = "",
       .source = slingshot_documentation,
       .look = alternative_read},
      {.id = "slingshot-disabled-get",
       .names = {"FI_CXI_RDZV_PROTO", "FI_CXI_RX_MATCH_MODE", "SLURM_NETWORK"},
       .why = "disable_rdzv_get removes one rendezvous protocol, and no variable selects the other",
       .fix = "set FI_CXI_RDZV_PROTO=alt_read, or leave --network=disable_rdzv_get out",
       .since = "",
       .source = slingshot_documentation,
       .look = disabled_get},
      {.id = "slingshot-monitor",
       .names = {"FI_MR_CACHE_MONITOR"},
       .why = "libfabric's memhooks deadlock with NCCL and RCCL",
       .fix = "FI_MR_CACHE_MONITOR=kdreg2 if /dev/kdreg2 exists, otherwise userfaultfd",
       .since = "",
       .source = "OLCF's Frontier user guide; HPE's documentation on collectives on Slingshot",
       .on_nodes = true,
       .look = memory_monitor},
      {.id = "slingshot-single-node",
       .names = {"NCCL_NET", "SLURM_NETWORK"},
       .why =
           "a step on one node has no virtual network (VNI) for libfabric, and NCCL_NET rules out other "
           "transports",
       .fix = "unset NCCL_NET, or use srun --network=single_node_vni if the site permits it",
       .since = "",
       .source = "slurm.conf(5), SwitchParameters",
       .on_nodes = true,
       .needs_step = true,
       .look = single_node},
      {.id = "slingshot-ucx",
       .names = {"UCX_TLS"},
       .why = "UCX has no transport for Slingshot; the transports in the list are for InfiniBand",
       .fix = "unset UCX_TLS",
       .since = "",
       .source = "CSCS's libfabric documentation",
       .on_nodes = true,
       .look = ucx},
      {.id = "efa-net",
       .names = {"NCCL_NET"},
       .why =
           "without it, NCCL silently uses sockets, which are ten times slower, if the plugin is "
           "missing",
       .fix = "set NCCL_NET to the plugin's name, as NCCL_DEBUG=INFO shows it (\"Using network\")",
       .since = "",
       .source = "issues with EFA in training frameworks",
       .on_nodes = true,
       .look = unforced_efa},
  };
}

}  // namespace muster::lint
