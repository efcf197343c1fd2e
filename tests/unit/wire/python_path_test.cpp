#include "wire/python_path.hpp"

#include "wire/variables.hpp"

#include <gtest/gtest.h>

namespace muster::wire {
namespace {

constexpr const char* hook = "/usr/share/muster/start";

std::optional<std::string> there_and_back(const std::optional<std::string>& users) {
  return without_start_hook(with_start_hook(users, hook), hook);
}

TEST(PythonPath, SaysWhetherTheUserHadOne) {
  EXPECT_EQ(with_start_hook(std::nullopt, hook), "/usr/share/muster/start");
  EXPECT_EQ(with_start_hook("", hook), "/usr/share/muster/start/");
  EXPECT_EQ(with_start_hook("/a:/b", hook), "/usr/share/muster/start/.:/a:/b");
}

TEST(PythonPath, IsRestoredExactly) {
  for (const std::optional<std::string>& users :
       {std::optional<std::string>(), {""}, {"/a"}, {"/a:/b"}, {":"}, {"/a::/b:"}, {"."}}) {
    EXPECT_EQ(there_and_back(users), users);
  }
}

TEST(PythonPath, IsRestoredInWhatAScriptHasMadeOfIt) {
  const std::string unset = "/usr/share/muster/start";
  EXPECT_EQ(without_start_hook("/my:" + unset, hook), "/my:");
  EXPECT_EQ(without_start_hook("/my:" + unset + ":/other", hook), "/my::/other");
  EXPECT_EQ(without_start_hook("/my:" + with_start_hook("/a", hook), hook), "/my:/a");
  EXPECT_EQ(without_start_hook("/a:/b", hook), "/a:/b");
  EXPECT_EQ(without_start_hook("/usr/share/muster/starter", hook), "/usr/share/muster/starter");
}

TEST(PythonPath, HasTheHookOnceWhereATaskStartsAStep) {
  EXPECT_EQ(with_start_hook(with_start_hook("/a", hook), hook), with_start_hook("/a", hook));
  EXPECT_EQ(with_start_hook(hook, hook), hook);
}

TEST(PythonPath, IsLeftAloneWhereTheHookCannotBeNamedInIt) {
  EXPECT_EQ(with_start_hook("/a", ""), "");
  EXPECT_EQ(with_start_hook("/a", "/opt/a:b/start"), "");
  EXPECT_EQ(with_start_hook(std::string(max_variable_bytes - 20, 'x'), hook), "");
}

TEST(PythonPath, OfATaskIsAsPlannedWhereNothingHasChanged) {
  const auto planned = "/site:" + with_start_hook("/a", hook);
  EXPECT_EQ(python_path_of_task(planned, {.directory = hook, .before = "/a", .now = "/a"}),
            planned);
  EXPECT_EQ(python_path_of_task(hook, {.directory = hook, .before = {}, .now = {}}), hook);
}

TEST(PythonPath, OfATaskKeepsWhatItsImageHasBrought) {
  EXPECT_EQ(python_path_of_task(hook, {.directory = hook, .before = {}, .now = "/image"}),
            with_start_hook("/image", hook));
  EXPECT_EQ(python_path_of_task(with_start_hook("/a", hook),
                                {.directory = hook, .before = "/a", .now = {}}),
            hook);
  const std::string longest(max_variable_bytes - 20, 'x');
  EXPECT_EQ(python_path_of_task(hook, {.directory = hook, .before = {}, .now = longest}), longest);
}

TEST(PythonPath, OfATaskThatDoesNotSeeTheHookDoesNotNameIt) {
  const auto task = [](const std::optional<std::string>& before,
                       const std::optional<std::string>& now) {
    return PythonPathInTask{.directory = hook, .sees_hook = false, .before = before, .now = now};
  };
  EXPECT_EQ(python_path_of_task(hook, task({}, {})), std::nullopt);
  EXPECT_EQ(python_path_of_task(with_start_hook("/site", hook), task({}, {})), "/site");
  EXPECT_EQ(python_path_of_task(hook, task({}, "/image")), "/image");
  EXPECT_EQ(python_path_of_task(hook, task({}, with_start_hook("/image", hook))), "/image");
}

}  // namespace
}  // namespace muster::wire
