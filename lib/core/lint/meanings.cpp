// Values that NCCL accepts but that mean something different from what they seem to mean, and values that
// only debugging should set.
#include "core/lint/values.hpp"
#include "core/text/list.hpp"

#include <algorithm>
#include <set>

namespace muster::lint {
namespace {

using fabric::Fabric;

// Google's first plugin supports one algorithm and one protocol, and Slingshot sites exclude one protocol.
bool is_fabrics_choice(const Circumstances& all, const Variable& variable) {
  if (all.is_on(Fabric::gcp_tcpx)) return true;
  return all.is_on(Fabric::slingshot) && variable.name == "NCCL_PROTO" &&
         variable.value.starts_with('^');
}

std::vector<Variable> choices(const Circumstances& all) {
  auto found = those_set(
      all, {"NCCL_ALGO", "NCCL_PROTO", "NCCL_P2P_LEVEL", "NCCL_LAUNCH_MODE", "NCCL_NTHREADS"});
  std::erase_if(found, [&](const Variable& one) { return is_fabrics_choice(all, one); });
  return found;
}

std::vector<Variable> repeated_device(const Circumstances& all) {
  return those(all, {"NCCL_IB_HCA"}, [](std::string_view value) {
    value.remove_prefix(std::min(value.find_first_not_of("=^"), value.size()));
    std::set<std::string_view> seen;
    const auto items = text::split(value, ',');
    return std::ranges::any_of(items, [&](auto item) { return !seen.insert(item).second; });
  });
}

// A user's list of exclusions replaces NCCL's own list, which has these two.
std::vector<Variable> lost_exclusion(const Circumstances& all) {
  return those(all, {"NCCL_SOCKET_IFNAME"}, [](std::string_view value) {
    if (!value.starts_with('^')) return false;
    value.remove_prefix(std::min(value.find_first_not_of("^="), value.size()));
    const auto items = text::split(value, ',');
    return std::ranges::count(items, "lo") == 0 ||
           std::ranges::none_of(items, [](auto item) { return item.starts_with("docker"); });
  });
}

// NCCL wants an index, a small number; a partition key has 16 bits and is written in hexadecimal.
std::vector<Variable> partition_key(const Circumstances& all) {
  constexpr std::size_t most_digits = 3;  // a port's table has 128 entries at most
  return those(all, {"NCCL_IB_PKEY"}, [](std::string_view value) {
    return value.starts_with("0x") || value.size() > most_digits;
  });
}

}  // namespace

std::vector<Row> value_rows() {
  return {
      {.id = "nccl-retry-count",
       .names = {"NCCL_IB_RETRY_CNT"},
       .why = "the field has three bits: 0 to 7",
       .fix = "NCCL_IB_RETRY_CNT=7, or unset it",
       .since = "",
       .source = "NCCL's net_ib; nccl issue 1814",
       .look =
           [](const Circumstances& all) {
             constexpr long most = 7;
             return those(all, {"NCCL_IB_RETRY_CNT"},
                          [](std::string_view value) { return number_of(value) > most; });
           }},
      {.id = "nccl-partition-key",
       .names = {"NCCL_IB_PKEY"},
       .why = "the value is an index into the port's table of keys, not a key",
       .fix = "NCCL_IB_PKEY=INDEX, from /sys/class/infiniband/*/ports/*/pkeys",
       .since = "",
       .source = "NCCL's net_ib; nccl issue 1814",
       .look = partition_key},
      {.id = "nccl-switched-off",
       .names = {"NCCL_SHM_DISABLE", "NCCL_P2P_DISABLE", "NCCL_IB_DISABLE"},
       .why = "this slows jobs and hides a fault; NCCL documents it as a debugging aid",
       .fix = "unset it, and look for the fault: muster doctor",
       .since = "",
       .source = documentation,
       .look =
           [](const Circumstances& all) {
             return those_equal(all, {"NCCL_SHM_DISABLE", "NCCL_P2P_DISABLE", "NCCL_IB_DISABLE"},
                                "1");
           }},
      {.id = "nccl-choice",
       .names = {"NCCL_ALGO", "NCCL_PROTO", "NCCL_P2P_LEVEL", "NCCL_LAUNCH_MODE", "NCCL_NTHREADS"},
       .why = "this overrides NCCL's choice for each size and topology; NCCL documents it as a "
              "debugging aid",
       .fix = "unset it, or measure with and without it",
       .since = "",
       .source = documentation,
       .look = choices},
      {.id = "nccl-same-device",
       .names = {"NCCL_IB_HCA"},
       .why = "the list names a device twice; another one is probably missing",
       .fix = "correct the list, or unset it: muster lists the node's compute NICs",
       .since = "",
       .source = "seen in published lists",
       .look = repeated_device},
      {.id = "nccl-unused-devices",
       .names = {"NCCL_IB_HCA", "NCCL_IB_DISABLE", "NCCL_NET"},
       .why = "NCCL_NET=Socket ignores the list of devices",
       .fix = "unset NCCL_IB_HCA or NCCL_NET",
       .since = "",
       .source = documentation,
       .look =
           [](const Circumstances& all) {
             if (all.value("NCCL_NET") != "Socket") return std::vector<Variable>();
             return those_set(all, {"NCCL_IB_HCA"});
           }},
      {.id = "nccl-socket-exclusion",
       .names = {"NCCL_SOCKET_IFNAME"},
       .why = "such a list replaces NCCL's own exclusion of lo and docker",
       .fix = "add lo and docker to it, or name the interface to use: =eth0",
       .since = "",
       .source = documentation,
       .look = lost_exclusion},
      {.id = "unread-queue-length",
       .names = {"RX_QUEUE_LEN", "IB_RX_QUEUE_LEN"},
       .why = "no library uses this prefix, so probably nothing reads it",
       .fix = "remove it",
       .since = "",
       .source = "published scripts for OCI",
       .look =
           [](const Circumstances& all) {
             return those_set(all, {"RX_QUEUE_LEN", "IB_RX_QUEUE_LEN"});
           }},
  };
}

}  // namespace muster::lint
