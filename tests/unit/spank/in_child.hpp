// Runs a piece of a test in a separate process: for what cannot be undone, such as ids, CPU masks and exec.
#pragma once

#include <functional>
#include <string>

namespace muster::spank {

struct ChildResult {
  int exit_code = -1;  ///< 0 when the body returned; 128+N after signal N
  std::string output;  ///< what the body returned, or what it left on standard output
};

ChildResult in_child(const std::function<std::string()>& body);

}  // namespace muster::spank
