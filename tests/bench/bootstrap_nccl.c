/* A stand-in for libnccl.so.2 in the bootstrap benchmark: an id costs nothing and its bytes say which rank
 * made it. The real library is measured as well, but not in hundreds of processes that each load hundreds
 * of megabytes. */
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct {
  char internal[128];
} ncclUniqueId;

int ncclGetVersion(int *version) {
  *version = 22809;
  return 0;
}

int ncclGetUniqueId(ncclUniqueId *id) {
  struct timespec now;
  const pid_t maker = getpid();
  clock_gettime(CLOCK_MONOTONIC, &now);
  memset(id, 0, sizeof *id);
  memcpy(id->internal, &now, sizeof now);
  memcpy(id->internal + sizeof now, &maker, sizeof maker);
  return 0;
}

const char *ncclGetErrorString(int result) { return result ? "an error" : "no error"; }
const char *ncclGetLastError(void *comm) { return comm ? "an error" : ""; }

/* Functions that libmuster requires in any NCCL, but that are never called here. */
#define NOT_HERE(name) \
  int name(void) { return 3; }
NOT_HERE(ncclCommInitRankConfig)
NOT_HERE(ncclCommInitRankScalable)
NOT_HERE(ncclCommSplit)
NOT_HERE(ncclCommGetAsyncError)
NOT_HERE(ncclCommFinalize)
NOT_HERE(ncclCommDestroy)
NOT_HERE(ncclCommAbort)
