#include "launcher/agent/rendezvous/words.hpp"

#include "core/error.hpp"

#include <utility>

#include <fmt/format.h>

namespace muster::rendezvous {
namespace {

template <class T>
T word_in(std::string_view text, const std::string& node) {
  auto word = record::read<T>(text);
  if (!word) throw Error(unreadable_text(node));
  return std::move(*word);
}

}  // namespace

std::string to_text(const Welcome& welcome) {
  return record::write(welcome);
}

std::string to_text(const Go& go) {
  return record::write(go);
}

std::string to_text(const RelayReport& report) {
  return record::write(report);
}

Welcome welcome_from(std::string_view text, const std::string& node) {
  return word_in<Welcome>(text, node);
}

Go go_from(std::string_view text, const std::string& node) {
  return word_in<Go>(text, node);
}

RelayReport relay_report_from(std::string_view text, const std::string& node) {
  return word_in<RelayReport>(text, node);
}

std::string unreadable_text(const std::string& node) {
  return fmt::format(
      "a message from the agent of {} cannot be read; is the same muster version installed on every "
      "node?",
      node);
}

}  // namespace muster::rendezvous
