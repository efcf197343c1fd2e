#include "worker/nccl/host_hash.hpp"

#include <array>
#include <cstdio>
#include <memory>

#include <unistd.h>

namespace muster::worker::nccl {
namespace {

// FNV-1a.
std::uint64_t number_of(std::string_view text) {
  std::uint64_t number = 0xcbf29ce484222325;
  for (const char c : text) {
    number = (number ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return number;
}

std::string first_word(const char* path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file{std::fopen(path, "re"), std::fclose};
  std::array<char, 64> word{};
  if (file == nullptr || std::fscanf(file.get(), "%63s", word.data()) != 1) return {};
  return word.data();
}

}  // namespace

std::uint64_t host_hash(const Environment& environment, std::string_view host_name,
                        std::string_view boot_id) {
  const auto chosen = environment.get("NCCL_HOSTID");
  if (!chosen.empty()) return number_of(chosen);
  return number_of(std::string{host_name} + std::string{boot_id});
}

std::uint64_t host_hash(const Environment& environment) {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return host_hash(environment, name.data(), first_word("/proc/sys/kernel/random/boot_id"));
}

}  // namespace muster::worker::nccl
