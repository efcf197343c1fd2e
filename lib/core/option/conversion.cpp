#include "core/option/conversion.hpp"

#include "core/option/key_table.hpp"

namespace muster::option {

Values parse_value(Key key, const Setting& setting) {
  Values values;
  info(key).read(values, info(key), setting);
  return values;
}

Values parse_values(const Settings& settings) {
  Values values;
  for (const KeyInfo& key : keys()) key.read(values, key, settings.at(key.key));
  return values;
}

std::string value_of(const Values& values, Key key) {
  return info(key).write(values);
}

std::string canonical(Key key, const Setting& setting) {
  return value_of(parse_value(key, setting), key);
}

}  // namespace muster::option
