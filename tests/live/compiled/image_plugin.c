/* Another SPANK plugin with its own option, like plugins that run a program in an image. */
#include <slurm/spank.h>

SPANK_PLUGIN(image, 1)

static int accept_image(int value, const char *argument, int remote) {
  (void)value, (void)argument, (void)remote;
  return 0;
}

int slurm_spank_init(spank_t handle, int count, char **words) {
  (void)count, (void)words;
  static char name[] = "environment", argument[] = "IMAGE", usage[] = "an image with the program";
  static struct spank_option option = {name, argument, usage, 1, 0, accept_image};
  if (spank_context() == S_CTX_SLURMD || spank_context() == S_CTX_JOB_SCRIPT) return 0;
  return spank_option_register(handle, &option) == ESPANK_SUCCESS ? 0 : -1;
}
