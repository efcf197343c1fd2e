// The architecture that a program or library was built for. Slurm, like the C library, reports a plugin of
// another architecture as a file that does not exist.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace muster::doctor {

inline constexpr std::size_t elf_machine_bytes = 20;  // of the file that are read

// As `uname -m` names it: x86_64, aarch64, ppc64le. Empty if the file does not begin as an ELF file for one
// of these.
std::string elf_machine(std::string_view beginning);

}  // namespace muster::doctor
