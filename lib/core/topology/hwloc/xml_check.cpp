// Refuses XML that is too large or too deep, contains entities, or is in the format of another
// hwloc release.
#include "core/topology/hwloc/xml_check.hpp"

#include "core/error.hpp"
#include "core/text/quote.hpp"

#include <string>

#include <fmt/format.h>
#include <hwloc.h>

namespace muster::topology::hwloc {
namespace {

// hwloc reads nested objects by recursion; the deepest real trees have about 30 levels.
constexpr int max_depth = 200;

[[noreturn]] void refuse(std::string_view name, std::string_view why, std::string_view advice) {
  throw Error(fmt::format("topology {} {}; {}", text::in_quotes(name), why, advice));
}

// Newer releases write a version that older ones cannot read; the oldest ones wrote no version.
void check_version(std::string_view xml, std::string_view name) {
  constexpr std::string_view rewrite = "export it again with this machine's lstopo";
  const auto root = xml.find("<topology");
  if (root == xml.npos) refuse(name, "is not hwloc XML", "make one with lstopo FILE.xml");
  const auto tag = xml.substr(root, xml.find('>', root) - root);
  if (tag.find("version=") == tag.npos)
    refuse(name, "is in the format of hwloc 1, which is no longer supported", rewrite);
  constexpr int major = HWLOC_API_VERSION >> 16;
  if (major < 3 && tag.find("version=\"3") != tag.npos)
    refuse(name,
           fmt::format("is in the format of hwloc 3, but muster was built with hwloc {}", major),
           "write it with lstopo --export-xml-flags v2 FILE.xml");
}

void check_entities(std::string_view xml, std::string_view name) {
  for (const std::string_view word : {"<!ENTITY", "<!entity"})
    if (xml.find(word) != xml.npos)
      refuse(name, "declares XML entities, which no topology needs", "do not use this file");
}

void check_depth(std::string_view xml, std::string_view name) {
  int depth = 0;
  for (auto at = xml.find('<'); at != xml.npos; at = xml.find('<', at + 1)) {
    const auto end = xml.find('>', at);
    if (end == xml.npos) refuse(name, "is truncated", "copy or create it again");
    const char kind = xml[at + 1];
    if (kind == '?' || kind == '!') continue;
    if (kind == '/')
      --depth;
    else if (xml[end - 1] != '/')
      ++depth;
    if (depth > max_depth)
      refuse(name, fmt::format("is nested more than {} levels deep", max_depth),
             "do not use this file");
  }
  if (depth != 0) refuse(name, "is truncated", "copy or create it again");
}

}  // namespace

void check_topology_xml(std::string_view xml, std::string_view name) {
  if (xml.size() > max_xml_bytes)
    refuse(name, fmt::format("is larger than {} MiB", max_xml_bytes >> 20), "is it a topology?");
  if (xml.find('\0') != xml.npos) refuse(name, "contains NUL bytes", "is it a topology?");
  check_version(xml, name);
  check_entities(xml, name);
  check_depth(xml, name);
}

}  // namespace muster::topology::hwloc
