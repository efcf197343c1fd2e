// The metrics of muster: one row for each, which its text, its documents and its tests share.
#pragma once

#include "core/status/status.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster::metrics {

enum class Type : std::uint8_t { gauge, counter };

// A value, with the label that tells it from the others of its family; no label if the name is empty.
struct Sample {
  double value = 0;
  std::string_view label = {};
  std::string label_value = {};
};

struct Family {
  std::string_view name;  // that of a counter has no _total
  Type type;
  std::string_view unit;  // as the name ends; empty: a count
  std::string_view help;
  // None if the step does not know it.
  std::function<std::vector<Sample>(const status::Step& step, const status::Run& run)> samples;
};

std::span<const Family> families();

}  // namespace muster::metrics
