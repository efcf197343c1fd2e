#include "launcher/agent/node/program_lookup.hpp"

#include "fixtures/scratch_directory.hpp"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <sys/stat.h>

namespace muster::node {
namespace {

class Program : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(path("bin"));
    std::filesystem::create_directories(path("job/sub"));
    for (const auto* const name : {"bin/tool", "job/train", "job/sub/nested"}) make(name, 0755);
    make("bin/data", 0644);
    make("job/plain", 0644);
  }
  void make(const std::string& name, mode_t mode) const {
    chmod(scratch_.write(name, "#!/bin/sh\n").c_str(), mode);
  }
  std::string path(const std::string& name) const { return scratch_.path(name); }

  // The error about `name` in a job in job/ with bin/ on its PATH.
  std::string missing(const std::string& name) const {
    return missing_program({name}, {{"PATH", "/nonexistent:" + path("bin")}}, path("job"));
  }

  fixtures::ScratchDirectory scratch_;
};

TEST_F(Program, IsFoundOnTheJobsPath) {
  EXPECT_EQ(missing("tool"), "");
  EXPECT_EQ(missing("sh"), "the program sh is not on the job's PATH; use its full path");
}

TEST_F(Program, MayBePython3WhereThereIsNoPython) {
  EXPECT_EQ(missing("python"), "the program python is not on the job's PATH; use its full path");
  scratch_.write("bin/python3", "#!/bin/sh\n");
  std::filesystem::permissions(path("bin/python3"), std::filesystem::perms::owner_all);
  EXPECT_EQ(missing("python"),
            "the program python is not on the job's PATH; did you mean python3?");
  EXPECT_EQ(missing("python2"), "the program python2 is not on the job's PATH; use its full path");
}

TEST_F(Program, IsFoundByItsPathFromTheJobsDirectory) {
  EXPECT_EQ(missing("./train"), "");
  EXPECT_EQ(missing("sub/nested"), "");
  EXPECT_EQ(missing(path("bin/tool")), "");
}

TEST_F(Program, IsMissingWhereNothingIsOrCannotBeStarted) {
  EXPECT_EQ(missing("./trian"),
            "cannot start ./trian: No such file or directory; check that the path is right and "
            "the file is executable");
  EXPECT_NE(missing("./plain").find("Permission denied"), std::string::npos);
  EXPECT_NE(missing("./sub").find("Is a directory"), std::string::npos);
  EXPECT_NE(missing("./plain/x").find("Not a directory"), std::string::npos);
  EXPECT_NE(missing("train"), "");  // the job's directory is not on its PATH
  EXPECT_NE(missing("data"), "");   // on PATH, but not a program
}

TEST_F(Program, IsFoundInTheJobsDirectoryWherePathHasAnEmptyOrRelativeEntry) {
  for (const std::string entries : {"", ":/x", "/x:", "/x::/y", ".", "/x:."}) {
    EXPECT_EQ(missing_program({"train"}, {{"PATH", entries}}, path("job")), "") << entries;
  }
  EXPECT_EQ(missing_program({"nested"}, {{"PATH", "sub"}}, path("job")), "");
}

TEST_F(Program, IsFoundInTheSystemsDirectoriesWithoutAPath) {
  EXPECT_EQ(missing_program({"sh"}, {}, path("job")), "");
}

TEST_F(Program, OfAnyNameIsNamedInOneLine) {
  for (const std::string name : {"no\x1b[2J\nsuch\xff", "./no\x1b[2J\nsuch\xff"}) {
    const auto why = missing_program({name}, {}, path("job"));
    EXPECT_NE(why.find("no\\x1b[2J\\x0asuch\\xff"), std::string::npos) << why;
  }
}

TEST_F(Program, IsNotJudgedWhereThereIsNone) {
  EXPECT_EQ(missing_program({}, {}, path("job")), "");
}

}  // namespace
}  // namespace muster::node
