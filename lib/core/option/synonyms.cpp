#include "core/option/synonyms.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace muster {
namespace {

struct ForeignWord {
  std::string_view word;
  std::string_view whose;
  std::string_view ours;
};

// torchrun --numa-binding, srun --cpu-bind, and hwloc's types of objects.
constexpr std::array bind_words{
    ForeignWord{"node", "torchrun", "numa"},
    ForeignWord{"core-complex", "torchrun", "l3"},
    ForeignWord{"ldoms", "srun", "numa"},
    ForeignWord{"sockets", "srun", "socket"},
    ForeignWord{"cores", "srun", "core"},
    ForeignWord{"no", "srun", "none"},
    ForeignWord{"numanode", "hwloc", "numa"},
    ForeignWord{"package", "hwloc", "socket"},
    ForeignWord{"l3cache", "hwloc", "l3"},
    ForeignWord{"off", "mpibind", "none"},
    ForeignWord{"closest", "srun --gpu-bind", "auto"},
};

}  // namespace

std::string translation(Key key, std::string_view word) {
  if (key != Key::bind) return {};
  const auto* const found = std::ranges::find(bind_words, word, &ForeignWord::word);
  if (found == bind_words.end()) return {};
  return fmt::format("use bind={}, which {} calls {}", found->ours, found->whose, found->word);
}

}  // namespace muster
