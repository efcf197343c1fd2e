#include "launcher/topology/fill_cache.hpp"

#include "core/error.hpp"
#include "core/site/config.hpp"
#include "core/text/list.hpp"
#include "launcher/site/site.hpp"
#include "launcher/topology/cache/cache.hpp"
#include "launcher/topology/node_topology.hpp"

#include <fmt/format.h>

namespace muster::topology {

std::string fill_topology_cache(const site::Site& site) {
  const auto& choice = site.config().topology.cache;
  if (choice == "off")
    throw Error(
        "the site's file says topology: {cache: off}, so there is no cache to fill; "
        "name a directory there");
  const cache::TopologyCache cache(choice);
  if (!cache.writable())
    throw Error(fmt::format(
        "cannot fill the topology cache {}: {}; run this as the directory's owner",
        cache.path().empty() ? choice : cache.path(),
        cache.notes().empty() ? "it belongs to another user" : text::join(cache.notes(), "; ")));
  std::string sources;
  for (const auto scan : {hwloc::Scan::cpus, hwloc::Scan::devices}) {
    // The second pass finds what the first one has stored, if it could store anything.
    for (int look = 0; look < 2; ++look) {
      const auto node = node_topology({.site = site,
                                       .environment = site.environment(),
                                       .node = {},
                                       .verbose = look == 1,
                                       .scan = scan});
      if (look == 0) continue;
      if (node.source.find(cache.path()) == std::string::npos)
        throw Error(fmt::format(
            "topology cache {} stored nothing: {}", cache.path(),
            node.warnings.empty() ? "this machine has no boot id" : node.warnings.front()));
      sources = node.source;
    }
  }
  return sources;
}

}  // namespace muster::topology
