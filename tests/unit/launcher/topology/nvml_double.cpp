// Replaces NVIDIA's management library in the tests: two GPUs, the first of which is divided. NVML_DOUBLE in
// the environment can also make it hang, crash, see only one GPU, or have memory in use: by a process
// ("used"), by no process ("held", or "held old" with the older function), or by no process in the first
// three queries ("freed"). With "linked", NVLink connects its GPUs. NVML_DOUBLE_NODE: only on that node;
// other nodes are healthy.
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <unistd.h>

namespace {

constexpr int success = 0;
constexpr int failure = 999;

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string_view mode() {
  const auto node = variable("NVML_DOUBLE_NODE");
  return node.empty() || node == variable("SLURMD_NODENAME") ? variable("NVML_DOUBLE") : "";
}

int gpus[2];
int times_asked = 0;
constexpr unsigned long long gib = 1ULL << 30;

unsigned long long memory_in_use() {
  const bool none = mode().empty() || (mode() == "freed" && ++times_asked > 3);
  return none ? 0 : 40 * gib;
}

struct Memory {
  unsigned version;
  unsigned long long total, reserved, free, used;
};

struct OldMemory {
  unsigned long long total, free, used;
};

struct Process {
  unsigned pid;
  unsigned long long memory;
  unsigned gpu_instance, compute_instance;
};
int instances[2];

struct PciInfo {
  char old_bus_id[16];
  unsigned domain, bus, device, device_id, subsystem_id;
  char bus_id[32];
};

}  // namespace

extern "C" {

int nvmlInit_v2() {
  if (mode() == "hang") sleep(1000);
  if (mode() == "crash") std::abort();
  return mode() == "refuse" ? failure : success;
}

int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = mode() == "cgroup" ? 1 : 2;
  return success;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  *device = &gpus[index];
  return success;
}

int nvmlDeviceGetPciInfo_v3(void* device, PciInfo* pci) {
  pci->domain = device == &gpus[0] ? 1 : 2;
  pci->bus = 2;
  return success;
}

// Reads (0) are refused because of the chipset; with "linked", these and NVLink (2) work.
int nvmlDeviceGetP2PStatus(void* one, void* other, int what, int* status) {
  if (one == other || (what != 0 && what != 2)) return failure;
  *status = mode() == "linked" ? 0 : 1;
  return success;
}

int nvmlDeviceGetMaxMigDeviceCount(void* device, unsigned* count) {
  *count = device == &gpus[0] ? 7 : 0;
  return success;
}

int nvmlDeviceGetMigDeviceHandleByIndex(void*, unsigned index, void** instance) {
  if (index >= 2) return failure;
  *instance = &instances[index];
  return success;
}

int nvmlDeviceGetUUID(void* device, char* uuid, unsigned length) {
  std::strncpy(uuid, device == &instances[0] ? "MIG-a" : "MIG-b", length);
  return success;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void* device, unsigned long long* reasons) {
  const bool hot = mode() == "hot" && device == &gpus[0] && ++times_asked % 2 == 0;
  *reasons = hot ? 0x20 | 0x4 : device == &gpus[1] ? 0x1 : 0;
  return success;
}

int nvmlDeviceGetClockInfo(void* device, int kind, unsigned* megahertz) {
  if (kind != 1) return failure;
  *megahertz = device == &gpus[0] ? 1200 : 345;
  return success;
}

int nvmlDeviceGetTemperature(void*, int sensor, unsigned* celsius) {
  if (sensor != 0) return failure;
  *celsius = 87;
  return success;
}

// "used": by the process whose ID is in NVML_DOUBLE_PROCESS, and by process 1.
int nvmlDeviceGetComputeRunningProcesses_v3(void*, unsigned* count, Process* processes) {
  const unsigned space = *count;
  *count = mode() == "used" ? 2 : 0;
  if (space < *count) return failure;
  if (*count == 0) return success;
  const char* const own = std::getenv("NVML_DOUBLE_PROCESS");
  processes[0] = {own == nullptr ? 2U : static_cast<unsigned>(std::atoi(own)), gib, 0, 0};
  processes[1] = {1, gib, 0, 0};
  return success;
}

int nvmlDeviceGetMemoryInfo_v2(void*, Memory* memory) {
  if (mode() == "held old" || memory->version != (sizeof(Memory) | (2U << 24U))) return failure;
  memory->total = 80 * gib;
  memory->used = memory_in_use();
  return success;
}

int nvmlDeviceGetMemoryInfo(void*, OldMemory* memory) {
  memory->total = 80 * gib;
  memory->used = memory_in_use();
  return success;
}
}
