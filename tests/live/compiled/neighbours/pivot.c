/* Does what plugins that change a node's root do, in slurmstepd and before any user_init: creates a mount
 * namespace in which pivot_root makes root=DIR the root, and in which hide=DIR is empty. Without root=,
 * the root stays the same. */
#define _GNU_SOURCE
#include <sched.h>
#include <slurm/spank.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

SPANK_PLUGIN(pivot, 1)

static const char* word(int count, char** words, const char* key) {
  for (int i = 0; i < count; ++i) {
    if (strncmp(words[i], key, strlen(key)) == 0) return words[i] + strlen(key);
  }
  return NULL;
}

static int change_root(const char* root) {
  char here[4096];
  if (getcwd(here, sizeof here) == NULL || mount("/", root, NULL, MS_BIND | MS_REC, NULL) != 0)
    return -1;
  if (chdir(root) != 0 || syscall(SYS_pivot_root, ".", ".") != 0 || umount2(".", MNT_DETACH) != 0)
    return -1;
  return chdir(here);
}

static int hide(const char* folder) {
  return mount("none", folder, "tmpfs", 0, "mode=755");
}

/* program=PATH: a program that exists only in this root, not on the node. */
static int bring(const char* program) {
  return mount("/bin/true", program, NULL, MS_BIND, NULL);
}

int slurm_spank_init_post_opt(spank_t handle, int count, char** words) {
  (void)handle;
  if (spank_context() != S_CTX_REMOTE) return 0;
  const char *const root = word(count, words, "root="), *const hidden = word(count, words, "hide=");
  const char* const program = word(count, words, "program=");
  if (unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
      (root == NULL || change_root(root) == 0) && (hidden == NULL || hide(hidden) == 0) &&
      (program == NULL || bring(program) == 0))
    return 0;
  slurm_error("pivot: cannot change the root: %m");
  return -1;
}
