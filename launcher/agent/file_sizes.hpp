// The sizes of the files that the ranks write, for a caller that must not block: the calling thread also
// sends this node's heartbeat, so a file system that hangs would make the node look lost.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace muster::agent {

struct FileSize {
  std::int64_t bytes = 0;
  std::chrono::nanoseconds written{0};  // since 1970, by the file system's clock

  friend bool operator==(const FileSize&, const FileSize&) = default;
};

// For a regular file, or a link to one; nullopt for anything else. May block.
std::optional<FileSize> size_of_file(const std::string& file);

class FileSizes {
 public:
  using Look = std::function<std::optional<FileSize>(const std::string&)>;
  using ByFile = std::map<std::string, FileSize>;

  explicit FileSizes(Look look = size_of_file) : look_(std::move(look)) {}

  // Returns the sizes of those files that exist. If the check does not finish within `time`, returns the
  // sizes that the last finished check found. Later calls do not wait for the unfinished one.
  const ByFile& of(const std::vector<std::string>& files, std::chrono::milliseconds time);

 private:
  Look look_;
  ByFile known_;
  std::future<ByFile> under_way_;
};

}  // namespace muster::agent
