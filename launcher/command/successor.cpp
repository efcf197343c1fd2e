// `muster successor`: the process that becomes the supervisor if the supervisor's node dies. The supervisor
// runs it in a separate step on another node of the job.
#include "launcher/supervisor/successor/successor.hpp"

#include "launcher/command/commands.hpp"

namespace muster::command {

Command successor_command() {
  Command command("successor", "wait to take over supervision");
  return command.internal().action([] { return successor::wait_for_turn(); });
}

}  // namespace muster::command
