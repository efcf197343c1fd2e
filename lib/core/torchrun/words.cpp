#include "core/torchrun/words.hpp"

#include "core/error.hpp"
#include "core/text/quote.hpp"

#include <cctype>

#include <fmt/format.h>

namespace muster::torchrun {
namespace {

bool truth_of(const std::string& name, const std::string& value) {
  if (value == "1") return true;
  if (value == "0" || value.empty()) return false;
  throw Error(fmt::format("{}={}: use 0 or 1", name, text::in_quotes(value)));
}

}  // namespace

std::string variable_of(const Flag& flag) {
  std::string name = "PET_";
  for (const unsigned char letter : flag.name) {
    name += letter == '-' ? '_' : static_cast<char>(std::toupper(letter));
  }
  return name;
}

Words with_variables(Words words, const Environment& environment) {
  for (const auto& flag : flags) {
    const auto name = variable_of(flag);
    const auto* const found = environment.if_set(name);
    if (found == nullptr) continue;
    if (flag.value != nullptr) {
      auto& value = words.*flag.value;
      if (!value) value = *found;
    } else {
      auto& is_set = words.*flag.is_set;
      is_set = is_set || truth_of(name, *found);
    }
  }
  return words;
}

}  // namespace muster::torchrun
