#include "core/report/store_hint.hpp"

#include <string_view>

namespace muster::report {

std::string store_hint(const Report& report) {
  if (!report.first) return {};
  constexpr std::string_view words = "The client socket has timed out after ";
  if (reason_of(report.first->end).find(words) == std::string::npos) return {};
  return "no store of torch answered there; if no rank serves one, store=agent makes muster serve it";
}

}  // namespace muster::report
