// Why scontrol has not done what it was told.
#pragma once

#include "core/text/list.hpp"
#include "core/text/quote.hpp"
#include "launcher/os/command_output.hpp"

#include <chrono>
#include <string>

#include <fmt/format.h>

namespace muster::slurm {

// In one line; empty where it has done it. `timeout`: what it was given.
inline std::string refusal(const os::CommandResult& result, std::chrono::milliseconds timeout) {
  if (result.succeeded) return {};
  for (const auto line : text::split(result.output, '\n')) {
    if (!line.empty()) return text::printable_path(line);
  }
  return fmt::format("scontrol has said nothing for {} ms", timeout.count());
}

}  // namespace muster::slurm
