/* A rank that requests NCCL's ids or a communicator, and reports the result.
 *
 *     nccl_rank ids|init RANKS_PER_ROOT
 *
 * "rank 2 on node2: ok after 0.1 s: 3 <id in hexadecimal> <id> <id>", or the error's status and
 * text. Does not need NCCL to build. */
#include <muster/muster.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 16 };

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void in_hexadecimal(const unsigned char* ids, size_t count, char* text) {
  text += sprintf(text, "%zu", count);
  for (size_t i = 0; i < count * MUSTER_NCCL_ID_BYTES; ++i) {
    text += sprintf(text, i % MUSTER_NCCL_ID_BYTES == 0 ? " %02x" : "%02x", ids[i]);
  }
}

static int ask(muster_t* step, const char* what, int ranks_per_root, char* text) {
  muster_nccl_options options = MUSTER_NCCL_OPTIONS;
  options.ranks_per_root = ranks_per_root;
  if (strcmp(what, "init") == 0) {
    void* comm = NULL;
    return muster_nccl_init(step, &options, &comm);
  }
  unsigned char ids[MOST * MUSTER_NCCL_ID_BYTES];
  size_t count = 0;
  options.flags = MUSTER_NCCL_IDS_ONLY;
  const int status = muster_nccl_ids(step, &options, ids, MOST, &count);
  if (status == MUSTER_OK) in_hexadecimal(ids, count, text);
  return status;
}

int main(int argc, char** argv) {
  static char line[2 * MOST * MUSTER_NCCL_ID_BYTES + 5000];
  static char text[2 * MOST * MUSTER_NCCL_ID_BYTES + 100];
  if (argc != 3) return 2;
  muster_t* step = NULL;
  const double begin = now();
  int status = muster_init(&step, NULL);
  if (status == MUSTER_OK) status = ask(step, argv[1], atoi(argv[2]), text);
  const int length =
      snprintf(line, sizeof line, "rank %d on %s: %s after %.1f s: %s\n", muster_rank(step),
               step == NULL ? "?" : muster_node_name(step), muster_status_name(status),
               now() - begin, status == MUSTER_OK ? text : muster_last_error());
  if (write(STDOUT_FILENO, line, (size_t)length) != length) return 3;
  if (status == MUSTER_OK) status = muster_barrier(step, 10000);
  muster_finalize(&step, 10000);
  return status == MUSTER_OK ? 0 : 10 + status;
}
