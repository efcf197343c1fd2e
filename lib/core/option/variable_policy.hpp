// What the site's `policy: variables:` says about environment variables: values that users cannot change,
// values that they cannot use, and bounds.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace muster::option {

struct VariableValue {
  std::string value;
  std::string where;  // "FILE:LINE:COLUMN"

  friend bool operator==(const VariableValue&, const VariableValue&) = default;
};

struct VariableBound {
  std::int64_t number = 0;
  std::string where;

  friend bool operator==(const VariableBound&, const VariableBound&) = default;
};

// `forbid: NAME` or `forbid: NAME=VALUE`.
struct ForbiddenVariable {
  std::string name;
  std::optional<std::string> value;
  std::string where;

  friend bool operator==(const ForbiddenVariable&, const ForbiddenVariable&) = default;
};

struct VariablePolicy {
  std::map<std::string, VariableValue, std::less<>> fix = {};
  std::vector<ForbiddenVariable> forbid = {};
  std::map<std::string, VariableBound, std::less<>> min = {};
  std::map<std::string, VariableBound, std::less<>> max = {};

  friend bool operator==(const VariablePolicy&, const VariablePolicy&) = default;
};

}  // namespace muster::option
