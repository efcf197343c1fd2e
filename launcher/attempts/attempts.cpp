#include "launcher/attempts/attempts.hpp"

#include "launcher/attempts/course.hpp"
#include "launcher/attempts/environment.hpp"
#include "launcher/supervise/srun.hpp"

namespace muster::attempts {

int run(const Launch& launch) {
  if (!launch.request.supervise) {
    supervise::become_srun(
        prepare_environment(launch, launch.command, {.key = channel::make_step_key()}));
  }
  return Course(launch).run();
}

}  // namespace muster::attempts
