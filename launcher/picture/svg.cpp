#include "launcher/picture/svg.hpp"

#include "core/error.hpp"
#include "core/picture/frame.hpp"
#include "core/text/quote.hpp"
#include "launcher/os/descriptor.hpp"
#include "launcher/os/output.hpp"
#include "launcher/picture/lstopo.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::picture {
namespace {

[[noreturn]] void cannot_write(const std::string& file, int error) {
  throw Error(fmt::format("cannot write the picture {}: {}; give --svg another file",
                          text::in_quotes(file), std::strerror(error)));
}

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const auto count = write(descriptor, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

// mkstemp makes the file private; a picture gets the same mode as its maker's other files.
bool as_umask_says(int descriptor) {
  const mode_t mask = umask(0);
  umask(mask);
  return fchmod(descriptor, 0666 & ~mask) == 0;
}

bool is_special(const std::string& file) {
  struct stat found {};
  return stat(file.c_str(), &found) == 0 && !S_ISREG(found.st_mode);
}

}  // namespace

std::string picture_of(const plan::Drawing& drawing, const plan::StepPlan& plan,
                       const plan::NodePlan& node) {
  return framed(run_lstopo(drawing), plan, node);
}

void write_picture(const std::string& svg, const std::string& file) {
  if (file == "-") return os::print(svg, "picture");
  if (is_special(file)) cannot_write(file, EISDIR);
  std::string temporary = file + ".XXXXXX";
  const os::Descriptor made(mkstemp(temporary.data()));
  if (made.get() < 0) cannot_write(file, errno);
  const bool done = write_all(made.get(), svg) && as_umask_says(made.get()) &&
                    rename(temporary.c_str(), file.c_str()) == 0;
  if (done) return;
  const int error = errno;
  unlink(temporary.c_str());
  cannot_write(file, error);
}

}  // namespace muster::picture
