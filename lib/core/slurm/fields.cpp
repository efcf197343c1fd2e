#include "core/slurm/fields.hpp"

#include <algorithm>
#include <charconv>

namespace muster::slurm {

std::string_view field(std::string_view text, std::string_view name) {
  std::size_t begin = 0;
  while (begin < text.size()) {
    const auto end = std::min(text.find_first_of(" \n", begin), text.size());
    const auto word = text.substr(begin, end - begin);
    if (word.size() > name.size() && word.starts_with(name) && word[name.size()] == '=') {
      return word.substr(name.size() + 1);
    }
    begin = end + 1;
  }
  return {};
}

std::uint32_t number_in(std::string_view text, std::string_view name) {
  const auto digits = field(text, name);
  std::uint32_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

std::string_view whole_lines(std::string_view text) {
  return text.substr(0, text.rfind('\n') + 1);
}

bool is_no_list(std::string_view list) {
  return list.empty() || list == "(null)";
}

}  // namespace muster::slurm
