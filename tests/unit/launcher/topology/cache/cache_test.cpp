// A step finds what an earlier step of the same boot stored, and nothing else.
#include "launcher/topology/cache/cache.hpp"

#include "core/error.hpp"
#include "fixtures/made_up_node.hpp"
#include "fixtures/scratch_directory.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::topology::cache {
namespace {

namespace fs = std::filesystem;

Topology node() {
  auto node = fixtures::made_up_node({.packages = 2, .smt = 2});
  fixtures::add_gpu(node, {0, 1}, 1);
  return node;
}

class Cache : public testing::Test {
 protected:
  TopologyCache open() const { return TopologyCache("auto", {base_.path()}); }
  fs::path own() const { return base_.path("muster-cache-" + std::to_string(geteuid())); }

  fs::path only_file() const {
    const fs::directory_iterator first(own());
    return first == fs::directory_iterator() ? fs::path() : first->path();
  }

  void remember(const CacheKey& key) const { open().save(key, node()); }

  // Nothing is found, one line reports it, and the next writer repairs it.
  void expect_replaced(const std::string& why) const {
    auto cache = open();
    EXPECT_EQ(cache.load(key_), std::nullopt);
    ASSERT_FALSE(cache.notes().empty());
    EXPECT_NE(cache.notes().back().find(why), std::string::npos) << cache.notes().back();
    cache.save(key_, node());
    EXPECT_EQ(open().load(key_), node());
  }

