#include "launcher/supervisor/attempts/start_line.hpp"

#include <cstdlib>
#include <string_view>

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace muster::attempts {
namespace {

constexpr std::chrono::seconds interval{1};
constexpr std::string_view to_its_begin = "\r";
constexpr std::string_view erased = "\r\033[K";

bool takes_control_sequences(int terminal) {
  const char* const kind = std::getenv("TERM");
  return isatty(terminal) != 0 && kind != nullptr && *kind != '\0' &&
         std::string_view(kind) != "dumb";
}

// A longer line would wrap, and only its last row could be erased.
std::size_t width(int terminal) {
  constexpr std::size_t usual = 80;
  winsize size{};
  const bool known = ioctl(terminal, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return (known ? size.ws_col : usual) - 1;
}

void put(int terminal, const std::string& text) {
  if (write(terminal, text.data(), text.size()) < 0) return;  // in that case no line is shown
}

}  // namespace

StartLine::StartLine(int terminal, bool wanted)
    : terminal_(terminal), on_(wanted && takes_control_sequences(terminal)) {}

std::optional<StartLine::Clock::time_point> StartLine::next() const {
  const std::lock_guard lock(mutex_);
  return on_ ? std::optional(next_) : std::nullopt;
}

// A terminal that is stopped (Ctrl-S) accepts no output.
bool StartLine::takes() const {
  pollfd terminal{terminal_, POLLOUT, 0};
  return poll(&terminal, 1, 0) == 1 && (terminal.revents & POLLOUT) != 0;
}

// The cursor returns to the beginning of the line, so that anything srun writes starts there.
void StartLine::draw(const std::string& text) {
  const std::lock_guard lock(mutex_);
  next_ = Clock::now() + interval;
  if (!on_ || text.empty() || !takes()) return;
  put(terminal_,
      std::string(erased) + text.substr(0, width(terminal_)) + std::string(to_its_begin));
  drawn_ = true;
}

void StartLine::erase_drawn() {
  if (drawn_ && takes()) put(terminal_, std::string(erased));
  drawn_ = false;
}

void StartLine::erase() {
  const std::lock_guard lock(mutex_);
  erase_drawn();
}

void StartLine::end() {
  const std::lock_guard lock(mutex_);
  erase_drawn();
  on_ = false;
}

}  // namespace muster::attempts
