#include "core/doctor/elf_machine.hpp"

#include <array>

namespace muster::doctor {
namespace {

struct Machine {
  unsigned number;
  const char* name;
};

constexpr std::array machines{Machine{62, "x86_64"}, Machine{183, "aarch64"},
                              Machine{21, "ppc64le"}, Machine{243, "riscv64"}};

// The architectures above all have the low byte first.
constexpr std::string_view magic(
    "\x7f"
    "ELF\x02\x01",
    6);

}  // namespace

std::string elf_machine(std::string_view beginning) {
  if (beginning.size() < elf_machine_bytes || !beginning.starts_with(magic)) return {};
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(beginning[at]); };
  const unsigned number = byte(18) | static_cast<unsigned>(byte(19)) << 8;
  for (const auto& machine : machines)
    if (machine.number == number) return machine.name;
  return {};
}

}  // namespace muster::doctor
