/* Does what mpibind does: in task_init each task gets the CPU from the line's argument, cpu=N. */
#define _GNU_SOURCE
#include <sched.h>
#include <slurm/spank.h>
#include <stdlib.h>
#include <string.h>

SPANK_PLUGIN(bind, 1)

int slurm_spank_task_init(spank_t handle, int count, char** words) {
  (void)handle;
  if (count != 1 || strncmp(words[0], "cpu=", 4) != 0) return 0;
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  CPU_SET(atoi(words[0] + 4), &cpus);
  if (sched_setaffinity(0, sizeof cpus, &cpus) == 0) return 0;
  slurm_error("bind: cannot use CPU %s: %m", words[0] + 4);
  return -1;
}
