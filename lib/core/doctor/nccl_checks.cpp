// NCCL's variables and files: what means something else than it seems.
#include "core/doctor/check.hpp"

#include <fmt/format.h>

namespace muster::doctor {
namespace {

Verdict variable(const Facts& facts, std::string_view name, bool (*bad)(std::uint64_t)) {
  const auto fact = fmt::format("env.{}", name);
  if (!facts.has(fact)) return std::nullopt;
  const auto value = facts.number(fact);
  return warning_if(value && bad(*value), fmt::format("{}={}", name, facts.text(fact)));
}

Verdict gid_index(const Facts& facts) {
  return variable(facts, "NCCL_IB_GID_INDEX", [](std::uint64_t) { return true; });
}

Verdict retry_count(const Facts& facts) {
  return variable(facts, "NCCL_IB_RETRY_CNT", [](std::uint64_t value) { return value > 7; });
}

Verdict timeout(const Facts& facts) {
  return variable(facts, "NCCL_IB_TIMEOUT", [](std::uint64_t value) { return value >= 23; });
}

Verdict relaxed_ordering(const Facts& facts) {
  return variable(facts, "NCCL_IB_PCI_RELAXED_ORDERING",
                  [](std::uint64_t value) { return value == 1; });
}

// An index into the port's table, which has 128 entries at most.
Verdict partition_key(const Facts& facts) {
  if (!facts.has("env.NCCL_IB_PKEY")) return std::nullopt;
  const auto value = facts.text("env.NCCL_IB_PKEY");
  return warning_if(value.starts_with("0x") || value.size() > 3, "NCCL_IB_PKEY=" + value);
}

Verdict own_file(const Facts& facts) {
  if (!facts.has("nccl.own_file")) return std::nullopt;
  const auto file = facts.text("nccl.own_file");
  return warning_if(!file.empty(), file.empty() ? "no ~/.nccl.conf and no NCCL_CONF_FILE"
                                                : file + " sets variables of NCCL");
}

}  // namespace

std::vector<Check> nccl_checks() {
  return {
      {{"nccl-gid-index", "a fixed index breaks where nodes differ; NCCL finds it since 2.21",
        "unset NCCL_IB_GID_INDEX"},
       Place::anywhere,
       gid_index},
      {{"nccl-retry-count", "the field has three bits: 0 to 7", "NCCL_IB_RETRY_CNT=7, or unset it"},
       Place::anywhere,
       retry_count},
      {{"nccl-timeout", "a dead link is noticed only after minutes", "unset NCCL_IB_TIMEOUT"},
       Place::anywhere,
       timeout},
      {{"nccl-relaxed-ordering",
        "1 fails where a NIC has no relaxed ordering; the default finds out",
        "unset NCCL_IB_PCI_RELAXED_ORDERING"},
       Place::anywhere,
       relaxed_ordering},
      {{"nccl-partition-key", "it is an index into the port's table, not the key",
        "NCCL_IB_PKEY=INDEX, from /sys/class/infiniband/*/ports/*/pkeys"},
       Place::anywhere,
       partition_key},
      {{"nccl-own-file", "values that no script sets",
        "look into it, and delete what is forgotten"},
       Place::anywhere,
       own_file},
  };
}

}  // namespace muster::doctor
