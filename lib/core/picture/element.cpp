#include "core/picture/element.hpp"

#include "core/picture/palette.hpp"
#include "core/topology/topology.hpp"

#include <cstdint>

#include <fmt/format.h>

namespace muster::picture {
namespace {

void write(const Element& element, std::size_t& number, std::string& xml) {
  xml += fmt::format("<object type=\"{}\" gp_index=\"{}\"", element.type, ++number);
  for (const auto& [name, value] : element.attributes)
    xml += fmt::format(" {}=\"{}\"", name, value);
  if (element.background.empty() && element.children.empty()) {
    xml += "/>\n";
    return;
  }
  xml += ">\n";
  if (!element.background.empty()) {
    xml += fmt::format("<info name=\"lstopoStyle\" value=\"Background={};Text={};Text2={}\"/>\n",
                       element.background, text_color, text_color);
  }
  for (const auto& child : element.children) write(child, number, xml);
  xml += "</object>\n";
}

}  // namespace

std::string plain(std::string_view text) {
  constexpr std::string_view signs = " .,:;=+-_/#()";
  std::string result(text);
  for (char& c : result) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!letter && signs.find(c) == signs.npos) c = '?';
  }
  return result;
}

std::pair<std::string, std::string> words(std::string_view text) {
  return {"subtype", plain(text)};
}

std::string bitmap(const CpuSet& set) {
  std::vector<std::uint32_t> parts;
  for (const auto word : set.words()) {
    parts.push_back(static_cast<std::uint32_t>(word));
    parts.push_back(static_cast<std::uint32_t>(word >> 32));
  }
  while (parts.size() > 1 && parts.back() == 0) parts.pop_back();
  std::string text;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part)
    text += fmt::format("{}0x{:08x}", text.empty() ? "" : ",", *part);
  return text.empty() ? "0x0" : text;
}

std::string hwloc_xml(const Element& machine) {
  std::string xml =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n<topology version=\"2.0\">\n";
  std::size_t number = 0;
  write(machine, number, xml);
  return xml + "</topology>\n";
}

}  // namespace muster::picture
