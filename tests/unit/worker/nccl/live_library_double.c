/* Doubles of libnccl and of CUDA's driver as shared objects, not the real libraries: communicators of one
 * rank, on one GPU that only has a name. libmuster finds them after a test has loaded them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Comm {
  int state;
} Comm;

/* Requests and counters for the test. */
int double_alive;
int double_aborted;
int double_state_of_init; /* the state that a communicator reaches: 0 ready, 7 in progress forever */
int double_last_colour;
int double_last_roots;
int double_had_config;
int double_current_gpu = -1;

int ncclGetVersion(int* version) {
  return *version = 22809, 0;
}

int ncclGetUniqueId(void* id) {
  return memset(id, 0x5a, 128), 0;
}

static Comm* made(int state) {
  Comm* comm = calloc(1, sizeof *comm);
  ++double_alive;
  comm->state = state;
  return comm;
}

int ncclCommInitRankScalable(Comm** comm, int size, int rank, int roots, void* ids, void* config) {
  double_last_roots = roots;
  if (size != 1 || rank != 0 || ids == NULL || config == NULL) return 4;
  *comm = made(double_state_of_init);
  return 7;
}

int ncclCommInitRankConfig(void) {
  return 3;
}

int ncclCommSplit(Comm* parent, int colour, int key, Comm** child, void* config) {
  (void)key;
  double_last_colour = colour;
  double_had_config = config != NULL;
  *child = colour < 0 ? NULL : made(0);
  return parent->state;
}

int ncclCommGetAsyncError(Comm* comm, int* state) {
  return *state = comm->state, 0;
}
int ncclCommFinalize(Comm* comm) {
  return comm->state;
}

static int end(Comm* comm) {
  --double_alive;
  free(comm);
  return 0;
}
int ncclCommDestroy(Comm* comm) {
  return end(comm);
}
int ncclCommAbort(Comm* comm) {
  return ++double_aborted, end(comm);
}
const char* ncclGetErrorString(int result) {
  return result == 0 ? "no error" : "the double's error";
}
const char* ncclGetLastError(void* comm) {
  return comm == NULL ? "" : "";
}

int cuInit(unsigned flags) {
  return (int)(flags != 0);
}
int cuDriverGetVersion(int* version) {
  return *version = 12080, 0;
}
int cuDeviceGetCount(int* count) {
  return *count = 1, 0;
}
int cuDeviceGet(int* device, int index) {
  return *device = index, 0;
}
int cuDeviceGetPCIBusId(char* text, int size, int device) {
  snprintf(text, (size_t)size, "0000:%02x:00.0", 0x41 + device);
  return 0;
}
int cuDeviceGetUuid_v2(void* uuid, int device) {
  return memset(uuid, device + 1, 16), 0;
}
int cuCtxGetCurrent(void** context) {
  *context = double_current_gpu < 0 ? NULL : (void*)&double_current_gpu;
  return 0;
}
int cuCtxSetCurrent(void* context) {
  return double_current_gpu = context == NULL ? -1 : 0, 0;
}
int cuCtxGetDevice(int* device) {
  return *device = double_current_gpu, 0;
}
int cuDevicePrimaryCtxRetain(void** context, int device) {
  *context = &double_current_gpu;
  return device;
}
int cuDevicePrimaryCtxRelease_v2(int device) {
  return device;
}
int cuGetErrorString(int error, const char** text) {
  *text = error == 0 ? "no error" : "the double's error";
  return 0;
}
