// A directory whose files only root or this process's user can have written.
#pragma once

#include "launcher/os/descriptor.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::topology::cache {

class CacheDirectory {
 public:
  // "auto": the user's own below the first of `bases` where it can be; off: none; else the site's.
  // Where there is none, `notes` says why.
  static std::optional<CacheDirectory> open(const std::string& choice,
                                            const std::vector<std::string>& bases,
                                            std::vector<std::string>& notes);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool writable() const { return writable_; }

  // The content; none with a note where the file is not what we write, none without where there is
  // no file.
  std::optional<std::string> read(const std::string& name, std::vector<std::string>& notes) const;

  // All of it or nothing of it, whatever happens to us meanwhile. False, with a note: not written.
  bool write(const std::string& name, std::string_view content,
             std::vector<std::string>& notes) const;

  // Removes files of names like write's that do not begin with `keep`, what killed writers left,
  // and the oldest of too many.
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
  bool shared_;  // with other users, who read
};

// Where a user's own directory may be. /dev/shm costs no disk and is gone after the boot; both may
// be private to a job, which then scans once.
inline const std::vector<std::string> cache_bases{"/dev/shm", "/tmp"};

}  // namespace muster::topology::cache
