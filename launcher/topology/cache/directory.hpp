// A directory whose files can have been written only by root or this process's user.
#pragma once

#include "launcher/os/descriptor.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::topology::cache {

class CacheDirectory {
 public:
  // "auto": the user's own directory below the first of `bases` that allows one; "off": none; any other
  // value: the site's directory. If there is none, `notes` says why.
  static std::optional<CacheDirectory> open(const std::string& choice,
                                            const std::vector<std::string>& bases,
                                            std::vector<std::string>& notes);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool writable() const { return writable_; }

  // The content. No value, with a note, if the file is not one that muster writes; no value, without a note,
  // if there is no file.
  std::optional<std::string> read(const std::string& name, std::vector<std::string>& notes) const;

  // Writes all of it or nothing, even if this process is killed. False, with a note, if it was not written.
  bool write(const std::string& name, std::string_view content,
             std::vector<std::string>& notes) const;

  // Removes files with names like those of write() that do not begin with `keep`, leftovers of killed
  // writers, and the oldest files if there are too many.
  void clean_up(std::string_view keep) const;

 private:
  CacheDirectory(os::Descriptor directory, std::string path, bool writable, bool shared)
      : directory_(std::move(directory)),
        path_(std::move(path)),
        writable_(writable),
        shared_(shared) {}

  static std::optional<CacheDirectory> own(const std::string& base,
                                           std::vector<std::string>& notes);
  static std::optional<CacheDirectory> of_site(const std::string& path,
                                               std::vector<std::string>& notes);

  os::Descriptor directory_;
  std::string path_;
  bool writable_;
  bool shared_;  // other users may read it
};

// Where a user's own directory may be. /dev/shm needs no disk and is empty after a boot. Both may be private
// to a job, which then has to scan once.
inline const std::vector<std::string> cache_bases{"/dev/shm", "/tmp"};

}  // namespace muster::topology::cache
