#include "launcher/agent/ranks/starter.hpp"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

namespace muster::ranks {
namespace {

// A line without quotes, as /proc shows it.
bool starts_another(std::string_view executable, std::string line) {
  std::ranges::replace(line, ' ', '\0');
  return is_starter(executable, line + '\0');
}

TEST(Starter, IsKnownByItsExecutable) {
  EXPECT_TRUE(starts_another("uv", "uv run train.py"));
  EXPECT_TRUE(starts_another("timeout", "/usr/bin/timeout 1h python3 train.py"));
  EXPECT_TRUE(starts_another("tini", "tini -- python3 train.py"));
  EXPECT_FALSE(starts_another("bash", "bash run.sh"));
  EXPECT_FALSE(starts_another("", ""));
}

TEST(Starter, IsKnownByThePythonProgramThatItIs) {
  EXPECT_TRUE(starts_another("python3.11", "/opt/bin/python /opt/bin/conda run -n x train.py"));
  EXPECT_TRUE(starts_another("python3.11", "python -m pdm run train.py"));
  EXPECT_FALSE(starts_another("python3.11", "python3 train.py time"));
  EXPECT_FALSE(starts_another("python3.11", "python3"));
  EXPECT_FALSE(starts_another("vim", "vim conda"));
}

TEST(Starter, IsKnownByTheTitleThatApptainerGivesItself) {
  const std::string zero(1, '\0');
  EXPECT_TRUE(is_starter("starter", "Apptainer runtime parent" + zero));
  EXPECT_TRUE(is_starter("", "Singularity runtime parent" + zero));
  EXPECT_FALSE(starts_another("starter", "./starter Apptainer"));
}

}  // namespace
}  // namespace muster::ranks
