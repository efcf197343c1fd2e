// A node as lstopo can draw it. Made by lib/core/picture, carried with the plan to whoever shows it.
#pragma once

#include <string>

namespace muster::plan {

struct Drawing {
  std::string xml;  // hwloc's, in which every part already has its colour and text
  // A core's threads differ in who has them, so they are drawn each; else one box is a core.
  bool threads = false;

  friend bool operator==(const Drawing&, const Drawing&) = default;
};

}  // namespace muster::plan
