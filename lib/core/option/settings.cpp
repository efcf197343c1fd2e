#include "core/option/settings.hpp"

#include "core/option/key_table.hpp"

namespace muster::option {

Settings default_settings() {
  Settings settings;
  for (const KeyInfo& key : keys()) {
    settings.values.emplace(key.key, Setting{key.default_text, Origin::default_, "default"});
  }
  return settings;
}

}  // namespace muster::option
