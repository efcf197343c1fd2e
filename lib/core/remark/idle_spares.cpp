#include "core/remark/idle_spares.hpp"

#include "core/request/request.hpp"

#include <fmt/format.h>

namespace muster::remark {

std::string idle_spares(const request::Request& request) {
  if (request.spares == 0 || request.restarts > 0 || request.preflight) return {};
  return fmt::format(
      "spares={0} reserves {1} that will never be used: only a restart or a preflight uses spare nodes; "
      "add restarts=3, or leave spares= out",
      request.spares, request.spares == 1 ? "a node" : "nodes");
}

}  // namespace muster::remark
