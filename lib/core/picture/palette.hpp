// The colours of a picture. Ranks use Paul Tol's "light" scheme, which is made for labelled fields:
// colour-blind readers can tell the colours apart, black text is readable on all of them, and neighbours
// differ most. The colours repeat after eight ranks, so every part also shows the rank's number.
#pragma once

#include "core/picture/owners.hpp"

#include <array>
#include <string_view>

namespace muster::picture {

inline constexpr std::array<std::string_view, 8> rank_colors{
    "#77aadd", "#ee8866", "#bbcc33", "#ffaabb", "#99ddff", "#aaaa00", "#eedd88", "#44bb99"};
inline constexpr std::string_view shared_color = "#dddddd";
inline constexpr std::string_view free_color = "#ffffff";
inline constexpr std::string_view page_color = "#ffffff";
inline constexpr std::string_view package_color = "#f2f2f2";
inline constexpr std::string_view text_color = "#000000";

inline std::string_view color_of(const Owners& owners) {
  if (owners.empty()) return free_color;
  return owners.size() > 1 ? shared_color : rank_colors[owners.front() % rank_colors.size()];
}

}  // namespace muster::picture
