// Topologies that an earlier step since this boot has read, so that this one need not read them again.
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
  // `choice`: as in the site's file. A problem with the cache is noted, and is never an error.
  explicit TopologyCache(const std::string& choice,
                         const std::vector<std::string>& bases = cache_bases);

  // No value if there is no entry for this key, or only a damaged one.
  std::optional<Topology> load(const CacheKey& key);

  // Does nothing if this process may not write to the directory.
  void save(const CacheKey& key, const Topology& topology);

  // Likewise for any other text that is worth keeping until the next boot.
  std::optional<std::string> load_text(const CacheKey& key);
  void save_text(const CacheKey& key, std::string_view content);

  [[nodiscard]] bool writable() const { return directory_ && directory_->writable(); }
  [[nodiscard]] std::string path() const { return directory_ ? directory_->path() : ""; }
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  template <class Read>
  auto read(const CacheKey& key, const Read& take)
      -> std::optional<decltype(take(std::string_view()))>;
  void write(const CacheKey& key, const std::string& text);

  std::vector<std::string> notes_;
  std::optional<CacheDirectory> directory_;
};

// The file's content for a topology, and back; separate from file access, for the tests.
std::string to_cache_text(const CacheKey& key, const Topology& topology);

// Throws Error for anything but what to_cache_text wrote for this very key.
Topology from_cache_text(const CacheKey& key, std::string_view text);

}  // namespace muster::topology::cache
