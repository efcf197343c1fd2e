#include "launcher/supervisor/attempts/attempts.hpp"

#include "launcher/slurm/srun.hpp"
#include "launcher/supervisor/attempts/environment.hpp"
#include "launcher/supervisor/attempts/restart_loop.hpp"

namespace muster::attempts {

int run(const Launch& launch) {
  if (!launch.request.supervise) {
    slurm::become_srun(prepare_environment(launch, launch.command,
                                           {.key = secret::make_key(), .pmix = launch.pmix}));
  }
  return RestartLoop(launch).run();
}

}  // namespace muster::attempts
