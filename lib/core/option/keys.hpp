// The table of option keys: the one place that knows which keys `--distributed` has, what
// they mean, and since which release. Parser, help and manual page all read it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace muster {

enum class Key : std::uint8_t {
  bind,
  memory,
  smt,
  gpus,
  ranks,
  network,
  port,
  restarts,
  nodes,
  spares,
  logs,
  view,
  grace,
  hang,
  explain,
  dry_run,
  supervise,
  verbose,
};

// The `since` of a key or word whose feature is not built yet: using it is an error.
inline constexpr std::string_view not_yet{};

// One word of a key that takes a closed set of words.
struct Word {
  std::string_view text;
  std::string_view since;  // release, or not_yet
};

struct KeyInfo {
  Key key;
  std::string_view name;
  std::string_view form;          // as help shows it after '='; empty for an on/off switch
  std::string_view default_text;  // a value that the key accepts, also where it is not_yet
  std::string_view meaning;
  std::string_view since;       // release, or not_yet
  std::span<const Word> words;  // the closed set; empty where the value is free text
  bool is_switch;               // KEY alone means KEY=on
};

// In the order in which help shows them, which is the order of Key.
std::span<const KeyInfo> keys();
const KeyInfo& info(Key key);
std::string_view to_string(Key key);

// nullptr where there is no such key.
const KeyInfo* find_key(std::string_view name);

// Error names `where` and the nearest key.
const KeyInfo& key_named(std::string_view name, std::string_view where);

// The default is always available: it is what this release does.
bool is_available(const KeyInfo& key, std::string_view value);

// The words of a key that this release has.
std::vector<std::string_view> available_words(const KeyInfo& key);

}  // namespace muster
