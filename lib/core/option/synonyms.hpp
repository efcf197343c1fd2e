// Other tools' names for keys and values: torchrun, srun and hwloc use words of their own.
#pragma once

#include "core/option/key.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace muster::option {

// "use srun --nodes=N; torchrun calls this nnodes", or why the word is not needed; empty for an
// unknown word.
std::string key_synonym(std::string_view name);

// The words of other launchers that key_synonym knows, for suggestions.
std::vector<std::string_view> key_synonyms();

// The profile that users mean by `name`: torch for ddp; empty for an unknown word.
std::string_view profile_synonym(std::string_view name);

// "use bind=numa; torchrun calls this node"; empty for an unknown word.
std::string value_synonym(Key key, std::string_view word);

}  // namespace muster::option
