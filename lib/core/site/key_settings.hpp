// `KEY: VALUE` entries for the keys of --distributed, in `defaults:` and `policy:`.
#pragma once

#include "core/option/key.hpp"
#include "core/option/setting.hpp"

#include <map>

namespace muster::file {
class Yaml;
}

namespace muster::site {

// Every value is checked. The Error names file, line and column.
std::map<option::Key, option::Setting> parse_key_settings(const file::Yaml& mapping, Origin origin);

}  // namespace muster::site
