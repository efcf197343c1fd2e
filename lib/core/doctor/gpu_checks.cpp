// GPUs, their driver, and the libraries that must match it. A list of GPUs gives their indexes.
#include "core/doctor/check.hpp"

#include <fmt/format.h>

namespace muster::doctor {
namespace {

bool has_gpus(const Facts& facts) {
  return facts.has("gpu.driver");
}

// `fact` lists the GPUs that have some property; it exists once NVML has answered.
Verdict listed(const Facts& facts, std::string_view fact, std::string_view what, Outcome outcome) {
  if (!facts.has(fact)) return std::nullopt;
  const auto gpus = facts.text(fact);
  if (gpus.empty()) return ok(fmt::format("no GPU with {}", what));
  return Finding{outcome, fmt::format("GPU {}: {}", gpus, what)};
}

Verdict nvml(const Facts& facts) {
  if (!has_gpus(facts) || !facts.has("nvml")) return std::nullopt;
  const auto answer = facts.text("nvml");
  const auto evidence = fmt::format("NVML: {}; driver {}", answer, facts.text("gpu.driver"));
  if (answer == "not installed") return warning(evidence);
  return error_if(answer != "ok", evidence);
}

Verdict libcuda(const Facts& facts) {
  if (!has_gpus(facts) || !facts.has("libcuda")) return std::nullopt;
  return warning_if(facts.text("libcuda") == "no",
                    "libcuda.so.1 can be loaded: " + facts.text("libcuda"));
}

Verdict cuda_compat(const Facts& facts) {
  if (!has_gpus(facts) || !facts.has("library_path")) return std::nullopt;
  const auto compat = facts.text("cuda.compat");
  return warning_if(!compat.empty(), compat.empty()
                                         ? "LD_LIBRARY_PATH has no compat/libcuda.so.1"
                                         : "LD_LIBRARY_PATH: " + compat + "/libcuda.so.1");
}

Verdict fabric(const Facts& facts) {
  return listed(facts, "gpu.fabric_bad", "NVLink fabric not started or failed", Outcome::error);
}

Verdict compute_mode(const Facts& facts) {
  return listed(facts, "gpu.exclusive", "compute mode other than DEFAULT", Outcome::warning);
}

Verdict persistence(const Facts& facts) {
  return listed(facts, "gpu.not_persistent", "persistence mode off", Outcome::warning);
}

Verdict remap_failed(const Facts& facts) {
  return listed(facts, "gpu.remap_failed", "failed row remap", Outcome::error);
}

Verdict remap_pending(const Facts& facts) {
  return listed(facts, "gpu.remap_pending", "pending row remap", Outcome::warning);
}

Verdict memory_errors(const Facts& facts) {
  return listed(facts, "gpu.ecc", "uncorrected memory errors since the driver was loaded",
                Outcome::warning);
}

Verdict clocks(const Facts& facts) {
  return listed(facts, "gpu.slowed", "clocks throttled by heat or power", Outcome::warning);
}

Verdict partitioned(const Facts& facts) {
  return listed(facts, "gpu.mig", "MIG enabled", Outcome::warning);
}

Verdict width(const Facts& facts) {
  if (!facts.has("gpu.narrow")) return std::nullopt;
  const auto narrow = facts.text("gpu.narrow");
  return warning_if(!narrow.empty(), narrow.empty() ? "every GPU has all its PCIe lanes" : narrow);
}

// NVML reports which pairs of GPUs the driver lets access each other. It does not report whether PCIe
// switches redirect their traffic: that is in a part of the configuration space that only root can read, and
// it does not matter for GPUs connected by NVLink.
Verdict peer_access(const Facts& facts) {
  if (facts.count("gpu.count") < 2) return std::nullopt;
  const auto refused = facts.text("gpu.peer_refused");
  if (!refused.empty()) return warning("no direct access between GPUs " + refused);
  if (facts.text("gpu.peer_links") == "NVLink") return ok("NVLink connects all pairs of GPUs");
  const auto types = facts.text("iommu.types");
  if (types.find("DMA") != std::string::npos)
    return warning("the IOMMU translates DMA addresses: " + types);
  return cannot_see("whether PCIe switches redirect traffic between GPUs (ACS)");
}

Verdict peer_memory(const Facts& facts) {
  if (!has_gpus(facts) || facts.count("ib.active") == 0 || !facts.has("gpu.peer_memory"))
    return std::nullopt;
  return warning_if(facts.text("gpu.peer_memory") == "no",
                    "nvidia-peermem or the open kernel module: " + facts.text("gpu.peer_memory"));
}

Verdict numa_balancing(const Facts& facts) {
  if (!facts.has("gpu.amd") || !facts.has("sysctl.numa_balancing")) return std::nullopt;
  return warning_if(facts.count("sysctl.numa_balancing") != 0,
                    "kernel.numa_balancing=" + facts.text("sysctl.numa_balancing"));
}

std::vector<Check> driver_checks() {
  return {
      {{"gpu-driver",
        "the library does not match the driver, a device is gone, or the driver hangs",
        "reboot the node after a driver update, or restart the container",
        "nvidia-smi; dmesg | grep -i xid"},
       Place::node,
       nvml},
      {{"gpu-libcuda", "programs see no GPU: the container has no compute library",
        "set NVIDIA_DRIVER_CAPABILITIES=compute,utility for enroot"},
       Place::node,
       libcuda},
      {{"cuda-compat", "the image's libcuda hides the driver's: error 803 or 804",
        "remove the compat directory from LD_LIBRARY_PATH"},
       Place::node,
       cuda_compat},
      {{"gpu-fabric", "CUDA error 802, even with one GPU",
        "start the Fabric Manager that matches the driver's version",
        "systemctl status nvidia-fabricmanager"},
       Place::node,
       fabric},
      {{"gpu-compute-mode", "a second process on a GPU is refused: \"devices are busy\"",
        "nvidia-smi -c DEFAULT"},
       Place::node,
       compute_mode},
      {{"gpu-persistence", "the first CUDA call takes seconds", "start nvidia-persistenced"},
       Place::node,
       persistence},
  };
}

}  // namespace

std::vector<Check> gpu_checks() {
  auto checks = driver_checks();
  const std::vector<Check> others{
      {{"gpu-remap-failed", "this GPU's memory is faulty", "replace the GPU"},
       Place::node,
       remap_failed},
      {{"gpu-remap-pending", "memory errors continue until the GPU is reset", "reset the GPU"},
       Place::node,
       remap_pending},
      {{"gpu-memory", "runs on this GPU fail with Xid 48, 63, 64, 94 or 95",
        "watch or reset the GPU"},
       Place::node,
       memory_errors},
      {{"gpu-clocks", "one slow rank slows down all others", "check cooling and power"},
       Place::node,
       clocks},
      {{"gpu-mig", "NCCL does not work between MIG instances", "nvidia-smi -mig 0"},
       Place::node,
       partitioned},
      {{"gpu-pcie", "copies to and from this GPU get only part of the bandwidth", "reseat the GPU"},
       Place::node,
       width},
      {{"gpu-peer-access", "traffic between GPUs goes through the CPU, or hangs",
        "boot with iommu=pt, and switch ACS off on PCIe switches (in a VM: on, with ATS)",
        "lspci -vvv | grep ACSCtl"},
       Place::node,
       peer_access},
      {{"gpu-peer-memory", "NICs copy through host memory: a tenth of the bandwidth",
        "modprobe nvidia-peermem, or use the open kernel module with DMA-BUF"},
       Place::node,
       peer_memory},
      {{"numa-balancing", "AMD GPUs slow down", "kernel.numa_balancing=0"},
       Place::node,
       numa_balancing},
  };
  checks.insert(checks.end(), others.begin(), others.end());
  return checks;
}

}  // namespace muster::doctor
