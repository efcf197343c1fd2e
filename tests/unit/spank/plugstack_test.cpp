#include "spank/plugstack.hpp"

#include "fixtures/expect_error.hpp"
#include "fixtures/scratch_directory.hpp"

#include <chrono>
#include <string>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::spank {
namespace {

using fixtures::ScratchDirectory;

std::string program(const fixtures::ScratchDirectory& scratch, mode_t mode) {
  const auto path = scratch.write("muster", "#!/bin/sh\n");
  EXPECT_EQ(chmod(path.c_str(), mode), 0);
  return path;
}

TEST(Plugstack, HasTheInstalledProgramByDefault) {
  const auto line = parse_plugstack({});
  EXPECT_TRUE(line.muster.ends_with("/bin/muster"));
  EXPECT_TRUE(line.config.ends_with("/muster/muster.yaml"));
  EXPECT_EQ(line.timeout, std::chrono::seconds{60});
  EXPECT_FALSE(line.trust_any_owner);
  EXPECT_EQ(line.error, "");
}

TEST(Plugstack, TakesItsWordsInAnyOrder) {
  const auto line =
      parse_plugstack({"timeout=5", "config=/c", "trust_any_owner", "muster=/opt/a=b/muster"});
  EXPECT_EQ(line.muster, "/opt/a=b/muster");
  EXPECT_EQ(line.config, "/c");
  EXPECT_EQ(line.timeout, std::chrono::seconds{5});
  EXPECT_TRUE(line.trust_any_owner);
  EXPECT_FALSE(line.config_required);
  EXPECT_EQ(line.error, "");
  EXPECT_TRUE(parse_plugstack({"config_required"}).config_required);
}

TEST(Plugstack, KeepsWhyALineIsWrong) {
  EXPECT_EQ(
      parse_plugstack({"timeout=soon"}).error,
      "bad argument 'timeout=soon' of muster.so in plugstack.conf: timeout takes a whole number "
      "of seconds from 1 to 3600");
  for (const auto* const word :
       {"timeout=", "timeout=0", "timeout=-1", "timeout=3601", "timeout=1s", "timeout",
        "muster=", "muster", "config=", "trust_any_owner=yes", "config_required=no",
        "trust-any-owner", "", "=", "Muster=/m"}) {
    EXPECT_NE(parse_plugstack({word}).error, "") << word;
  }
}

TEST(Plugstack, KeepsItsMessageOneLineWhateverTheWordIs) {
  EXPECT_EQ(parse_plugstack({"time\tout\n\x1b[2J\x7f=1"}).error,
            "bad argument 'time?out??[2J?=1' of muster.so in plugstack.conf: valid arguments are "
            "muster=PATH, config=PATH, timeout=SECONDS");
}

TEST(UntrustedProgram, IsOneThatIsNotThere) {
  const auto why = untrusted_program("/nonexistent/muster", true);
  EXPECT_NE(why.find("/nonexistent/muster: No such file"), std::string::npos);
  EXPECT_NE(why.find("muster=PATH"), std::string::npos);
}

TEST(UntrustedProgram, IsOneThatIsNoProgram) {
  const fixtures::ScratchDirectory scratch;
  EXPECT_NE(untrusted_program(scratch.path(), true), "");
  EXPECT_NE(untrusted_program(program(scratch, 0644), true), "");
}

TEST(UntrustedProgram, IsOneThatOthersMayWriteTo) {
  const fixtures::ScratchDirectory scratch;
  for (const mode_t mode : {0775U, 0757U, 0777U, 0722U}) {
    EXPECT_NE(untrusted_program(program(scratch, mode), false), "") << mode;
    EXPECT_EQ(untrusted_program(program(scratch, mode), true), "") << mode;
  }
}

TEST(UntrustedProgram, IsOneThatRootDoesNotOwn) {
  const fixtures::ScratchDirectory scratch;
  const auto path = program(scratch, 0755);
  if (getuid() != 0) {
    EXPECT_NE(untrusted_program(path, false), "");
  } else {
    EXPECT_EQ(untrusted_program(path, false), "");
    ASSERT_EQ(chown(path.c_str(), 65534, 65534), 0);
    EXPECT_NE(untrusted_program(path, false), "");
  }
  EXPECT_EQ(untrusted_program(path, true), "");
}

TEST(UntrustedAgent, IsOneThatOthersThanRootMayRead) {
  const fixtures::ScratchDirectory scratch;
  if (getuid() == 0) {
    EXPECT_EQ(untrusted_agent(program(scratch, 0711), false), "");
  }
  for (const mode_t mode : {0755U, 0751U, 0715U, 0777U}) {
    EXPECT_NE(untrusted_agent(program(scratch, mode), false), "") << mode;
    EXPECT_EQ(untrusted_agent(program(scratch, mode), true), "") << mode;
  }
}

TEST(AgentProgram, IsBesideMuster) {
  EXPECT_EQ(agent_program(parse_plugstack({"muster=/opt/bin/muster"})), "/opt/bin/muster-agent");
}

}  // namespace
}  // namespace muster::spank
