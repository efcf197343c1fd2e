#include "core/option/keys.hpp"
#include "core/site/check.hpp"
#include "core/site/config.hpp"
#include "fixtures/expect_error.hpp"
#include "fixtures/scratch_directory.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::site {
namespace {

class Include : public testing::Test {
 protected:
  Include() {
    std::filesystem::create_directory(scratch_.path() + "/conf.d");
    write("muster.yaml", "include: conf.d\ndefaults: {bind: none}\n");
  }

  std::string path(const std::string& name) { return scratch_.path() + '/' + name; }
  void write(const std::string& name, const std::string& text) {
    std::ofstream(path(name)) << text;
  }
  Config load() {
    return load_config(path("muster.yaml"), ConfigKind::site, file::trust_root_and(getuid()));
  }
  std::string error() {
    return fixtures::error_of([&] { load(); });
  }
  static std::string text(const Config& config, option::Key key) {
    return config.defaults.values.at(key).value;
  }

 private:
  fixtures::ScratchDirectory scratch_;
};

TEST_F(Include, GivesTheFirstFileTheLastWord) {
  write("conf.d/20.yaml",
        "defaults: {bind: core, smt: off, restarts: 2}\ngather_timeout: 20\n"
        "nics: {exclude: [mlx5_2]}\npolicy: {forbid: [port]}\n");
  write("conf.d/10.yaml",
        "defaults: {bind: numa, smt: on}\ngather_timeout: 10\n"
        "nics: {exclude: [mlx5_1]}\npolicy: {forbid: [network]}\n");
  const auto config = load();
  EXPECT_EQ(text(config, option::Key("bind")), "none");
  EXPECT_EQ(text(config, option::Key("smt")), "on");
  EXPECT_EQ(text(config, option::Key("restarts")), "2");
  EXPECT_EQ(config.defaults.values.at(option::Key("restarts")).where, path("conf.d/20.yaml:1:44"));
  EXPECT_EQ(config.gather_timeout.count(), 10);
  EXPECT_EQ(config.policy.forbid.size(), 2U);
  ASSERT_EQ(config.nics.size(), 2U);
}

TEST_F(Include, LeavesOtherNamesAlone) {
  for (const auto* const name : {"a.yaml~", ".b.yaml", "c.yaml.rpmnew", "d.yml"}) {
    write(std::string("conf.d/") + name, "no such key: 1\n");
  }
  EXPECT_EQ(text(load(), option::Key("bind")), "none");
}

TEST_F(Include, NamesTheFileOfAFault) {
  write("conf.d/10.yaml", "defaults:\n  bindd: none\n");
  EXPECT_EQ(error().substr(0, error().find(": unknown")), path("conf.d/10.yaml:2:3"));
  write("conf.d/10.yaml", "include: /etc\n");
  EXPECT_NE(error().find("an included file cannot include others"), std::string::npos) << error();
}

TEST_F(Include, NeedsADirectoryThatOnlyItsOwnerCanWrite) {
  chmod(path("conf.d").c_str(), 0777);
  EXPECT_NE(error().find("its group or other users can write to it"), std::string::npos) << error();
  std::filesystem::remove_all(path("conf.d"));
  EXPECT_NE(error().find("No such file or directory"), std::string::npos) << error();
}

TEST_F(Include, HasABoundOfFilesAndOfBytes) {
  for (std::size_t i = 0; i <= max_included_files; ++i)
    write("conf.d/" + std::to_string(i) + ".yaml", "");
  EXPECT_NE(error().find("more than 64 files"), std::string::npos) << error();
  std::filesystem::remove_all(path("conf.d"));
  std::filesystem::create_directory(path("conf.d"));
  const std::string large(file::max_file_bytes / 2 + 1, '\n');
  write("conf.d/1.yaml", large);
  static_cast<void>(load());
  write("conf.d/2.yaml", large);
  EXPECT_NE(error().find("larger than"), std::string::npos) << error();
}

TEST_F(Include, IsCheckedWholeNotToTheFirstFault) {
  write("conf.d/10.yaml", "defaults: {bindd: none}\n");
  write("conf.d/20.yaml", "polcy: {}\n");
  const auto findings = check_config(path("muster.yaml"), file::trust_root_and(getuid()));
  EXPECT_EQ(findings.files.size(), 3U);
  EXPECT_EQ(findings.errors.size(), 2U);
}

}  // namespace
}  // namespace muster::site
