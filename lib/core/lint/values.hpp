// Tests of values that the rows of the table use.
#pragma once

#include "core/lint/lint.hpp"
#include "core/text/number.hpp"

#include <string_view>
#include <vector>

namespace muster::lint {

inline constexpr std::string_view documentation = "NCCL's documentation, environment variables";

using Names = std::initializer_list<std::string_view>;

// Those of the given variables whose value is `bad`.
template <class Bad>
std::vector<Variable> those(const Circumstances& circumstances, Names names, Bad bad) {
  std::vector<Variable> found;
  for (const auto name : names) {
    const auto* const variable = circumstances.find(name);
    if (variable != nullptr && bad(std::string_view(variable->value))) found.push_back(*variable);
  }
  return found;
}

inline std::vector<Variable> those_set(const Circumstances& circumstances, Names names) {
  return those(circumstances, names, [](std::string_view) { return true; });
}

inline std::vector<Variable> those_equal(const Circumstances& circumstances, Names names,
                                         std::string_view value) {
  return those(circumstances, names, [&](std::string_view own) { return own == value; });
}

inline long number_of(std::string_view value) {
  return text::number<long>(value).value_or(-1);
}

}  // namespace muster::lint
