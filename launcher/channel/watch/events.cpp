#include "launcher/channel/watch/events.hpp"

#include "core/error.hpp"
#include "core/record/record.hpp"

#include <utility>

namespace muster::watch {
namespace {

template <class Event>
Event event_in(std::string_view text) {
  auto event = record::read<Event>(text);
  if (!event)
    throw Error(
        "a message of the watch cannot be read; is the same muster version installed on every node?");
  return std::move(*event);
}

}  // namespace

std::string to_text(const FromAgent& event) {
  return record::write(event);
}

std::string to_text(const FromSupervisor& event) {
  return record::write(event);
}

FromAgent event_from_agent(std::string_view text) {
  return event_in<FromAgent>(text);
}

FromSupervisor event_from_supervisor(std::string_view text) {
  return event_in<FromSupervisor>(text);
}

}  // namespace muster::watch
