#include "launcher/supervisor/supervision/remarks.hpp"

#include "core/srun/line.hpp"
#include "launcher/os/output.hpp"

namespace muster::supervision {
bool is_quiet(const srun::Command& command) {
  return read_step(command).has("quiet");
}

bool is_interactive(const srun::Command& command) {
  return read_step(command).has("pty");
}

bool is_asynchronous(const srun::Command& command) {
  return read_step(command).has("async");
}

void remark(const srun::Command& command, const std::string& line) {
  if (line.empty() || is_quiet(command)) return;
  os::say(os::Severity::warning, line);
}

}  // namespace muster::supervision
