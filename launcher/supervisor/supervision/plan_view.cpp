#include "launcher/supervisor/supervision/plan_view.hpp"

#include "core/error.hpp"
#include "core/explain/plan_view.hpp"
#include "core/picture/frame.hpp"
#include "core/plan/step_plan.hpp"
#include "core/request/request.hpp"
#include "launcher/os/new_file.hpp"
#include "launcher/os/output.hpp"
#include "launcher/os/private_directory.hpp"
#include "launcher/tools/picture/svg.hpp"

#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace muster::supervision {

PlanView::PlanView(const request::Request& request, PlanStyle style)
    : stream_(request.dry_run ? stdout : stderr),
      wanted_(request.dry_run || request.explain),
      style_(std::move(style)) {}

void PlanView::show(const std::vector<std::string>& texts) {
  try {
    auto plan = plan::step_plan_from_texts(texts);
    plan.spares = spares_;
    if (!plan.logs.empty()) keep(plan);
    if (wanted_) show(plan);
  } catch (const Error& error) {
    os::say(os::Severity::error, error.what());
    failed_ = true;
  }
}

// The submit host may have a different file system from the nodes, so the directory is created here as well.
void PlanView::keep(const plan::StepPlan& plan) {
  logs_ = plan.logs;
  int error = os::make_private_directory(plan.logs);
  if (error == 0) error = os::write_new_file(plan.logs + "/plan.json", explain::to_json(plan));
  if (error == 0) return;
  os::say(os::Severity::warning, fmt::format("cannot write plan.json into {} on this host: {}",
                                             plan.logs, std::strerror(error)));
}

void PlanView::show(const plan::StepPlan& plan) {
  if (!style_.svg.empty()) draw(plan);
  if (style_.svg != "-") {
    const auto text = style_.format == PlanFormat::json
                          ? explain::to_json(plan)
                          : explain::to_table(plan, {os::wants_color(stream_)});
    const bool written = std::fwrite(text.data(), 1, text.size(), stream_) == text.size() &&
                         std::fflush(stream_) == 0;
    if (!written) throw Error("cannot write the plan; is the disk full?");
  }
  shown_ = true;
}

void PlanView::draw(const plan::StepPlan& plan) const {
  const auto& node = picture::node_to_draw(plan, style_.node);
  const auto drawing = plan.drawings.find(node.node);
  if (drawing == plan.drawings.end())
    throw Error(fmt::format(
        "node {} sent no drawing; is the same muster version installed on every node?", node.node));
  picture::write_picture(picture::picture_of(drawing->second, plan, node), style_.svg);
}

}  // namespace muster::supervision
