#include "launcher/tools/picture/svg.hpp"

#include "core/error.hpp"
#include "core/picture/frame.hpp"
#include "core/text/quote.hpp"
#include "launcher/os/new_file.hpp"
#include "launcher/os/output.hpp"
#include "launcher/tools/picture/lstopo.hpp"

#include <cstdio>
#include <cstring>

#include <fmt/format.h>

namespace muster::picture {
namespace {

[[noreturn]] void cannot_write(const std::string& file, int error) {
  throw Error(fmt::format("cannot write the picture {}: {}; use another file for --svg",
                          text::in_quotes(file), std::strerror(error)));
}

}  // namespace

std::string picture_of(const plan::Drawing& drawing, const plan::StepPlan& plan,
                       const plan::NodePlan& node) {
  return framed(run_lstopo(drawing), plan, node);
}

void write_picture(const std::string& svg, const std::string& file) {
  if (file == "-") return os::print(svg, "picture");
  if (const int error = os::write_new_file(file, svg); error != 0) cannot_write(file, error);
}

}  // namespace muster::picture
