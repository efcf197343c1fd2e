#include "core/preflight/link.hpp"

#include "core/record/record.hpp"
#include "core/text/quote.hpp"

namespace muster::preflight {
namespace {

constexpr std::size_t max_failure = shortened_bytes.size - 3;

}  // namespace

Link tested(Link link, const TestReport& from, const TestReport& to) {
  if (from.measure && to.failure.empty()) {
    link.measure = from.measure;
  } else {
    link.why = from.failure.empty() ? to.failure : from.failure;
  }
  return link;
}

std::string shortened(std::string_view why) {
  auto line = text::printable_path(why);
  if (line.size() <= max_failure) return line;
  auto end = max_failure;
  while (end > 0 && !text::starts_character(line[end])) --end;
  return line.substr(0, end) + "...";
}

std::string to_text(const TestReport& report) {
  return record::write(report);
}

std::optional<TestReport> test_report(std::string_view text) {
  return record::read<TestReport>(text);
}

}  // namespace muster::preflight
