// Which libraries this process has already mapped.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace muster::worker::nccl {

// The path of the first loaded object whose file name begins with `prefix`, such as "libnccl.so".
// Also finds one that was opened by its own path or under a longer name.
std::optional<std::string> loaded_object(std::string_view prefix);

// The path of the object that contains `address`; empty if unknown.
std::string object_of(const void* address);

}  // namespace muster::worker::nccl
