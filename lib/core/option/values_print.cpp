// Typed values written back as text.
#include "core/option/values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace muster {

std::string_view to_string(Bind bind) {
  return info(Key::bind).words[static_cast<std::size_t>(bind)].text;
}

std::string_view to_string(Memory memory) {
  return info(Key::memory).words[static_cast<std::size_t>(memory)].text;
}

std::string_view to_string(Gpus gpus) {
  return info(Key::gpus).words[static_cast<std::size_t>(gpus)].text;
}

std::string_view to_string(Ranks ranks) {
  return info(Key::ranks).words[static_cast<std::size_t>(ranks)].text;
}

std::string to_string(const PortRange& ports) {
  if (ports.first == ports.last) return fmt::format("{}", ports.first);
  return fmt::format("{}-{}", ports.first, ports.last);
}

std::string to_string(const NodeRange& nodes) {
  if (!nodes.max) return fmt::format("{}", nodes.min);
  return fmt::format("{}:{}", nodes.min, *nodes.max);
}

std::string to_string(const View& view) {
  switch (view.show) {
    case View::Show::all:
      return "all";
    case View::Show::failed:
      return "failed";
    case View::Show::ranks:
      return fmt::format("{}", fmt::join(view.ranks, "+"));
  }
  return "all";
}

std::string to_string(std::uint32_t number) {
  return fmt::format("{}", number);
}

std::string to_string(std::chrono::seconds time) {
  return fmt::format("{}", time.count());
}

std::string to_string(std::chrono::minutes time) {
  return fmt::format("{}", time.count());
}

std::string to_string(const std::string& text) {
  return text;
}

std::string network_text(const std::vector<std::string>& globs) {
  if (globs.empty()) return std::string(info(Key::network).default_text);
  return fmt::format("{}", fmt::join(globs, "+"));
}

std::string canonical(Key key, const Setting& setting) {
  switch (key) {
    case Key::bind:
      return std::string(to_string(parse_bind(setting)));
    case Key::memory:
      return std::string(to_string(parse_memory(setting)));
    case Key::gpus:
      return std::string(to_string(parse_gpus(setting)));
    case Key::ranks:
      return std::string(to_string(parse_ranks(setting)));
    case Key::network:
      return network_text(parse_network(setting));
    case Key::port:
      return text_or_default(key, parse_port(setting));
    case Key::restarts:
    case Key::spares:
      return to_string(parse_count(key, setting));
    case Key::nodes:
      return text_or_default(key, parse_nodes(setting));
    case Key::logs:
      return text_or_default(key, parse_logs(setting));
    case Key::view:
      return to_string(parse_view(setting));
    case Key::grace:
      return text_or_default(key, parse_grace(setting));
    case Key::hang:
      return text_or_default(key, parse_hang(setting));
    case Key::smt:
    case Key::explain:
    case Key::dry_run:
    case Key::supervise:
    case Key::verbose:
      return switch_text(parse_switch(key, setting));
  }
  return setting.value;
}

}  // namespace muster
