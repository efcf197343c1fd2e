// What a node's GPUs show while one of its ranks is slow. Pure.
#pragma once

#include "core/record/limits.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::slow {

inline constexpr std::uint32_t max_megahertz = 100'000;
inline constexpr std::uint32_t max_celsius = 1000;
inline constexpr std::size_t max_gpus = 64;

// One GPU in a few seconds. Shares are in thousandths of that time.
struct GpuLook {
  std::string busid = {};       // its PCI address, as the driver writes it
  std::uint32_t idle = 0;       // nothing ran on it
  std::uint32_t hot = 0;        // its clock was lowered because of its temperature
  std::uint32_t braked = 0;     // because of the power supply
  std::uint32_t capped = 0;     // because of its own power limit
  std::uint32_t megahertz = 0;  // its clock, on average
  std::uint32_t celsius = 0;
  std::uint32_t strangers = 0;  // processes on it that no rank of the step has started

  friend bool operator==(const GpuLook&, const GpuLook&) = default;
};

// The GPUs of the ranks in question beside all others of the node.
struct GpuEvidence {
  std::uint32_t hot = 0;  // of the worst of them; the others likewise
  std::uint32_t celsius = 0;
  std::uint32_t braked = 0;
  std::uint32_t capped = 0;
  std::uint32_t megahertz = 0;        // of the slowest of them that is at work; 0: none is
  std::uint32_t other_megahertz = 0;  // the median of the others that are at work; 0: none is
  std::uint32_t strangers = 0;        // as in GpuLook

  friend bool operator==(const GpuEvidence&, const GpuEvidence&) = default;
};
template <class Io>
void fields(Io& io, GpuEvidence& gpu) {
  io(gpu.hot)(gpu.celsius, record::Range{0U, max_celsius})(gpu.braked)(gpu.capped);
  for (auto* const clock : {&gpu.megahertz, &gpu.other_megahertz})
    io(*clock, record::Range{0U, max_megahertz});
  io(gpu.strangers);
}

// One line for each GPU, and back; lines that are none are left out.
std::string to_text(const std::vector<GpuLook>& gpus);
std::vector<GpuLook> gpus_in(std::string_view text);

// `suspects`: the PCI addresses of the GPUs of the ranks in question. No value if none of these GPUs has been
// seen.
std::optional<GpuEvidence> gpu_evidence(const std::vector<GpuLook>& gpus,
                                        const std::vector<std::string>& suspects);

}  // namespace muster::slow
