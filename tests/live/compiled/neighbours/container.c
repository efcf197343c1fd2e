/* Does what a container plugin such as pyxis does to a step with --container-image=DIR, or with
 * PYXIS_CONTAINER_IMAGE=DIR in its environment: in task_init each task enters its own namespaces, takes DIR
 * as its root, with another /tmp, and gets the image's environment, which overrides the existing one. DIR
 * contains only the file "environment", with NAME=VALUE lines, and perhaps "hidden", with the path of a folder
 * that the image does not have. Only the image has /tmp/program. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <slurm/spank.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <unistd.h>

SPANK_PLUGIN(container, 1)

static char image[4096];

static int accept_image(int value, const char* argument, int remote) {
  (void)value, (void)remote;
  snprintf(image, sizeof image, "%s", argument);
  return 0;
}

static int write_text(const char* path, const char* text) {
  const int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return -1;
  const ssize_t written = write(file, text, strlen(text));
  close(file);
  return written == (ssize_t)strlen(text) ? 0 : -1;
}

/* The task keeps its user. */
static int enter_namespaces(void) {
  char map[64];
  const unsigned user = geteuid(), group = getegid();
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return -1;
  prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); /* the files below are root's otherwise */
  snprintf(map, sizeof map, "%u %u 1\n", user, user);
  if (write_text("/proc/self/setgroups", "deny") != 0 || write_text("/proc/self/uid_map", map) != 0)
    return -1;
  snprintf(map, sizeof map, "%u %u 1\n", group, group);
  return write_text("/proc/self/gid_map", map);
}

/* The folder's path, from the file of that name. */
static const char* hidden_folder(void) {
  static char folder[4096];
  char file[4200];
  snprintf(file, sizeof file, "%s/hidden", image);
  FILE* const list = fopen(file, "re");
  if (list == NULL) return NULL;
  const char* const line = fgets(folder, sizeof folder, list);
  fclose(list);
  folder[strcspn(folder, "\n")] = '\0';
  return line;
}

static int change_root(void) {
  char tmp[4200], here[4096];
  const char* const hidden = hidden_folder();
  snprintf(tmp, sizeof tmp, "%s/tmp", image);
  if (getcwd(here, sizeof here) == NULL || mount("/", image, NULL, MS_BIND | MS_REC, NULL) != 0 ||
      mount("none", tmp, "tmpfs", 0, "mode=1777") != 0 || chroot(image) != 0 ||
      symlink("/bin/true", "/tmp/program") != 0)
    return -1;
  if (hidden != NULL && mount("none", hidden, "tmpfs", 0, "mode=755") != 0) return -1;
  return chdir(here);
}

static void set(spank_t handle, const char* name, const char* from) {
  char value[64];
  if (spank_getenv(handle, from, value, sizeof value) == ESPANK_SUCCESS)
    spank_setenv(handle, name, value, 1);
}

static int import_environment(spank_t handle) {
  char path[4200], line[4096];
  snprintf(path, sizeof path, "%s/environment", image);
  FILE* const file = fopen(path, "re");
  if (file == NULL) return -1;
  while (fgets(line, sizeof line, file) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    char* const equals = strchr(line, '=');
    if (equals == NULL) continue;
    *equals = '\0';
    spank_setenv(handle, line, equals + 1, 1);
  }
  fclose(file);
  set(handle, "RANK", "SLURM_PROCID");
  set(handle, "LOCAL_RANK", "SLURM_LOCALID");
  return 0;
}

int slurm_spank_init(spank_t handle, int count, char** words) {
  (void)count, (void)words;
  static char name[] = "container-image", argument[] = "DIR",
              usage[] = "[container] root and environment of the tasks";
  static struct spank_option option = {name, argument, usage, 1, 0, accept_image};
  const spank_context_t context = spank_context();
  if (context != S_CTX_LOCAL && context != S_CTX_ALLOCATOR && context != S_CTX_REMOTE) return 0;
  return spank_option_register(handle, &option) == ESPANK_SUCCESS ? 0 : -1;
}

int slurm_spank_task_init(spank_t handle, int count, char** words) {
  (void)count, (void)words;
  if (image[0] == '\0') spank_getenv(handle, "PYXIS_CONTAINER_IMAGE", image, sizeof image);
  if (image[0] == '\0') return 0;
  if (import_environment(handle) == 0 && enter_namespaces() == 0 && change_root() == 0) return 0;
  slurm_error("container: cannot enter %s: %m", image);
  return -1;
}
