// Variables for things that NCCL, its plugins and torch now do by themselves.
#include "core/lint/values.hpp"

namespace muster::lint {
namespace {

using fabric::Fabric;

constexpr std::string_view by_default = "this is NCCL's own default";

bool has_infiniband(const Circumstances& all) {
  return all.is_on(Fabric::infiniband) || all.is_on(Fabric::azure);
}

// Only values that repeat the fabric's default: on RoCE, a site may have a reason to set 1.
std::vector<Variable> adaptive_routing(const Circumstances& all) {
  constexpr int since = 21600;
  if (!all.has_nccl(since)) return {};
  if (has_infiniband(all)) return those_equal(all, {"NCCL_IB_ADAPTIVE_ROUTING"}, "1");
  if (all.is_on(Fabric::roce)) return those_equal(all, {"NCCL_IB_ADAPTIVE_ROUTING"}, "0");
  return {};
}

// Azure's machines have relaxed ordering, and its images set this in /etc/nccl.conf.
std::vector<Variable> relaxed_ordering(const Circumstances& all) {
  if (all.is_on(Fabric::azure)) return {};
  return those_equal(all, {"NCCL_IB_PCI_RELAXED_ORDERING"}, "1");
}

// Values from 23 up, with any release; 22 if the default is 20.
std::vector<Variable> timeout(const Circumstances& all) {
  constexpr int since = 22300;
  const long least = all.has_nccl(since) ? 22 : 23;
  return those(all, {"NCCL_IB_TIMEOUT"},
               [&](std::string_view value) { return number_of(value) >= least; });
}

// 0 worked around missing permissions in containers, which NCCL now detects itself.
std::vector<Variable> host_memory(const Circumstances& all) {
  constexpr int automatic = 22400;
  constexpr int falls_back = 22605;
  return those(all, {"NCCL_CUMEM_HOST_ENABLE"}, [&](std::string_view value) {
    return (value == "1" && all.has_nccl(automatic)) || (value == "0" && all.has_nccl(falls_back));
  });
}

template <int Release>
std::vector<Variable> one_since(const Circumstances& all, Names names) {
  return all.has_nccl(Release) ? those_equal(all, names, "1") : std::vector<Variable>();
}

}  // namespace

std::vector<Row> obsolete_rows() {
  return {
      {.id = "nccl-gid-index",
       .names = {"NCCL_IB_GID_INDEX"},
       .why =
           "since 2.21 NCCL finds the index for each connection, and a fixed one fails if nodes differ",
       .fix = "unset NCCL_IB_GID_INDEX",
       .since = "NCCL 2.21",
       .source = documentation,
       .look =
           [](const Circumstances& all) {
             constexpr int since = 22100;
             if (!all.has_nccl(since)) return std::vector<Variable>();
             return those(all, {"NCCL_IB_GID_INDEX"},
                          [](std::string_view value) { return number_of(value) >= 0; });
           }},
      {.id = "nccl-relaxed-ordering",
       .names = {"NCCL_IB_PCI_RELAXED_ORDERING"},
       .why = "1 fails if a NIC does not support relaxed ordering; the default, 2, detects support",
       .fix = "unset NCCL_IB_PCI_RELAXED_ORDERING",
       .since = "NCCL 2.12",
       .source = documentation,
       .look = relaxed_ordering},
      {.id = "nccl-adaptive-routing",
       .names = {"NCCL_IB_ADAPTIVE_ROUTING"},
       .why = "NCCL defaults to 1 on InfiniBand and 0 on RoCE; a site may have to set NCCL_IB_SL",
       .fix = "unset NCCL_IB_ADAPTIVE_ROUTING",
       .since = "NCCL 2.16",
       .source = documentation,
       .on_nodes = true,
       .look = adaptive_routing},
      {.id = "nccl-timeout",
       .names = {"NCCL_IB_TIMEOUT"},
       .why = "a dead link is noticed only after minutes; the default since 2.23, 20, means half a "
              "minute",
       .fix = "unset NCCL_IB_TIMEOUT",
       .since = "NCCL 2.23",
       .source = documentation,
       .look = timeout},
      {.id = "nccl-gdr-read",
       .names = {"NCCL_NET_GDR_READ"},
       .why =
           "NCCL defaults to 1 on machines with NVLink, and to 0 on others, where 1 may be slower",
       .fix = "unset NCCL_NET_GDR_READ",
       .since = "NCCL 2.4.2",
       .source = documentation,
       .look =
           [](const Circumstances& all) { return those_equal(all, {"NCCL_NET_GDR_READ"}, "1"); }},
      {.id = "nccl-gdr-c2c",
       .names = {"NCCL_NET_GDR_C2C"},
       .why = by_default,
       .fix = "unset NCCL_NET_GDR_C2C",
       .since = "NCCL 2.27",
       .source = documentation,
       .look =
           [](const Circumstances& all) { return one_since<22700>(all, {"NCCL_NET_GDR_C2C"}); }},
      {.id = "nccl-cumem",
       .names = {"NCCL_CUMEM_ENABLE"},
       .why = "NCCL uses cuMem by default if the driver supports it",
       .fix = "unset NCCL_CUMEM_ENABLE",
       .since = "NCCL 2.19",
       .source = documentation,
       .look =
           [](const Circumstances& all) { return one_since<21900>(all, {"NCCL_CUMEM_ENABLE"}); }},
      {.id = "nccl-cumem-host",
       .names = {"NCCL_CUMEM_HOST_ENABLE"},
       .why = "NCCL uses cuMem for host memory by default if the driver and permissions allow it "
              "(since 2.26.5)",
       .fix = "unset NCCL_CUMEM_HOST_ENABLE",
       .since = "NCCL 2.24",
       .source = documentation,
       .look = host_memory},
      {.id = "nccl-dmabuf",
       .names = {"NCCL_DMABUF_ENABLE"},
       .why = by_default,
       .fix = "unset NCCL_DMABUF_ENABLE",
       .since = "",
       .source = documentation,
       .look =
           [](const Circumstances& all) { return those_equal(all, {"NCCL_DMABUF_ENABLE"}, "1"); }},
      {.id = "nccl-ece",
       .names = {"NCCL_IB_ECE_ENABLE"},
       .why = by_default,
       .fix = "unset NCCL_IB_ECE_ENABLE",
       .since = "NCCL 2.23",
       .source = documentation,
       .look =
           [](const Circumstances& all) { return one_since<22300>(all, {"NCCL_IB_ECE_ENABLE"}); }},
      {.id = "nccl-channels",
       .names = {"NCCL_MIN_NCHANNELS", "NCCL_MAX_NCHANNELS"},
       .why = "deprecated: NCCL counts blocks (CTAs) now",
       .fix = "unset it, or set NCCL_MIN_CTAS or NCCL_MAX_CTAS",
       .since = "NCCL 2.17",
       .source = documentation,
       .look =
           [](const Circumstances& all) {
             constexpr int since = 21700;
             if (!all.has_nccl(since)) return std::vector<Variable>();
             return those_set(all, {"NCCL_MIN_NCHANNELS", "NCCL_MAX_NCHANNELS"});
           }},
      {.id = "nccl-cross-nic",
       .names = {"NCCL_CROSS_NIC"},
       .why = "2 is NCCL's own default",
       .fix = "unset NCCL_CROSS_NIC",
       .since = "",
       .source = documentation,
       .look = [](const Circumstances& all) { return those_equal(all, {"NCCL_CROSS_NIC"}, "2"); }},
      {.id = "nccl-collnet",
       .names = {"NCCL_COLLNET_ENABLE"},
       .why = "0 is NCCL's own default",
       .fix = "unset NCCL_COLLNET_ENABLE",
       .since = "",
       .source = documentation,
       .look =
           [](const Circumstances& all) { return those_equal(all, {"NCCL_COLLNET_ENABLE"}, "0"); }},
      {.id = "torch-async-errors",
       .names = {"NCCL_ASYNC_ERROR_HANDLING"},
       .why = "torch has renamed it, and warns about the old name",
       .fix = "set TORCH_NCCL_ASYNC_ERROR_HANDLING instead, or neither: torch handles errors by "
              "default",
       .since = "torch 2.2",
       .source = "torch's ProcessGroupNCCL.hpp",
       .look =
           [](const Circumstances& all) { return those_set(all, {"NCCL_ASYNC_ERROR_HANDLING"}); }},
      {.id = "efa-device-rdma",
       .names = {"FI_EFA_USE_DEVICE_RDMA"},
       .why = "libfabric 1.18 and aws-ofi-nccl 1.7 use the device's RDMA automatically",
       .fix = "unset FI_EFA_USE_DEVICE_RDMA",
       .since = "libfabric 1.18, aws-ofi-nccl 1.7",
       .source = "AWS's cheat sheet for EFA environment variables",
       .look =
           [](const Circumstances& all) {
             return those_equal(all, {"FI_EFA_USE_DEVICE_RDMA"}, "1");
           }},
      {.id = "efa-fork-safe",
       .names = {"RDMAV_FORK_SAFE"},
       .why = "AWS advises against it: the plugin sets what a fork needs",
       .fix = "unset RDMAV_FORK_SAFE",
       .since = "",
       .source = "AWS's cheat sheet for EFA environment variables",
       .on_nodes = true,
       .look =
           [](const Circumstances& all) {
             if (!all.is_on(Fabric::efa)) return std::vector<Variable>();
             return those_set(all, {"RDMAV_FORK_SAFE"});
           }},
  };
}

}  // namespace muster::lint
