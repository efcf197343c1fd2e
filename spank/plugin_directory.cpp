#include "spank/plugin_directory.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <link.h>

namespace muster::spank {
namespace {

// Kinds of plugins that every srun loads. SPANK plugins are not among them, because they may be anywhere.
constexpr std::array<std::string_view, 6> kinds{"/auth_",   "/cli_filter_", "/hash_",
                                                "/select_", "/switch_",     "/tls_"};

int take_directory(dl_phdr_info* object, std::size_t /*size*/, void* directory) {
  const std::string_view path = object->dlpi_name;
  const auto slash = std::min(path.rfind('/'), path.size());
  const auto name = path.substr(slash);
  if (std::ranges::none_of(kinds, [&](auto kind) { return name.starts_with(kind); })) return 0;
  *static_cast<std::string*>(directory) = path.substr(0, slash);
  return 1;
}

}  // namespace

std::string plugin_directory() {
  std::string directory;
  dl_iterate_phdr(take_directory, &directory);
  return directory;
}

}  // namespace muster::spank
