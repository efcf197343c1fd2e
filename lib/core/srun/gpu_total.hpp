// --gpus, which counts the GPUs of a whole job or step, for another number of nodes. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::srun {

// Scales "16" or "a100:8,h100:8" from `from` nodes to `to` nodes. No value if it does not divide evenly, or
// if the text has another form.
std::optional<std::string> gpus_for(std::string_view gpus, std::uint64_t from, std::uint64_t to);

}  // namespace muster::srun
