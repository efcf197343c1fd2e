#include "core/hang/compilers.hpp"

#include "core/contains.hpp"

#include <array>

namespace muster::hang {
namespace {

using namespace std::string_view_literals;

// The compilers that torch's Inductor and extensions, Triton, XLA and vendors' tools start.
constexpr std::array compilers{
    "as"sv,       "cc1"sv,       "cc1plus"sv, "cicc"sv, "clang"sv, "clang++"sv,     "collect2"sv,
    "cudafe++"sv, "fatbinary"sv, "gcc"sv,     "g++"sv,  "hipcc"sv, "icpx"sv,        "ld"sv,
    "ld.lld"sv,   "ld.gold"sv,   "lld"sv,     "llc"sv,  "lto1"sv,  "lto1-ltrans"sv, "nvcc"sv,
    "nvlink"sv,   "opt"sv,       "ptxas"sv,   "rustc"sv};

}  // namespace

// "clang-18", "g++-13" are compilers as well.
bool is_compiler(std::string_view program) {
  const auto dash = program.rfind('-');
  const bool versioned = dash != std::string_view::npos && dash + 1 < program.size() &&
                         program.find_first_not_of("0123456789.", dash + 1) == program.npos;
  return contains(compilers, versioned ? program.substr(0, dash) : program);
}

}  // namespace muster::hang
