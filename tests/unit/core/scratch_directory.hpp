// A directory of a test's own, removed with everything in it.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <stdlib.h>

namespace muster::test {

class ScratchDirectory {
 public:
  ScratchDirectory() {
    std::string name = testing::TempDir() + "muster-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) ADD_FAILURE() << "no directory for the test";
    path_ = name;
  }
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  ScratchDirectory(ScratchDirectory&&) = delete;
  ScratchDirectory& operator=(ScratchDirectory&&) = delete;

  std::string path() const { return path_; }
  std::string path(std::string_view name) const { return path_ + "/" + std::string(name); }

  // Mode 0644, whatever the umask.
  std::string write(std::string_view name, std::string_view content) const {
    const std::string file = path(name);
    std::ofstream(file) << content;
    using std::filesystem::perms;
    std::filesystem::permissions(
        file, perms::owner_read | perms::owner_write | perms::group_read | perms::others_read);
    return file;
  }

 private:
  std::string path_;
};

}  // namespace muster::test
