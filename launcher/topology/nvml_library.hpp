// NVIDIA's management library, opened at run time. Declares the few functions that muster calls by their
// documented ABI, so that no CUDA header is needed. For use in a child process that may hang in it.
#pragma once

#include "core/error.hpp"

#include <string>

#include <dlfcn.h>

namespace muster::topology {

class NvmlLibrary {
 public:
  // Throws Error if the library is not installed or does not start.
  explicit NvmlLibrary(const std::string& name)
      : handle_(dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) throw Error("NVML is not installed");
    if (!call("nvmlInit_v2")) throw Error("NVML cannot start");
  }

  // False if the call fails, or if this version has no such function.
  template <typename... Arguments>
  bool call(const char* name, Arguments... arguments) const {
    constexpr int success = 0;
    auto* const function = reinterpret_cast<int (*)(Arguments...)>(dlsym(handle_, name));
    return function != nullptr && function(arguments...) == success;
  }

 private:
  void* handle_;  // open until the process ends, which is soon
};

}  // namespace muster::topology
