// A node as lstopo can draw it. lib/core/picture makes it; it travels with the plan to the reader.
#pragma once

#include <string>

namespace muster::plan {

struct Drawing {
  std::string xml;  // hwloc's XML, in which every part already has its colour and text
  // True where the threads of a core have different owners, so each thread is drawn; otherwise one
  // box is a core.
  bool threads = false;

  friend bool operator==(const Drawing&, const Drawing&) = default;
};

}  // namespace muster::plan
