#include "launcher/os/output.hpp"

#include "core/error.hpp"
#include "core/text/quote.hpp"
#include "core/text/wrap.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace muster::os {
namespace {

constexpr std::size_t least_width = 20;

std::string subject;

}  // namespace

void print(const std::string& text, std::string_view what) {
  const bool written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!written) throw Error(fmt::format("cannot write the {}; is the disk full?", what));
}

bool wants_color(std::FILE* stream) {
  // Nothing else changes the environment while the channel's thread runs.
  const char* const no_color = std::getenv("NO_COLOR");  // NOLINT(concurrency-mt-unsafe)
  if (no_color != nullptr && *no_color != '\0') return false;
  const char* const terminal = std::getenv("TERM");  // NOLINT(concurrency-mt-unsafe)
  if (terminal == nullptr || std::string_view(terminal) == "dumb") return false;
  return isatty(fileno(stream)) == 1;
}

std::size_t width_of(std::FILE* stream) {
  winsize size{};
  if (ioctl(fileno(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return text::usual_width;
  return std::clamp(std::size_t{size.ws_col}, least_width, text::usual_width);
}

void set_subject(std::string new_subject) {
  subject = std::move(new_subject);
}

void say(Severity severity, std::string_view line) {
  const auto whole = subject.empty() ? std::string(line) : fmt::format("{}: {}", subject, line);
  const auto text = text::to_line(severity, text::printable_path(whole), wants_color(stderr));
  std::fprintf(stderr, "%s\n", text.c_str());
}

}  // namespace muster::os
