/* Doubles of CUDA's driver and of NCCL, not the real libraries: one GPU whose memory is this process's, and
 * communicators of two ranks in two processes. Their all-reduce runs in a thread, over TCP at the address of
 * NCCL_SOCKET_IFNAME; cuStreamQuery() says whether it is in progress. Compiled twice: with DOUBLE_OF_CUDA and
 * with DOUBLE_OF_NCCL.
 *
 * Variables request faults, for the node that SLURMD_NODENAME names:
 *
 *   GPU_DOUBLE_INIT_HANGS=NODE    cuInit() never returns
 *   GPU_DOUBLE_INIT_FAILS=NODE    cuInit() fails
 *   GPU_DOUBLE_NONE=NODE          there is no GPU
 *   GPU_DOUBLE_LOADED=FILE        a line is written there when one of the doubles is loaded
 *   GPU_DOUBLE_LEDGER=FILE        allocations and releases are written there
 *   NCCL_DOUBLE_VERSION=NODE:N    a different version
 *   NCCL_DOUBLE_SLOW=NODE:N       each all-reduce takes N microseconds longer
 *   NCCL_DOUBLE_NARROW=NODE:N     each mebibyte takes N microseconds longer
 *   NCCL_DOUBLE_FAILS=NODE        ncclAllReduce() fails
 *   NCCL_DOUBLE_HANGS=NODE        an all-reduce never ends
 *   NCCL_DOUBLE_STUCK=NODE        an all-reduce never ends, and cannot be aborted
 *   NCCL_DOUBLE_CRASHES=NODE      ncclAllReduce() ends the process
 *   NCCL_DOUBLE_WRONG=NODE        sums are wrong
 *   NCCL_DOUBLE_TALKS=NODE        it prints on standard output */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* Whether the variable names this node, and the number after the colon. */
static int ordered(const char* variable, long* number) {
  const char* order = getenv(variable);
  const char* node = getenv("SLURMD_NODENAME");
  if (order == NULL || node == NULL) return 0;
  const size_t length = strcspn(order, ":");
  if (strlen(node) != length || strncmp(order, node, length) != 0) return 0;
  if (number != NULL) *number = order[length] == ':' ? atol(order + length + 1) : 0;
  return 1;
}

static void write_line(const char* variable, const char* line) {
  const char* path = getenv(variable);
  if (path == NULL) return;
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) return;
  if (write(file, line, strlen(line)) < 0) abort();
  close(file);
}

__attribute__((constructor)) static void loaded(void) {
  char line[200];
  const char* node = getenv("SLURMD_NODENAME");
  snprintf(line, sizeof line, "%s %d\n", node == NULL ? "?" : node, (int)getpid());
  write_line("GPU_DOUBLE_LOADED", line);
}

#ifdef DOUBLE_OF_CUDA

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int under_way;
static void* current;
static size_t allocated;

/* For the double of NCCL. */
void double_stream(int change) {
  pthread_mutex_lock(&lock);
  under_way = change == 0 ? 0 : under_way + change;
  pthread_mutex_unlock(&lock);
}

static void note(const char* what, size_t bytes) {
  char line[200];
  snprintf(line, sizeof line, "%s %s %zu %zu\n", getenv("SLURMD_NODENAME"), what, bytes, allocated);
  write_line("GPU_DOUBLE_LEDGER", line);
}

int cuInit(unsigned flags) {
  if (ordered("GPU_DOUBLE_INIT_HANGS", NULL)) {
    for (;;) pause();
  }
  if (ordered("GPU_DOUBLE_NONE", NULL)) return 100;
  return ordered("GPU_DOUBLE_INIT_FAILS", NULL) ? 802 : (int)flags;
}
int cuDriverGetVersion(int* version) {
  return *version = 12080, 0;
}
int cuDeviceGetCount(int* count) {
  return *count = 1, 0;
}
int cuDeviceGet(int* device, int index) {
  return *device = index, index == 0 ? 0 : 101;
}
int cuDeviceGetPCIBusId(char* text, int size, int device) {
  snprintf(text, (size_t)size, "0000:%02x:00.0", 0x41 + device);
  return 0;
}
int cuDeviceGetUuid_v2(void* uuid, int device) {
  const char* node = getenv("SLURMD_NODENAME");
  memset(uuid, device, 16);
  if (node != NULL) memcpy(uuid, node, strlen(node) < 16 ? strlen(node) : 16);
  return 0;
}
int cuCtxGetCurrent(void** context) {
  return *context = current, 0;
}
int cuCtxSetCurrent(void* context) {
  return current = context, 0;
}
int cuCtxGetDevice(int* device) {
  return *device = 0, current == NULL ? 201 : 0;
}
int cuDevicePrimaryCtxRetain(void** context, int device) {
  note("retained", 0);
  return *context = &current, device;
}
int cuDevicePrimaryCtxRelease_v2(int device) {
  note("released", 0);
  return device;
}
int cuStreamCreate(void** stream, unsigned flags) {
  return *stream = &under_way, flags == 1 ? 0 : 1;
}
int cuStreamQuery(void* stream) {
  pthread_mutex_lock(&lock);
  const int busy = stream == &under_way && under_way > 0;
  pthread_mutex_unlock(&lock);
  return busy ? 600 : 0;
}
int cuMemAlloc_v2(uint64_t* memory, size_t bytes) {
  size_t* const block = current == NULL ? NULL : calloc(1, bytes + 64);
  if (block == NULL) return 2;
  *block = bytes;
  allocated += bytes;
  note("allocated", bytes);
  *memory = (uint64_t)(uintptr_t)block + 64;
  return 0;
}
int cuMemFree_v2(uint64_t memory) {
  size_t* const block = (size_t*)(uintptr_t)(memory - 64);
  allocated -= *block;
  note("freed", *block);
  return free(block), 0;
}
int cuMemcpyHtoD_v2(uint64_t to, const void* from, size_t bytes) {
  return memcpy((void*)(uintptr_t)to, from, bytes), 0;
}
int cuMemcpyDtoH_v2(void* to, uint64_t from, size_t bytes) {
  return memcpy(to, (void*)(uintptr_t)from, bytes), 0;
}
int cuGetErrorString(int error, const char** text) {
  *text = error == 802 ? "system not yet initialized" : "the double's error";
  return 0;
}

