#include "core/doctor/facts.hpp"

#include "core/text/number.hpp"
#include "core/text/quote.hpp"

namespace muster::doctor {

void Facts::set(std::string_view name, std::string_view value) {
  if (all_.size() >= max_facts && !has(name)) return;
  auto text = text::printable_path(value.substr(0, max_fact_bytes));
  all_.insert_or_assign(std::string(name), text.substr(0, max_fact_bytes));
}

void Facts::set_number(std::string_view name, std::uint64_t value) {
  set(name, std::to_string(value));
}

std::string Facts::text(std::string_view name) const {
  const auto found = all_.find(name);
  return found == all_.end() ? std::string() : found->second;
}

std::optional<std::uint64_t> Facts::number(std::string_view name) const {
  return text::number<std::uint64_t>(text(name));
}

}  // namespace muster::doctor
