// What a binding is called elsewhere: torchrun, srun and hwloc have words of their own for it.
#pragma once

#include "core/option/keys.hpp"

#include <string>
#include <string_view>

namespace muster {

// "use bind=numa, which torchrun calls node"; empty for a word that nobody uses.
std::string translation(Key key, std::string_view word);

}  // namespace muster
