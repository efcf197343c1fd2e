#include "core/remark/misspelled_variable.hpp"

#include "core/option/option.hpp"

#include <string>

#include <gtest/gtest.h>

namespace muster::remark {
namespace {

std::string remark_on(const std::string& name) {
  return misspelled_variable({{"HOME", "/home/alice"}, {name, "3"}, {"PATH", "/bin"}});
}

TEST(MisspelledVariable, IsNamedWithTheOneThatIsMeant) {
  EXPECT_EQ(remark_on("MUSTER_RESTART"),
            "nothing reads MUSTER_RESTART in the environment; did you mean MUSTER_RESTARTS?");
  EXPECT_NE(remark_on("MUSTER_DISTRIBUTD").find("MUSTER_DISTRIBUTED?"), std::string::npos);
  EXPECT_NE(remark_on("MUSTER_DRYRUN").find("MUSTER_DRY_RUN?"), std::string::npos);
  EXPECT_NE(remark_on("MUSTER_LOG").find("MUSTER_LOGS?"), std::string::npos);
}

TEST(MisspelledVariable, IsNoneThatMusterReadsOrSets) {
  for (const auto& name : option::variable_names()) EXPECT_EQ(remark_on(name), "") << name;
  for (const auto* name :
       {"MUSTER_DISTRIBUTED", "MUSTER_STEP", "MUSTER_TIMES", "MUSTER_TIMEOUT", "MUSTER_SET"})
    EXPECT_EQ(remark_on(name), "") << name;
}

TEST(MisspelledVariable, IsNoneOfSomebodyElses) {
  for (const auto* name : {"MUSTER_ROOT", "MUSTER_HOME", "MUSTER_DIR", "MUSTER_VERSION",
                           "MUSTER_CLUSTER", "MUSTER_", "NMUSTER_PORT", "MUSTERED"})
    EXPECT_EQ(remark_on(name), "") << name;
}

}  // namespace
}  // namespace muster::remark
