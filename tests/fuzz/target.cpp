#include "target.hpp"

#include "core/error.hpp"
#include "fixtures/allocation_meter.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>

namespace muster::fuzz {

void expect(bool holds, const char* property) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: %s\n", property);
  std::abort();
}

void expect_one_line(std::string_view text) {
  const bool printable = std::all_of(text.begin(), text.end(), [](char letter) {
    return static_cast<unsigned char>(letter) >= 0x20 && letter != 0x7F;
  });
  expect(printable && !text.empty(), "a message is not one printable line");
}

std::string_view take_until(std::string_view& text, char end) {
  const auto part = text.substr(0, text.find(end));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return part;
}

int one_input(const std::uint8_t* data, std::size_t size, const Memory& memory,
              const std::function<void(std::string_view)>& read) {
  const std::vector<char> copy(data, data + size);
  const fixtures::AllocationMeter meter;
  try {
    read({copy.data(), copy.size()});
  } catch (const Error& refusal) {
    expect_one_line(refusal.what());
  } catch (const std::exception& other) {
    std::fprintf(stderr, "fuzz: '%s' is not a refusal\n", other.what());
    std::abort();
  }
  expect(meter.bytes() <= memory.base + memory.per_byte * size, "an input costs too much memory");
  return 0;
}

}  // namespace muster::fuzz

// libFuzzer calls this first. MUSTER_FUZZ_SEEDS=DIRECTORY: write the seeds there, as files.
extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  const char* const directory = std::getenv("MUSTER_FUZZ_SEEDS");
  if (directory == nullptr) return 0;
  std::filesystem::create_directories(directory);
  std::size_t number = 0;
  for (const auto& seed : muster::fuzz::seeds()) {
    std::ofstream file(std::filesystem::path(directory) / ("seed-" + std::to_string(number++)),
                       std::ios::binary);
    file << seed;
    if (!file.flush()) std::exit(1);
  }
  std::exit(0);
}
