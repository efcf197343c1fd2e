#include "plan_view.hpp"

#include "core/error.hpp"
#include "core/explain/step_plan.hpp"
#include "output.hpp"

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

}  // namespace muster::supervise
