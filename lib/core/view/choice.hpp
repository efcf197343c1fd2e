// Which ranks view= shows, and how.
#pragma once

#include "core/option/value_types.hpp"
#include "core/view/output.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace muster::view {

bool shows(const option::View& view, const Source& source);

// How many of a step's ranks are shown.
std::size_t shown_ranks(const option::View& view, std::uint32_t ranks);

// Why the step cannot be shown in this way; empty if it can.
std::string objection(const option::View& view, std::uint32_t ranks);

enum class Prefix : std::uint8_t { none, rank, node };

struct Style {
  bool raw = false;  // one rank's bytes, unchanged
  Prefix prefix = Prefix::none;
  // Replaces the prefix: torchrun's TORCHELASTIC_LOG_LINE_PREFIX_TEMPLATE; empty if there is none.
  std::string line_template = {};
};

Style style_of(const option::View& view, option::Prefix prefix, std::uint32_t ranks);

}  // namespace muster::view
