#include "core/option/synonyms.hpp"

#include "core/option/keys.hpp"

#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>

namespace muster::option {
namespace {

struct Synonym {
  std::string_view word;
  std::string_view whose;
  std::string_view ours;
};

// The words of srun --cpu-bind, torchrun --numa-binding, and hwloc's object types.
constexpr std::array binds{
    Synonym{"node", "torchrun", "bind=numa"},
    Synonym{"core-complex", "torchrun", "bind=l3"},
    Synonym{"ldoms", "srun", "bind=numa"},
    Synonym{"sockets", "srun", "bind=socket"},
    Synonym{"cores", "srun", "bind=core"},
    Synonym{"no", "srun", "bind=none"},
    Synonym{"numanode", "hwloc", "bind=numa"},
    Synonym{"package", "hwloc", "bind=socket"},
    Synonym{"l3cache", "hwloc", "bind=l3"},
    Synonym{"off", "mpibind", "bind=none"},
    Synonym{"closest", "srun --gpu-bind", "bind=auto"},
};

constexpr std::array keys_elsewhere{
    Synonym{"nnodes", "torchrun", "srun --nodes=N"},
    Synonym{"nproc-per-node", "torchrun", "srun --ntasks-per-node=N"},
    Synonym{"master-addr", "torchrun", "network=NAME"},
    Synonym{"local-addr", "torchrun", "network=NAME"},
    Synonym{"master-port", "torchrun", "port=N"},
    Synonym{"numa-binding", "torchrun", "bind=numa"},
    Synonym{"log-dir", "torchrun", "srun --output=DIR/%t"},
    Synonym{"redirects", "torchrun", "srun --output=FILE-%t"},
    Synonym{"tee", "torchrun", "srun --label"},
    Synonym{"cpu-bind", "srun", "bind=WORD"},
    Synonym{"mem-bind", "srun", "memory=WORD"},
};

// torchrun's flags for facts that Slurm and muster already know.
constexpr std::array<std::string_view, 6> needless{"node-rank", "rdzv-backend", "rdzv-endpoint",
                                                   "rdzv-id",   "rdzv-conf",    "standalone"};
constexpr std::array<std::string_view, 2> torchruns_restarts{"max-restarts", "monitor-interval"};

std::string remedy(std::span<const Synonym> known, std::string_view word) {
  const auto found = std::ranges::find(known, word, &Synonym::word);
  if (found == known.end()) return {};
  return fmt::format("use {}, which {} calls {}", found->ours, found->whose, found->word);
}

// torchrun accepts both nproc_per_node and nproc-per-node.
std::string with_dashes(std::string_view name) {
  std::string text(name.substr(std::min(name.find_first_not_of('-'), name.size())));
  std::ranges::replace(text, '_', '-');
  return text;
}

}  // namespace

std::string key_synonym(std::string_view name) {
  const auto word = with_dashes(name);
  if (std::ranges::count(needless, word) > 0) {
    return "leave it out: muster finds the nodes and makes the rendezvous";
  }
  if (std::ranges::count(torchruns_restarts, word) > 0) {
    return "leave it out: this release does not restart";
  }
  return remedy(keys_elsewhere, word);
}

std::string value_synonym(Key key, std::string_view word) {
  return key == Key("bind") ? remedy(binds, word) : std::string();
}

}  // namespace muster::option
