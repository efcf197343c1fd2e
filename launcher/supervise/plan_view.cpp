#include "plan_view.hpp"

#include "core/error.hpp"
#include "core/explain/step_plan.hpp"

#include <cstdlib>
#include <string_view>

#include <unistd.h>

namespace muster::supervise {

void PlanView::show(const std::vector<std::string>& texts) {
  try {
    const auto plan = step_plan_from_texts(texts);
    const auto text =
        format_ == PlanFormat::json ? to_json(plan) : to_table(plan, {wants_color(stream_)});
    const bool written = std::fwrite(text.data(), 1, text.size(), stream_) == text.size() &&
                         std::fflush(stream_) == 0;
    if (!written) std::fprintf(stderr, "muster: cannot write the plan; is the disk full?\n");
    shown_ = written;
  } catch (const Error& error) {
    std::fprintf(stderr, "muster: %s\n", error.what());
  }
}

bool wants_color(std::FILE* stream) {
  // Nothing else changes the environment once the channel's thread runs.
  const char* const no_color = std::getenv("NO_COLOR");  // NOLINT(concurrency-mt-unsafe)
  if (no_color != nullptr && *no_color != '\0') return false;
  const char* const terminal = std::getenv("TERM");  // NOLINT(concurrency-mt-unsafe)
  if (terminal == nullptr || std::string_view(terminal) == "dumb") return false;
  return isatty(fileno(stream)) == 1;
}

}  // namespace muster::supervise
