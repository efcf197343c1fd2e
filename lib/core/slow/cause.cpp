#include "core/slow/cause.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace muster::slow {
namespace {

// In thousandths. Below these, a healthy node may show the same.
constexpr std::uint32_t throttled = 30;
constexpr std::uint32_t much_throttled = 100;
constexpr std::uint32_t queueing = 150;
constexpr std::uint32_t memory_stall = 50;
constexpr std::uint32_t faults = 100;  // a second
constexpr std::uint32_t idle =
    500;  // a main thread that computes less than this waits for something
constexpr double thousandths_of_percent = 10;
constexpr std::uint32_t worker_works = 200;
constexpr std::uint32_t gpu_hot = 30;
constexpr std::uint32_t gpu_braked = 30;
constexpr std::uint32_t gpu_capped = 500;
constexpr std::uint32_t gpu_slower = 93;  // percent of the others' clock
constexpr std::uint64_t repeated = 5;     // of a thousand segments
constexpr std::uint64_t least_repeated = 20;

std::string percent(std::uint64_t thousandths) {
  return fmt::format("{:.0f} %", static_cast<double>(thousandths) / 10);
}

bool repeats(const Evidence& evidence) {
  return evidence.repeated >= least_repeated &&
         evidence.repeated * 1000 >= repeated * evidence.segments;
}

// What holds its GPU back for certain.
std::string brake_of(const GpuEvidence& gpu) {
  if (gpu.hot >= gpu_hot)
    return fmt::format("its GPU is too hot ({} °C): its clock is lowered {} of the time",
                       gpu.celsius, percent(gpu.hot));
  if (gpu.braked >= gpu_braked)
    return fmt::format("its GPU's clock is lowered {} of the time by the power supply",
                       percent(gpu.braked));
  return {};
}

// A main thread that only waits while the others wait for it computes for at most the rest of the time.
bool computes(const Evidence& evidence, double time_percent) {
  return *evidence.computing >=
         std::min<double>(idle, thousandths_of_percent * (100 - time_percent));
}

// Waiting for a CPU that explains less than half of what the rank costs is not why it is slow: whoever
// computes for longer on a busy node waits for longer as well.
bool waits_for_cpu(const Evidence& evidence, double time_percent) {
  return evidence.queueing.value_or(0) >=
         std::max<double>(queueing, thousandths_of_percent * time_percent / 2);
}

// What may hold it back.
std::string difference_of(const GpuEvidence& gpu) {
  if (gpu.strangers > 0)
    return fmt::format(
        "its GPU is shared with {}",
        gpu.strangers == 1 ? "another process" : fmt::format("{} other processes", gpu.strangers));
  if (gpu.megahertz > 0 && 100 * gpu.megahertz < gpu_slower * gpu.other_megahertz)
    return fmt::format("its GPU runs at {} MHz{}, while the node's other busy GPUs run at {} MHz",
                       gpu.megahertz, gpu.capped >= gpu_capped ? " because of its power limit" : "",
                       gpu.other_megahertz);
  return {};
}

}  // namespace

// From the surest sign to the least sure one. A rank whose CPUs are taken away waits for data as well.
std::string cause_of(const Evidence& evidence, double time_percent) {
  if (evidence.throttled.value_or(0) >= throttled)
    return fmt::format("its CPUs are throttled {} of the time by its control group",
                       percent(*evidence.throttled));
  if (evidence.gpu) {
    if (auto brake = brake_of(*evidence.gpu); !brake.empty()) return brake;
  }
  if (evidence.faults.value_or(0) >= faults)
    return fmt::format("it is short of memory: {} pages a second come from disk", *evidence.faults);
  if (evidence.memory_stall.value_or(0) >= memory_stall)
    return fmt::format("its node is short of memory: tasks spend {} of the time waiting for memory",
                       percent(*evidence.memory_stall));
  if (waits_for_cpu(evidence, time_percent))
    return fmt::format("its CPUs are shared: it spends {} of the time waiting for a CPU",
                       percent(*evidence.queueing));
  if (evidence.gpu) {
    if (auto difference = difference_of(*evidence.gpu); !difference.empty()) return difference;
  }
  if (repeats(evidence))
    return fmt::format(
        "its node retransmits {:.1f} % of its TCP segments",
        100 * static_cast<double>(evidence.repeated) / static_cast<double>(evidence.segments));
  if (!evidence.computing) return {};
  // A thread that waits for its GPU computes as well.
  if (computes(evidence, time_percent))
    return evidence.gpu ? "it computes for longer than its peers, on its CPU or its GPU"
                        : "it computes for longer than its peers";
  const bool one = evidence.workers == 1;
  const auto workers = one ? std::string("its one child process")
                           : fmt::format("its {} child processes", evidence.workers);
  if (evidence.workers > 0 && evidence.workers_computing >= worker_works)
    return fmt::format("it waits for data: {} {} on {:.1f} cores", workers,
                       one ? "computes" : "compute",
                       static_cast<double>(evidence.workers_computing) / 1000);
  if (evidence.workers > 0)
    return fmt::format("it waits, and {} {} as well: probably for storage or data", workers,
                       one ? "waits" : "wait");
  return "it waits without computing: probably for storage, data, the network or another program";
}

bool fits_slow_link(Evidence evidence) {
  evidence.computing.reset();
  evidence.repeated = 0;
  return cause_of(evidence).empty();
}

bool slows_connections(const Evidence& evidence) {
  return evidence.throttled.value_or(0) >= much_throttled ||
         evidence.faults.value_or(0) >= faults || evidence.memory_stall.value_or(0) >= memory_stall;
}

}  // namespace muster::slow