  fixtures::ScratchDirectory base_;
  CacheKey key_{"boot-1", "boot boot-1\nscan devices\n"};
};

TEST_F(Cache, FindsWhatWasSaved) {
  EXPECT_EQ(open().load(key_), std::nullopt);
  remember(key_);
  EXPECT_EQ(open().load(key_), node());
  EXPECT_TRUE(open().notes().empty());
}

TEST_F(Cache, IsForItsUserAlone) {
  remember(key_);
  struct stat status {};
  ASSERT_EQ(stat(own().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0700U);
}

TEST_F(Cache, KnowsNothingOfAnotherKey) {
  remember(key_);
  EXPECT_EQ(open().load({"boot-1", key_.text + "cpus 0-3\n"}), std::nullopt);
}

TEST_F(Cache, ForgetsWhatOtherBootsLeft) {
  remember({"boot-0", "boot boot-0\n"});
  remember({"boot-0", "boot boot-0\nmore\n"});
  remember(key_);
  EXPECT_EQ(std::distance(fs::directory_iterator(own()), fs::directory_iterator()), 1);
  EXPECT_EQ(open().load(key_), node());
}

TEST_F(Cache, KeepsABoundedNumberOfFiles) {
  for (int i = 0; i < 40; ++i) remember({"boot-1", std::to_string(i)});
  EXPECT_EQ(std::distance(fs::directory_iterator(own()), fs::directory_iterator()), 16);
  EXPECT_TRUE(open().load({"boot-1", "39"}));
}

TEST_F(Cache, LeavesFilesThatAreNotItsOwn) {
  remember(key_);
  std::ofstream(own() / "notes.txt") << "mine";
  remember({"boot-2", "b"});
  EXPECT_TRUE(fs::exists(own() / "notes.txt"));
}

TEST_F(Cache, RemovesWhatAKilledWriterLeft) {
  remember(key_);
  const auto left = own() / ".new-1-1";
  std::ofstream(left) << "half";
  remember(key_);
  EXPECT_TRUE(fs::exists(left)) << "it may still be at work";
  fs::last_write_time(left, fs::file_time_type::clock::now() - std::chrono::minutes(5));
  remember(key_);
  EXPECT_FALSE(fs::exists(left));
}

TEST_F(Cache, ReplacesATruncatedFile) {
  remember(key_);
  fs::resize_file(only_file(), fs::file_size(only_file()) / 2);
  expect_replaced("damaged");
}

TEST_F(Cache, ReplacesAFileWithOneBitChanged) {
  remember(key_);
  std::fstream file(only_file(), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(-3, std::ios::end);
  file.put('7');
  file.close();
  expect_replaced("damaged");
}

TEST_F(Cache, ReplacesAnotherKeysFile) {
  remember(key_);
  const auto name = only_file();
  const auto kept = base_.path("kept");
  fs::copy_file(name, kept);
  fs::remove(name);
  remember({"boot-1", "other"});
  fs::remove(only_file());
  fs::copy_file(kept, name);
  EXPECT_EQ(open().load(key_), node());
  std::ofstream(name) << to_cache_text({"boot-1", "other"}, node());
  expect_replaced("belongs to another key");
}

TEST_F(Cache, ReplacesAFileThatOthersCanWrite) {
  remember(key_);
  fs::permissions(only_file(), fs::perms::all);
  expect_replaced("a user other than root and the current one");
}

TEST_F(Cache, ReplacesALink) {
  remember(key_);
  const auto name = only_file();
  fs::rename(name, base_.path("elsewhere"));
  fs::create_symlink(base_.path("elsewhere"), name);
  expect_replaced("is a link");
}

TEST_F(Cache, ReplacesAFifoWithoutWaitingForIt) {
  remember(key_);
  const auto name = only_file();
  fs::remove(name);
  ASSERT_EQ(mkfifo(name.c_str(), 0600), 0);
  expect_replaced("not a regular file");
}

TEST_F(Cache, PassesOverADirectoryInAFilesPlace) {
  remember(key_);
  const auto name = only_file();
  fs::remove(name);
  fs::create_directories(name / "deep");
  auto cache = open();
  EXPECT_EQ(cache.load(key_), std::nullopt);
  cache.save(key_, node());
  EXPECT_EQ(cache.notes().size(), 2U);
}

TEST_F(Cache, PassesOverAHugeFile) {
  remember(key_);
  fs::resize_file(only_file(), 5U << 20);
  expect_replaced("too large");
}

TEST_F(Cache, TakesNoDirectoryThatAnotherUserMayHaveMade) {
  fs::create_directory(own());
  fs::permissions(own(), fs::perms::all);
  auto cache = open();
  EXPECT_FALSE(cache.writable());
  ASSERT_EQ(cache.notes().size(), 1U);
  cache.save(key_, node());
  EXPECT_TRUE(fs::is_empty(own()));
}

TEST_F(Cache, FollowsNoLinkToADirectory) {
  const auto target = base_.path("target");
  fs::create_directory(target);
  fs::permissions(target, fs::perms::owner_all);
  fs::create_directory_symlink(target, own());
  EXPECT_FALSE(open().writable());
}

TEST_F(Cache, GoesToTheNextPlaceWhereTheFirstCannotBe) {
  TopologyCache cache("auto", {base_.path("missing"), base_.path()});
  EXPECT_TRUE(cache.writable());
  cache.save(key_, node());
  EXPECT_EQ(open().load(key_), node());
}

TEST_F(Cache, CanBeOff) {
  TopologyCache cache("off", {base_.path()});
  cache.save(key_, node());
  EXPECT_EQ(cache.load(key_), std::nullopt);
  EXPECT_TRUE(fs::is_empty(base_.path()));
}

TEST_F(Cache, OfTheSiteMustNotBeOthersToWrite) {
  const auto site = base_.path("site");
  fs::create_directory(site);
  fs::permissions(site, fs::perms::all);
  EXPECT_FALSE(TopologyCache(site).writable());
  fs::permissions(site, fs::perms::owner_all | fs::perms::group_read | fs::perms::others_read |
                            fs::perms::group_exec | fs::perms::others_exec);
  TopologyCache(site).save(key_, node());
  EXPECT_EQ(TopologyCache(site).load(key_), node());
  EXPECT_EQ(TopologyCache(base_.path("none")).notes().size(), 1U);
}

// In a child, because the limit cannot be undone.
TEST_F(Cache, LeavesNothingOfWhatADiskCannotHold) {
  remember(key_);
  const pid_t child = fork();
  if (child == 0) {
    const rlimit few{64, 64};
    setrlimit(RLIMIT_FSIZE, &few);
    auto cache = open();
    cache.save({"boot-1", "too much"}, node());
    _exit(cache.notes().size() == 1 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(std::distance(fs::directory_iterator(own()), fs::directory_iterator()), 1);
  EXPECT_EQ(open().load(key_), node());
}

TEST(CacheText, IsSealed) {
  const CacheKey key{"b", "k"};
  const auto text = to_cache_text(key, node());
  EXPECT_EQ(from_cache_text(key, text), node());
  EXPECT_THROW(from_cache_text({"b", "l"}, text), Error);
  EXPECT_THROW(from_cache_text(key, ""), Error);
  EXPECT_THROW(from_cache_text(key, text + " "), Error);
}

}  // namespace
}  // namespace muster::topology::cache
