#include "worker/pmix/api.hpp"

#include "worker/error.hpp"

#include <array>
#include <cctype>
#include <cstring>
#include <optional>
#include <string_view>

#include <dlfcn.h>
#include <link.h>

namespace muster::worker::pmix {
namespace {

constexpr int oldest_major = 4;
constexpr const char* default_name = "libpmix.so.2";
constexpr const char* what_to_do =
    "set MUSTER_PMIX_LIBRARY to the libpmix.so.2 that Slurm's plugin was built with";

[[noreturn]] void fail(const std::string& line) {
  throw Error{MUSTER_ERR_LIBRARY, line};
}

std::string last_dl_error() {
  const char* text = ::dlerror();
  return text == nullptr ? "unknown error" : text;
}

// Finds libpmix under any name and in any folder if it is already loaded in this process: libpmix.so.2.6.2,
// or libpmix-1a2b3c.so.2 from a Python wheel.
std::string loaded_libpmix() {
  std::string path;
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* found) {
        const std::string_view name = info->dlpi_name == nullptr ? "" : info->dlpi_name;
        const auto file = name.substr(name.rfind('/') + 1);
        if (!file.starts_with("libpmix") || file.find(".so") == std::string_view::npos) return 0;
        *static_cast<std::string*>(found) = name;
        return 1;
      },
      &path);
  return path;
}

struct Opened {
  void* library = nullptr;
  std::string name;
};

std::optional<Opened> already_here(const std::string& name) {
  void* const library = name.empty() ? nullptr : ::dlopen(name.c_str(), RTLD_NOW | RTLD_NOLOAD);
  return library == nullptr ? std::nullopt : std::optional{Opened{library, name}};
}

Opened open_named(const std::string& path) {
  if (const auto here = already_here(default_name)) return *here;
  if (void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return {library, path};
  fail("MUSTER_PMIX_LIBRARY=" + path + " cannot be loaded: " + last_dl_error() +
       "; correct it, or unset it to use the system's libpmix.so.2");
}

// Does not load a second library if one with this name is already in the process.
Opened open_system() {
  std::string first;
  for (const char* name : {default_name, "libpmix.so"}) {
    if (void* library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL)) return {library, name};
    const auto error = last_dl_error();
    if (first.empty()) first = error;
  }
  fail("the PMIx library cannot be loaded: " + first + "; install it (libpmix2), or " + what_to_do);
}

Opened open_library(const Environment& environment) {
  if (const auto here = already_here(loaded_libpmix())) return *here;
  const auto named = environment.get("MUSTER_PMIX_LIBRARY");
  return named.empty() ? open_system() : open_named(std::string{named});
}

// The file that the loader found. Does not use dladdr(), which reads the library's whole symbol table.
std::string path_of(const Opened& opened) {
  link_map* found = nullptr;
  const bool known = ::dlinfo(opened.library, RTLD_DI_LINKMAP, &found) == 0 && found != nullptr;
  return known && *found->l_name != '\0' ? found->l_name : opened.name;
}

template <class Function>
void find(const Opened& opened, const char* name, Function& function) {
  void* symbol = ::dlsym(opened.library, name);
  if (symbol == nullptr) {
    fail(opened.name + " has no " + name + ": it is not libpmix, or it is older than PMIx " +
         std::to_string(oldest_major) + "; " + what_to_do);
  }
  std::memcpy(&function, &symbol, sizeof(function));
}

// From "OpenPMIx 4.2.2 (PMIx Standard: ...)": the first number is that of the release.
int major_of(std::string_view text) {
  int major = 0;
  std::size_t at = 0;
  while (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) == 0) ++at;
  for (; at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0; ++at) {
    major = major * 10 + (text[at] - '0');
    if (major > 1000) break;
  }
  return major;
}

}  // namespace

PmixApi load_api(const Environment& environment) {
  const auto opened = open_library(environment);
  PmixApi api;
  find(opened, "PMIx_Init", api.init);
  find(opened, "PMIx_Finalize", api.finalize);
  find(opened, "PMIx_Abort", api.abort);
  find(opened, "PMIx_Put", api.put);
  find(opened, "PMIx_Commit", api.commit);
  find(opened, "PMIx_Fence_nb", api.fence_nb);
  find(opened, "PMIx_Get_nb", api.get_nb);
  find(opened, "PMIx_Resolve_peers", api.resolve_peers);
  find(opened, "PMIx_Error_string", api.error_string);
  find(opened, "PMIx_Get_version", api.version);
  api.path = path_of(opened);
  if (major_of(api.version()) < oldest_major) {
    fail(api.path + " is " + std::string{api.version()}.substr(0, 100) + ": muster needs PMIx " +
         std::to_string(oldest_major) + " or newer; " + what_to_do);
  }
  return api;
}

const PmixApi& open_api(const Environment& environment) {
  static const PmixApi api = load_api(environment);  // called again if it throws
  return api;
}

}  // namespace muster::worker::pmix
