#include "core/option/synonyms.hpp"

#include "core/option/keys.hpp"
#include "core/srun/options.hpp"

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

// The words of srun --cpu-bind and torchrun --numa-binding, and hwloc's object types.
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

// The words of other launchers' command lines.
constexpr std::array keys_elsewhere{
    Synonym{"nnodes", "torchrun", "srun --nodes=N, or nodes=MIN:MAX for an elastic size"},
    Synonym{"max-restarts", "torchrun", "restarts=N"},
    Synonym{"nproc-per-node", "torchrun", "srun --ntasks-per-node=N"},
    Synonym{"master-addr", "torchrun", "network=NAME"},
    Synonym{"local-addr", "torchrun", "network=NAME"},
    Synonym{"master-port", "torchrun", "port=N"},
    Synonym{"numa-binding", "torchrun", "bind=numa"},
    Synonym{"virtual-local-rank", "torchrun", "gpus=own"},
    Synonym{"log-dir", "torchrun", "logs=DIR"},
    Synonym{"redirects", "torchrun", "logs=DIR"},
    Synonym{"tee", "torchrun", "logs=DIR and view=RANK+RANK, or srun --label"},
    Synonym{"local-ranks-filter", "torchrun", "logs=DIR and view=RANK+RANK, or srun --output=RANK"},
    Synonym{"log-line-prefix-template", "torchrun", "logs=DIR and prefix=rank"},
    Synonym{"shutdown-timeout", "torchrun", "grace=TIME"},
    Synonym{"module", "torchrun", "srun python -m MODULE"},
    Synonym{"no-python", "torchrun", "srun PROGRAM"},
    Synonym{"run-path", "torchrun", "srun python FILE"},
    Synonym{"num-processes", "accelerate", "srun --ntasks=N"},
    Synonym{"num-machines", "accelerate", "srun --nodes=N"},
    Synonym{"main-process-ip", "accelerate", "network=NAME"},
    Synonym{"main-process-port", "accelerate", "port=N"},
    Synonym{"num-nodes", "deepspeed", "srun --nodes=N"},
    Synonym{"num-gpus", "deepspeed", "srun --gpus-per-node=N"},
    Synonym{"cpu-bind", "srun", "bind=WORD"},
    Synonym{"mem-bind", "srun", "memory=WORD"},
};

struct Needless {
  std::string_view word;
  std::string_view why;
};

constexpr std::string_view knows_nodes = "muster finds the nodes and sets up the rendezvous";
constexpr std::string_view sees_at_once = "muster notices a failure at once, without an interval";
constexpr std::string_view starts_nothing = "srun starts the ranks";
constexpr std::string_view passes_signals =
    "muster passes all these signals to the ranks; grace=TIME sets how long they have to exit";

// Flags of torchrun and accelerate that have no counterpart here.
constexpr std::array needless{
    Needless{"node-rank", knows_nodes},
    Needless{"machine-rank", knows_nodes},
    Needless{"rdzv-backend", knows_nodes},
    Needless{"rdzv-endpoint", knows_nodes},
    Needless{"rdzv-id", knows_nodes},
    Needless{"rdzv-conf", knows_nodes},
    Needless{"standalone", knows_nodes},
    Needless{"monitor-interval", sees_at_once},
    Needless{"start-method", starts_nothing},
    Needless{"use-env", "the rank is in the environment"},
    Needless{"role", "every rank has the role 'default'"},
    Needless{"event-log-handler", "Slurm's accounting records the events (sacct)"},
    Needless{"logs-specs", "srun --output sets where the logs go"},
    Needless{"duplicate-stdout-filters", "srun --output receives all lines"},
    Needless{"duplicate-stderr-filters", "srun --error receives all lines"},
    Needless{"signals-to-handle", passes_signals},
};

struct ProfileName {
  std::string_view word;
  std::string_view profile;
};

constexpr std::array profiles_elsewhere{ProfileName{"ddp", "torch"},
                                        ProfileName{"fsdp", "torch"},
                                        ProfileName{"pytorch", "torch"},
                                        ProfileName{"tf", "tensorflow"},
                                        ProfileName{"keras", "tensorflow"},
                                        ProfileName{"hf", "accelerate"},
                                        ProfileName{"huggingface", "accelerate"},
                                        ProfileName{"transformers", "accelerate"},
                                        ProfileName{"pl", "lightning"},
                                        ProfileName{"ds", "deepspeed"},
                                        ProfileName{"flax", "jax"}};

std::string remedy(std::span<const Synonym> known, std::string_view word) {
  const auto found = std::ranges::find(known, word, &Synonym::word);
  if (found == known.end()) return {};
  return fmt::format("use {}; {} calls this {}", found->ours, found->whose, found->word);
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
  const auto found = std::ranges::find(needless, word, &Needless::word);
  if (found != needless.end()) return fmt::format("leave it out: {}", found->why);
  auto known = remedy(keys_elsewhere, word);
  if (!known.empty() || srun::find_option(word) == nullptr) return known;
  return fmt::format("this is an srun option: use srun --{}", word);
}

std::vector<std::string_view> key_synonyms() {
  std::vector<std::string_view> words;
  for (const auto& synonym : keys_elsewhere) words.push_back(synonym.word);
  for (const auto& flag : needless) words.push_back(flag.word);
  return words;
}

std::string_view profile_synonym(std::string_view name) {
  const auto found = std::ranges::find(profiles_elsewhere, name, &ProfileName::word);
  return found == profiles_elsewhere.end() ? std::string_view() : found->profile;
}

std::string value_synonym(Key key, std::string_view word) {
  const bool is_number = !word.empty() && word.find_first_not_of("0123456789") == word.npos;
  if (key == Key("gpus") && is_number) {
    return fmt::format(
        "gpus= sets which GPUs a rank sees; to request GPUs, use srun --gpus-per-node={}", word);
  }
  return key == Key("bind") ? remedy(binds, word) : std::string();
}

}  // namespace muster::option
