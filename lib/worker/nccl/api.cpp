#include "worker/nccl/api.hpp"

#include "worker/error.hpp"
#include "worker/nccl/loaded_library.hpp"

#include <optional>

#include <dlfcn.h>

namespace muster::worker::nccl {
namespace {

constexpr const char* soname = "libnccl.so.2";
constexpr const char* remedy =
    "install NCCL 2.18 or newer (with pip: nvidia-nccl-cu12), load its module, or set "
    "MUSTER_NCCL_LIBRARY to the path of a libnccl.so.2";

std::string why_not() {
  const char* const reason = ::dlerror();  // NOLINT(concurrency-mt-unsafe): a thread has its own
  return reason == nullptr ? "the loader gives no reason" : reason;
}

// The library that this process already has. A program may also have linked NCCL into itself or, as in
// PyTorch's own builds, into a library with another name: then its functions are globally visible.
std::optional<void*> already_here() {
  if (void* const by_name = ::dlopen(soname, RTLD_NOW | RTLD_NOLOAD)) return by_name;
  if (const auto path = loaded_object("libnccl.so")) {
    if (void* const by_path = ::dlopen(path->c_str(), RTLD_NOW | RTLD_NOLOAD)) return by_path;
  }
  if (::dlsym(RTLD_DEFAULT, "ncclGetUniqueId") != nullptr) return RTLD_DEFAULT;
  return std::nullopt;
}

struct Opened {
  void* handle = nullptr;
  std::string path;
};

Opened opened(const Environment& environment) {
  if (const auto here = already_here()) return {*here, "this process's NCCL"};
  const std::string named{environment.get("MUSTER_NCCL_LIBRARY")};
  const std::string path = named.empty() ? soname : named;
  if (void* const handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return {handle, path};
  throw Error{MUSTER_ERR_LIBRARY,
              (named.empty() ? "NCCL: " : "NCCL (MUSTER_NCCL_LIBRARY=" + named + "): ") +
                  why_not() + "; " + remedy};
}

template <class Function>
void find(Function& function, const Opened& library, const char* name) {
  function = reinterpret_cast<Function>(::dlsym(library.handle, name));
}

template <class Function>
void require(Function& function, const Opened& library, const char* name) {
  find(function, library, name);
  if (function != nullptr) return;
  throw Error{MUSTER_ERR_LIBRARY, "NCCL: " + library.path + " has no " + name +
                                      ", so it is either not NCCL or too old; " + remedy};
}

int version_of(const NcclApi& api) {
  int version = 0;
  if (api.get_version(&version) != nccl_success) version = 0;
  if (version >= nccl_oldest) return version;
  throw Error{MUSTER_ERR_LIBRARY, "NCCL: " + api.path + " is version " + version_text(version) +
                                      ", too old; " + remedy};
}

}  // namespace

NcclApi open_nccl(const Environment& environment) {
  auto library = opened(environment);
  NcclApi api;
  require(api.get_version, library, "ncclGetVersion");
  library.path = api.path = object_of(reinterpret_cast<const void*>(api.get_version));
  api.version = version_of(api);
  require(api.get_unique_id, library, "ncclGetUniqueId");
  require(api.init_rank_config, library, "ncclCommInitRankConfig");
  find(api.init_rank_scalable, library, "ncclCommInitRankScalable");
  require(api.split, library, "ncclCommSplit");
  require(api.get_async_error, library, "ncclCommGetAsyncError");
  require(api.finalize, library, "ncclCommFinalize");
  require(api.destroy, library, "ncclCommDestroy");
  require(api.abort, library, "ncclCommAbort");
  require(api.get_error_string, library, "ncclGetErrorString");
  require(api.get_last_error, library, "ncclGetLastError");
  return api;
}

std::string version_text(int version) {
  // Up to 2.8, NCCL used numbers such as 2804; since then, numbers such as 20900.
  const int step = version < 10000 ? 1000 : 10000;
  return std::to_string(version / step) + "." + std::to_string(version % step / 100) + "." +
         std::to_string(version % 100);
}

}  // namespace muster::worker::nccl
