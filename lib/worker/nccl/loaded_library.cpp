#include "worker/nccl/loaded_library.hpp"

#include <dlfcn.h>
#include <link.h>

namespace muster::worker::nccl {
namespace {

struct Search {
  std::string_view prefix;
  std::string path;
};

int compare(dl_phdr_info* object, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  const std::string_view path = object->dlpi_name == nullptr ? "" : object->dlpi_name;
  const auto slash = path.rfind('/');
  const auto file = slash == std::string_view::npos ? path : path.substr(slash + 1);
  if (!file.starts_with(search.prefix)) return 0;
  search.path = path;
  return 1;
}

}  // namespace

std::optional<std::string> loaded_object(std::string_view prefix) {
  Search search{.prefix = prefix, .path = {}};
  if (::dl_iterate_phdr(compare, &search) == 0) return std::nullopt;
  return search.path;
}

std::string object_of(const void* address) {
  Dl_info info{};
  if (::dladdr(address, &info) == 0 || info.dli_fname == nullptr) return {};
  return info.dli_fname;
}

}  // namespace muster::worker::nccl
