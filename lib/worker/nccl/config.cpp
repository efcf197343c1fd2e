#include "worker/nccl/config.hpp"

#include "worker/error.hpp"
#include "worker/nccl/api.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <set>
#include <string>

namespace muster::worker::nccl {
namespace {

constexpr std::size_t smallest = offsetof(NcclConfig, cga_cluster_size);  // 2.14
constexpr std::size_t largest = sizeof(NcclConfig);
constexpr std::size_t max_name = 4096;

// The NCCL version that added the fields from `begin` up to that of the next line.
struct Since {
  std::size_t begin;
  std::uint32_t version;
};
constexpr std::array growth{
    Since{offsetof(NcclConfig, cga_cluster_size), nccl_version(17)},
    Since{offsetof(NcclConfig, split_share), nccl_version(18)},
    Since{offsetof(NcclConfig, traffic_class), nccl_version(26)},
    Since{offsetof(NcclConfig, comm_name), nccl_version(27)},
    Since{offsetof(NcclConfig, channels_per_net_peer), nccl_version(28)},
    Since{offsetof(NcclConfig, graph_usage_mode), nccl_version(29)},
    Since{offsetof(NcclConfig, max_p2p_peers), nccl_version(30)},
    Since{offsetof(NcclConfig, graph_stream_ordering), nccl_version(30, 5)},
    Since{offsetof(NcclConfig, launch_order_implicit), nccl_version(31)},
    Since{offsetof(NcclConfig, nvls_host_mode), nccl_version(32)},
};

std::uint32_t since(std::size_t offset) {
  std::uint32_t version = 0;
  for (const auto& step : growth) {
    if (step.begin <= offset) version = step.version;
  }
  return version;
}

// The size of the fields in a program built with this version; the rest of its structure is padding.
std::size_t meant(std::uint32_t version) {
  for (const auto& step : growth) {
    if (version < step.version) return step.begin;
  }
  return largest;
}

// The version that added a field: 22700 as "2.27", 23005 as "2.30.5".
std::string release(std::uint32_t version) {
  auto text = version_text(static_cast<int>(version));
  if (version % 100 == 0) text.resize(text.size() - 2);
  return text;
}

[[noreturn]] void refuse(const std::string& why) {
  throw Error{MUSTER_ERR_ARGUMENT, "muster_nccl_options." + why};
}

void adopt_given(NcclConfig& config, const void* given) {
  const auto* const bytes = static_cast<const std::byte*>(given);
  std::size_t size = 0;
  std::uint32_t magic = 0;
  std::uint32_t version = 0;
  std::memcpy(&size, bytes, sizeof size);
  if (size < smallest || size > largest) {
    refuse("config has size " + std::to_string(size) + ": begin with NCCL_CONFIG_INITIALIZER");
  }
  std::memcpy(&magic, bytes + offsetof(NcclConfig, magic), sizeof magic);
  if (magic != config.magic)
    refuse("config is not an ncclConfig_t: begin with NCCL_CONFIG_INITIALIZER");
  std::memcpy(&version, bytes + offsetof(NcclConfig, version), sizeof version);
  constexpr auto head = offsetof(NcclConfig, blocking);
  const auto end = std::min(size, meant(version));
  std::memcpy(reinterpret_cast<std::byte*>(&config) + head, bytes + head, end - head);
  config.size = std::max(config.size, end);
  config.version = std::max(config.version, version);
}

// NCCL copies some names, but keeps the pointers to others until the communicator ends, which may happen
// through ncclCommDestroy() and without us. Programs use few names, so each one is stored once.
const char* kept(const char* name, const char* field) {
  if (name == nullptr) return nullptr;
  const std::string text{name, ::strnlen(name, max_name + 1)};
  if (text.size() > max_name) refuse(std::string{field} + " is not terminated within 4096 bytes");
  static std::mutex mutex;
  static std::set<std::string> names;
  const std::lock_guard lock{mutex};
  return names.insert(text).first->c_str();
}

struct Named {
  const NcclConfig& config;
  int loaded;

  void check(std::size_t offset, const char* name) const {
    const auto from = since(offset);
    if (static_cast<std::uint32_t>(loaded) >= from) return;
    refuse(std::string{name} + " was added in NCCL " + release(from) + ", and this process has " +
           version_text(loaded) + ": leave it unset, or use a newer NCCL");
  }
  void set(int& field, int value, const char* name) const {
    if (value == nccl_unset) return;
    check(offset_of(&field), name);
    field = value;
  }
  void set(const char*& field, const char* value, const char* name) const {
    if (value == nullptr) return;
    check(offset_of(&field), name);
    field = value;
  }
  std::size_t offset_of(const void* field) const {
    return static_cast<std::size_t>(static_cast<const std::byte*>(field) -
                                    reinterpret_cast<const std::byte*>(&config));
  }
};

}  // namespace

bool asks_for_config(const muster_nccl_options& options) {
  if (options.config != nullptr || options.net_name != nullptr || options.comm_name != nullptr) {
    return true;
  }
  const std::array numbers{options.cga_cluster_size, options.min_ctas,      options.max_ctas,
                           options.split_share,      options.traffic_class, options.collnet_enable,
                           options.cta_policy,       options.nvls_ctas};
  return std::ranges::any_of(numbers, [](int value) { return value != nccl_unset; });
}

NcclConfig make_config(const muster_nccl_options& options, int version) {
  NcclConfig config;
  if (options.config != nullptr) adopt_given(config, options.config);
  const Named named{config, version};
  named.set(config.cga_cluster_size, options.cga_cluster_size, "cga_cluster_size");
  named.set(config.min_ctas, options.min_ctas, "min_ctas");
  named.set(config.max_ctas, options.max_ctas, "max_ctas");
  named.set(config.split_share, options.split_share, "split_share");
  named.set(config.traffic_class, options.traffic_class, "traffic_class");
  named.set(config.collnet_enable, options.collnet_enable, "collnet_enable");
  named.set(config.cta_policy, options.cta_policy, "cta_policy");
  named.set(config.nvls_ctas, options.nvls_ctas, "nvls_ctas");
  named.set(config.net_name, options.net_name, "net_name");
  named.set(config.comm_name, options.comm_name, "comm_name");
  config.net_name = kept(config.net_name, "net_name");
  config.comm_name = kept(config.comm_name, "comm_name");
  config.blocking = 0;
  return config;
}

}  // namespace muster::worker::nccl
