// How much is in the files that the ranks write, for whoever must not wait: the thread that asks also
// says that this node lives, and a file system that stands still would make it a lost one.
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

// Of a regular file, which may be a link to one; nothing for anything else. May stand still.
std::optional<FileSize> size_of_file(const std::string& file);

class FileSizes {
 public:
  using Look = std::function<std::optional<FileSize>(const std::string&)>;
  using ByFile = std::map<std::string, FileSize>;

  explicit FileSizes(Look look = size_of_file) : look_(std::move(look)) {}

  // Those of the files that are there. While a look is under way that has not come back in `time`, they
  // are as they were at the last one that has, and nothing is waited for.
  const ByFile& of(const std::vector<std::string>& files, std::chrono::milliseconds time);

 private:
  Look look_;
  ByFile known_;
  std::future<ByFile> under_way_;
};

}  // namespace muster::agent
