// Stands for NVIDIA's management library in the tests: two GPUs, of which the first is divided. As
// named by NVML_DOUBLE in the environment, it also hangs, crashes, or sees only one GPU.
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <unistd.h>

namespace {

constexpr int success = 0;
constexpr int failure = 999;

std::string_view mode() {
  const char* value = std::getenv("NVML_DOUBLE");
  return value == nullptr ? "" : value;
}

int gpus[2];
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
}
