// Topologies that an earlier step of this boot has read, so that this one need not.
#pragma once

#include "core/topology/topology.hpp"
#include "launcher/topology/cache/directory.hpp"
#include "launcher/topology/cache/key.hpp"

#include <optional>
#include <string>
#include <vector>

namespace muster::topology::cache {

class TopologyCache {
 public:
  // `choice` as in the site's file. What is wrong with the cache is a note; it is never an error.
  explicit TopologyCache(const std::string& choice,
                         const std::vector<std::string>& bases = cache_bases);

  // None where there is none for this key, or one that is damaged.
  std::optional<Topology> load(const CacheKey& key);

  // Does nothing where the directory is not ours to fill.
  void save(const CacheKey& key, const Topology& topology);

  [[nodiscard]] bool writable() const { return directory_ && directory_->writable(); }
  [[nodiscard]] std::string path() const { return directory_ ? directory_->path() : ""; }
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  std::vector<std::string> notes_;
  std::optional<CacheDirectory> directory_;
};

// The file's content for a topology, and back; apart from the files for the tests' sake.
std::string to_cache_text(const CacheKey& key, const Topology& topology);

// Throws Error for anything else than what to_cache_text wrote for this very key.
Topology from_cache_text(const CacheKey& key, std::string_view text);

}  // namespace muster::topology::cache
