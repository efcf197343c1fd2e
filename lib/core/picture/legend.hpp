// The legend as SVG: each rank's colour and its resources.
#pragma once

#include "core/plan/node_plan.hpp"

#include <string>

namespace muster::picture {

struct Legend {
  std::string svg;  // from (0, 0)
  double width = 0;
  double height = 0;
};

// Has as many columns as fit into the width, but at least one.
Legend legend_of(const plan::NodePlan& node, double width);

// Escapes text for SVG and replaces characters that SVG does not allow.
std::string svg_text(double x, double y, double size, std::string_view text,
                     std::string_view more = "");

inline constexpr double letter_width = 0.61;  // as a fraction of a monospaced font's size

}  // namespace muster::picture