#else

enum { SUCCESS = 0, SYSTEM_ERROR = 2, REMOTE_ERROR = 6, IN_PROGRESS = 7 };

typedef struct Id {
  struct sockaddr_in place;
  char rest[128 - sizeof(struct sockaddr_in)];
} Id;

typedef struct Comm {
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int rank, state, aborted, ended;
  int socket;
  struct sockaddr_in place;
  const float* input;
  float* output;
  size_t count; /* of the operation in progress; 0: none */
} Comm;

static int listener = -1;

/* The double of CUDA in this process, found as NCCL finds the driver. */
static void stream(int change) {
  void* const cuda = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  void (*const call)(int) = cuda == NULL ? NULL : (void (*)(int))dlsym(cuda, "double_stream");
  if (call != NULL) call(change);
}

static void rest(long microseconds) {
  const struct timespec time = {microseconds / 1000000, microseconds % 1000000 * 1000};
  nanosleep(&time, NULL);
}

static struct sockaddr_in own_place(void) {
  const char* name = getenv("NCCL_SOCKET_IFNAME");
  struct sockaddr_in place = {.sin_family = AF_INET};
  struct ifaddrs* all = NULL;
  if (name != NULL && *name == '=') ++name;
  if (getifaddrs(&all) != 0) return place;
  for (struct ifaddrs* each = all; each != NULL; each = each->ifa_next) {
    if (each->ifa_addr == NULL || each->ifa_addr->sa_family != AF_INET) continue;
    const int fits = name == NULL ? (each->ifa_flags & IFF_LOOPBACK) == 0 : strcmp(name, each->ifa_name) == 0;
    if (fits) place.sin_addr = ((struct sockaddr_in*)(void*)each->ifa_addr)->sin_addr;
  }
  freeifaddrs(all);
  return place;
}

int ncclGetVersion(int* version) {
  long other = 0;
  *version = ordered("NCCL_DOUBLE_VERSION", &other) ? (int)other : 22809;
  return 0;
}

int ncclGetUniqueId(Id* id) {
  memset(id, 0, sizeof *id);
  id->place = own_place();
  socklen_t size = sizeof id->place;
  if (listener >= 0) close(listener);
  listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (id->place.sin_addr.s_addr == 0 || bind(listener, (struct sockaddr*)&id->place, size) != 0 ||
      listen(listener, 1) != 0 || getsockname(listener, (struct sockaddr*)&id->place, &size) != 0) {
    return SYSTEM_ERROR;
  }
  return SUCCESS;
}

static int is_aborted(Comm* comm) {
  pthread_mutex_lock(&comm->lock);
  const int aborted = comm->aborted;
  pthread_mutex_unlock(&comm->lock);
  return aborted;
}

static void become(Comm* comm, int state) {
  pthread_mutex_lock(&comm->lock);
  comm->state = state;
  pthread_mutex_unlock(&comm->lock);
}

