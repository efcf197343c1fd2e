// Which libraries this process has mapped already.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace muster::worker::nccl {

// The path of the first loaded object whose file name begins with `prefix`, such as "libnccl.so".
// Finds one that was opened by a path of its own, under whatever name its authors gave it.
std::optional<std::string> loaded_object(std::string_view prefix);

// The path of the object that `address` lies in; empty where it is not known.
std::string object_of(const void* address);

}  // namespace muster::worker::nccl
