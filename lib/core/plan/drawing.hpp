// A node in the form that lstopo draws. lib/core/picture makes it, and it is sent along with the plan.
#pragma once

#include "core/record/limits.hpp"

#include <cstddef>
#include <string>

namespace muster::plan {

struct Drawing {
  std::string xml;  // hwloc's XML, in which every part already has its colour and text
  // True if the threads of a core have different owners: then each thread is drawn, otherwise each core.
  bool threads = false;

  friend bool operator==(const Drawing&, const Drawing&) = default;
};
template <class Io>
void fields(Io& io, Drawing& drawing) {
  io(drawing.xml, record::Max{std::size_t{16} << 20})(drawing.threads);
}

}  // namespace muster::plan