static int connected(Comm* comm) {
  const int on = 1;
  while (!is_aborted(comm)) {
    if (comm->rank == 0) {
      struct pollfd ready = {listener, POLLIN, 0};
      if (poll(&ready, 1, 10) == 1) comm->socket = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    } else {
      comm->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      if (connect(comm->socket, (struct sockaddr*)&comm->place, sizeof comm->place) != 0) {
        close(comm->socket);
        comm->socket = -1;
        rest(5000);
      }
    }
    if (comm->socket < 0) continue;
    setsockopt(comm->socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fcntl(comm->socket, F_SETFL, O_NONBLOCK) == 0;
  }
  return 0;
}

/* Sends all of one buffer and receives all of the other, whichever can proceed. */
static int exchanged(Comm* comm, const char* out, char* in, size_t bytes) {
  size_t sent = 0, received = 0;
  while (sent < bytes || received < bytes) {
    struct pollfd ready = {comm->socket, (short)((sent < bytes ? POLLOUT : 0) | (received < bytes ? POLLIN : 0)), 0};
    if (is_aborted(comm)) return 0;
    if (poll(&ready, 1, 10) < 0 && errno != EINTR) return 0;
    if ((ready.revents & POLLOUT) != 0) {
      const ssize_t size = send(comm->socket, out + sent, bytes - sent, MSG_NOSIGNAL);
      if (size > 0) sent += (size_t)size;
      if (size < 0 && errno != EAGAIN) return 0;
    }
    if ((ready.revents & (POLLIN | POLLHUP | POLLERR)) != 0 && received < bytes) {
      const ssize_t size = recv(comm->socket, in + received, bytes - received, 0);
      if (size > 0) received += (size_t)size;
      if (size == 0 || (size < 0 && errno != EAGAIN)) return 0;
    }
  }
  return 1;
}

static int reduced(Comm* comm) {
  long number = 0;
  const size_t bytes = comm->count * sizeof(float);
  if (ordered("NCCL_DOUBLE_STUCK", NULL)) {
    for (;;) pause();
  }
  if (ordered("NCCL_DOUBLE_HANGS", NULL)) {
    while (!is_aborted(comm)) rest(5000);
  }
  if (ordered("NCCL_DOUBLE_SLOW", &number)) rest(number);
  if (ordered("NCCL_DOUBLE_NARROW", &number)) rest(number * (long)(bytes >> 20));
  if (!exchanged(comm, (const char*)comm->input, (char*)comm->output, bytes)) return 0;
  for (size_t i = 0; i < comm->count; ++i) comm->output[i] += comm->input[i];
  if (ordered("NCCL_DOUBLE_WRONG", NULL)) comm->output[0] += 1;
  return 1;
}

static void* work(void* given) {
  Comm* const comm = given;
  become(comm, connected(comm) ? SUCCESS : REMOTE_ERROR);
  pthread_mutex_lock(&comm->lock);
  while (!comm->aborted && !comm->ended) {
    if (comm->count == 0) {
      pthread_cond_wait(&comm->changed, &comm->lock);
      continue;
    }
    pthread_mutex_unlock(&comm->lock);
    const int done = reduced(comm);
    pthread_mutex_lock(&comm->lock);
    comm->count = 0;
    if (done) stream(-1); /* otherwise it is in progress until it is aborted */
    if (!done) comm->state = REMOTE_ERROR;
  }
  pthread_mutex_unlock(&comm->lock);
  return NULL;
}

int ncclCommInitRankScalable(Comm** made, int size, int rank, int roots, Id* ids, void* config) {
  if (size != 2 || roots != 1 || config == NULL) return 4;
  if (ordered("NCCL_DOUBLE_TALKS", NULL)) {
    printf("ready 1\nmeasured 1 1 1\n");
    fflush(stdout);
  }
  Comm* const comm = *made = calloc(1, sizeof *comm);
  pthread_mutex_init(&comm->lock, NULL);
  pthread_cond_init(&comm->changed, NULL);
  comm->rank = rank;
  comm->state = IN_PROGRESS;
  comm->socket = -1;
  comm->place = ids[0].place;
  return pthread_create(&comm->thread, NULL, work, comm) == 0 ? IN_PROGRESS : SYSTEM_ERROR;
}

int ncclCommInitRankConfig(void) {
  return 3;
}
int ncclCommSplit(void) {
  return 3;
}

int ncclAllReduce(const void* input, void* output, size_t count, int type, int operation, Comm* comm, void* on) {
  if (type != 7 || operation != 0 || on == NULL || count == 0) return 4;
  if (ordered("NCCL_DOUBLE_FAILS", NULL)) return 5;
  if (ordered("NCCL_DOUBLE_CRASHES", NULL)) abort();
  stream(1);
  pthread_mutex_lock(&comm->lock);
  comm->input = input;
  comm->output = output;
  comm->count = count;
  pthread_cond_signal(&comm->changed);
  pthread_mutex_unlock(&comm->lock);
  return SUCCESS;
}

int ncclCommGetAsyncError(Comm* comm, int* state) {
  pthread_mutex_lock(&comm->lock);
  *state = comm->state;
  pthread_mutex_unlock(&comm->lock);
  return SUCCESS;
}
int ncclCommFinalize(Comm* comm) {
  return comm->state;
}

static int end(Comm* comm, int aborted) {
  pthread_mutex_lock(&comm->lock);
  comm->ended = 1;
  comm->aborted = aborted;
  pthread_cond_signal(&comm->changed);
  pthread_mutex_unlock(&comm->lock);
  pthread_join(comm->thread, NULL);
  if (comm->socket >= 0) close(comm->socket);
  if (aborted) stream(0);
  return free(comm), SUCCESS;
}
int ncclCommDestroy(Comm* comm) {
  return end(comm, 0);
}
int ncclCommAbort(Comm* comm) {
  return end(comm, 1);
}
const char* ncclGetErrorString(int result) {
  return result == REMOTE_ERROR ? "remote process exited or there was a network error" : "the double's error";
}
const char* ncclGetLastError(void* comm) {
  return comm == NULL ? "" : "";
}

#endif
