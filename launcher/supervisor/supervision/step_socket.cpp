#include "launcher/supervisor/supervision/step_socket.hpp"

#include "core/error.hpp"
#include "core/slurm/hostlist.hpp"
#include "wire/layout_line.hpp"
#include "wire/variables.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>

namespace muster::supervision {
namespace {

constexpr std::size_t max_text = std::size_t{256} << 10;

std::vector<std::string> nodes_of(std::string_view line) {
  const auto layout = wire::decode_step_layout(line);
  if (!layout) return {};
  try {
    return slurm::expand_hostlist(layout->nodes);
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

std::optional<CreatedStep> created_step(std::string_view text) {
  const auto space = text.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  std::int64_t nanoseconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + space, nanoseconds);
  if (error != std::errc{} || end != text.data() + space || nanoseconds < 0) return std::nullopt;
  return CreatedStep{std::chrono::steady_clock::time_point(std::chrono::nanoseconds(nanoseconds)),
                     nodes_of(text.substr(space + 1))};
}

StepSocket::StepSocket() {
  std::array<int, 2> ends{-1, -1};
  if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return;
  own_ = os::Descriptor(ends[0]);
  sruns_ = os::Descriptor(ends[1]);
}

void StepSocket::hand_on() const {
  if (!sruns_ || fcntl(sruns_.get(), F_SETFD, 0) != 0) return;
  setenv(wire::step_socket_variable, fmt::to_string(sruns_.get()).c_str(), 1);
}

void StepSocket::handed_on() {
  sruns_ = os::Descriptor();
  unsetenv(wire::step_socket_variable);
}

std::optional<CreatedStep> StepSocket::read() const {
  std::string text(max_text, '\0');
  const auto size = recv(own_.get(), text.data(), text.size(), MSG_DONTWAIT);
  if (size <= 0) return std::nullopt;
  return created_step(std::string_view(text).substr(0, static_cast<std::size_t>(size)));
}

}  // namespace muster::supervision
