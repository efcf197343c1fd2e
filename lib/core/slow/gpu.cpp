#include "core/slow/gpu.hpp"

#include "core/contains.hpp"
#include "core/text/list.hpp"
#include "core/text/number.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace muster::slow {
namespace {

constexpr std::uint32_t at_work =
    500;  // thousandths: a GPU that is idle for longer tells nothing of its clock
constexpr std::uint32_t thousandths = 1000;

bool works(const GpuLook& gpu) {
  return gpu.idle <= at_work && gpu.megahertz > 0;
}

std::uint32_t median(std::vector<std::uint32_t> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

std::optional<GpuLook> gpu_in(std::string_view line) {
  const auto words = text::split(line, ' ');
  std::array<std::uint32_t, 7> numbers{};
  if (words.size() != numbers.size() + 1) return std::nullopt;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto number = text::number<std::uint32_t>(words[i + 1]);
    if (!number) return std::nullopt;
    numbers[i] = *number;
  }
  const auto share = [](std::uint32_t value) { return std::min(value, thousandths); };
  return GpuLook{.busid = std::string(words[0]),
                 .idle = share(numbers[0]),
                 .hot = share(numbers[1]),
                 .braked = share(numbers[2]),
                 .capped = share(numbers[3]),
                 .megahertz = std::min(numbers[4], max_megahertz),
                 .celsius = std::min(numbers[5], max_celsius),
                 .strangers = numbers[6]};
}

}  // namespace

std::string to_text(const std::vector<GpuLook>& gpus) {
  std::string text;
  for (const auto& gpu : gpus)
    text += fmt::format("{} {} {} {} {} {} {} {}\n", gpu.busid, gpu.idle, gpu.hot, gpu.braked,
                        gpu.capped, gpu.megahertz, gpu.celsius, gpu.strangers);
  return text;
}

std::vector<GpuLook> gpus_in(std::string_view text) {
  std::vector<GpuLook> gpus;
  for (const auto line : text::split(text, '\n')) {
    const auto gpu = gpu_in(line);
    if (gpu && gpus.size() < max_gpus) gpus.push_back(*gpu);
  }
  return gpus;
}

std::optional<GpuEvidence> gpu_evidence(const std::vector<GpuLook>& gpus,
                                        const std::vector<std::string>& suspects) {
  GpuEvidence found;
  bool seen = false;
  std::vector<std::uint32_t> others;
  for (const auto& gpu : gpus) {
    if (!contains(suspects, gpu.busid)) {
      if (works(gpu)) others.push_back(gpu.megahertz);
      continue;
    }
    seen = true;
    if (gpu.hot >= found.hot) {
      found.hot = gpu.hot;
      found.celsius = gpu.celsius;
    }
    found.braked = std::max(found.braked, gpu.braked);
    found.strangers = std::max(found.strangers, gpu.strangers);
    if (!works(gpu) || (found.megahertz > 0 && gpu.megahertz >= found.megahertz)) continue;
    found.megahertz = gpu.megahertz;
    found.capped = gpu.capped;
  }
  found.other_megahertz = median(std::move(others));
  return seen ? std::optional(found) : std::nullopt;
}

}  // namespace muster::slow
