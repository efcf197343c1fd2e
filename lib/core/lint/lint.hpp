// Finds variables of NCCL, libfabric and torch that are obsolete, mean something different from what they
// seem to mean, contradict each other, or do not fit the node. Pure: a table, applied to what is known about
// launch or a host.
#pragma once

#include "core/fabric/fabric.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::lint {

struct Variable {
  std::string name;
  std::string value;
  std::string where = {};  // "environment", "/etc/nccl.conf:3", "/etc/muster/muster.yaml:12:9"

  friend bool operator==(const Variable&, const Variable&) = default;
};

// Unknown facts are left out; then only the rows that do not need them are applied.
struct Circumstances {
  std::vector<Variable> variables;            // as the ranks will see them, each name once
  std::optional<int> nccl = {};               // as ncclGetVersion returns it: 22703
  std::optional<fabric::Fabric> fabric = {};  // this node's
  std::optional<std::size_t> nodes = {};      // how many the step has

  [[nodiscard]] const Variable* find(std::string_view name) const;
  [[nodiscard]] std::string_view value(std::string_view name) const;  // empty if not set
  [[nodiscard]] bool has_nccl(int at_least) const { return nccl && *nccl >= at_least; }
  [[nodiscard]] bool is_on(fabric::Fabric one) const { return fabric == one; }
};

struct Row {
  std::string_view id;
  std::vector<std::string_view> names;  // the variables that the row examines
  std::string_view why;
  std::string_view fix;
  std::string_view since;   // the release since which this is true; empty: always
  std::string_view source;  // a public document, or the source code of the program concerned
  bool on_nodes = false;    // can be decided only on a node
  bool needs_step = false;  // can be decided only for a launch
  std::vector<Variable> (*look)(const Circumstances& circumstances);
};

const std::vector<Row>& rows();

// Whether any row examines this variable.
bool is_looked_at(std::string_view name);

struct Finding {
  const Row* row;
  Variable variable;  // has no value if the variable is not set
};

// Each row once, with the first variable that it names.
std::vector<Finding> lint(const Circumstances& circumstances);

// "NCCL_IB_GID_INDEX=3 (/etc/nccl.conf:2)"; "FI_MR_CACHE_MONITOR is not set"
std::string what(const Variable& variable);

// One line: what, why, what to do.
std::string to_line(const Finding& finding);

// For a verbose launch: one line however many findings there are; empty if there are none.
std::string remark(const std::vector<Finding>& findings);

// The table's parts, one file each.
std::vector<Row> obsolete_rows();
std::vector<Row> value_rows();
std::vector<Row> fabric_rows();

}  // namespace muster::lint
