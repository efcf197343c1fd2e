#include "core/option/keys.hpp"

#include "core/error.hpp"
#include "core/text/quote.hpp"
#include "core/text/suggestion.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace muster {
namespace {

constexpr std::string_view v0_1 = "0.1";

constexpr std::array bind_words{
    Word{"auto", v0_1}, Word{"none", v0_1},   Word{"core", v0_1},      Word{"l3", v0_1},
    Word{"numa", v0_1}, Word{"socket", v0_1}, Word{"exclusive", v0_1},
};
constexpr std::array memory_words{Word{"local", v0_1}, Word{"strict", v0_1}, Word{"none", v0_1}};
constexpr std::array gpus_words{Word{"shared", v0_1}, Word{"own", v0_1}};
constexpr std::array ranks_words{Word{"slurm", v0_1}, Word{"contiguous", v0_1}};
constexpr std::array switch_words{Word{"on", v0_1}, Word{"off", v0_1}};

constexpr KeyInfo words(Key key, std::string_view name, std::string_view form,
                        std::span<const Word> words, std::string_view meaning,
                        std::string_view since) {
  return {key, name, form, words.front().text, meaning, since, words, false};
}

constexpr KeyInfo value(Key key, std::string_view name, std::string_view form,
                        std::string_view default_text, std::string_view meaning,
                        std::string_view since) {
  return {key, name, form, default_text, meaning, since, {}, false};
}

constexpr KeyInfo on_off(Key key, std::string_view name, std::string_view default_text,
                         std::string_view meaning, std::string_view since) {
  return {key, name, "", default_text, meaning, since, switch_words, true};
}

// To release a feature, set its `since` here; nothing else knows.
constexpr std::array table{
    words(Key::bind, "bind", "auto|none|core|l3|numa|socket|exclusive", bind_words,
          "CPU and memory binding policy", v0_1),
    words(Key::memory, "memory", "local|strict|none", memory_words,
          "memory near a task's CPUs is preferred, or the only one, or Slurm's choice stays", v0_1),
    on_off(Key::smt, "smt", "on", "off: one hardware thread of each core", v0_1),
    words(Key::gpus, "gpus", "shared|own", gpus_words,
          "every rank sees all GPUs of the step, its near one at index LOCAL_RANK; or only its own",
          v0_1),
    words(Key::ranks, "ranks", "slurm|contiguous", ranks_words,
          "RANK is SLURM_PROCID, or renumbered so that a node's ranks are consecutive", v0_1),
    value(Key::network, "network", "NAME[+NAME]", "auto",
          "interface (glob) for MASTER_ADDR, Gloo and NCCL sockets", v0_1),
    value(Key::port, "port", "N|A-B", "auto", "rendezvous port", v0_1),
    value(Key::restarts, "restarts", "N", "0", "start again after a failure, at most N times",
          not_yet),
    value(Key::nodes, "nodes", "MIN[:MAX]", "all", "elastic size", not_yet),
    value(Key::spares, "spares", "N", "0", "nodes kept in reserve", not_yet),
    value(Key::logs, "logs", "DIR", "off", "one file per rank and attempt", not_yet),
    value(Key::view, "view", "RANK[+RANK]|all|failed", "all",
          "ranks whose output the live view shows", not_yet),
    value(Key::grace, "grace", "SECONDS", "auto",
          "time between SIGTERM and SIGKILL; auto is Slurm's KillWait", not_yet),
    value(Key::hang, "hang", "MINUTES", "off", "dump stacks when nothing moves for this long",
          not_yet),
    on_off(Key::explain, "explain", "off", "print the plan and the origin of each value", v0_1),
    on_off(Key::dry_run, "dry-run", "off", "print the plan and stop there", v0_1),
    on_off(Key::supervise, "supervise", "on", "off: plain srun, no report, no restart", v0_1),
    on_off(Key::verbose, "verbose", "off", "say what is done, and when a task is bound again",
           v0_1),
};

constexpr bool in_order() {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (static_cast<std::size_t>(table[i].key) != i) return false;
  }
  return true;
}
static_assert(in_order(), "info() indexes the table by Key");

std::vector<std::string_view> names() {
  std::vector<std::string_view> all;
  all.reserve(table.size());
  for (const KeyInfo& key : table) all.push_back(key.name);
  return all;
}

}  // namespace

std::span<const KeyInfo> keys() {
  return table;
}

const KeyInfo& info(Key key) {
  return table.at(static_cast<std::size_t>(key));
}

std::string_view to_string(Key key) {
  return info(key).name;
}

const KeyInfo* find_key(std::string_view name) {
  const auto* found = std::ranges::find(table, name, &KeyInfo::name);
  return found == table.end() ? nullptr : found;
}

const KeyInfo& key_named(std::string_view name, std::string_view where) {
  if (const KeyInfo* key = find_key(name)) return *key;
  throw Error(fmt::format("{}: unknown key {}: no option has this name; {}", where, in_quotes(name),
                          suggestion(name, names())));
}

bool is_available(const KeyInfo& key, std::string_view value) {
  if (value == key.default_text) return true;
  if (key.since == not_yet) return false;
  const auto found = std::ranges::find(key.words, value, &Word::text);
  return found == key.words.end() || found->since != not_yet;
}

std::vector<std::string_view> available_words(const KeyInfo& key) {
  std::vector<std::string_view> available;
  for (const Word& word : key.words) {
    if (is_available(key, word.text)) available.push_back(word.text);
  }
  return available;
}

}  // namespace muster
