#include "core/plan/inspector.hpp"

#include "core/file/trusted_file.hpp"
#include "core/layout/layout.hpp"
#include "core/option/keys.hpp"
#include "core/plan/plan.hpp"
#include "core/profile/profile.hpp"
#include "core/request/request.hpp"

#include <map>
#include <string>

#include <gtest/gtest.h>

namespace muster::plan {
namespace {

using Values = std::map<std::string, std::string>;

Values inspector_in(const request::Request& request, const Environment& environment = {},
                    const std::string& logs = {}, const resources::TaskResources& resources = {}) {
  const auto profile = profile::load_profile("torch", {MUSTER_SOURCE_DIR "/config/profiles"},
                                             file::trust_any_owner());
  const layout::Layout layout{{"node1"}, {0}, "10.0.0.1"};
  const auto plan = make_plan({.request = request,
                               .profile = profile,
                               .layout = layout,
                               .rendezvous = {},
                               .network = {},
                               .resources = {resources},
                               .endpoints = {},
                               .run_id = "42.0",
                               .error_directory = {},
                               .log_directory = logs,
                               .environment = environment});
  Values values;
  for (const auto& variable : plan.tasks[0].variables) {
    const bool is_of_inspector =
        variable.name.starts_with("NCCL_INSPECTOR") || variable.name == "NCCL_PROFILER_PLUGIN";
    if (!is_of_inspector) continue;
    EXPECT_EQ(variable.origin, Origin::option);
    values[variable.name] = variable.value;
  }
  return values;
}

request::Request asked() {
  request::Request request;
  request.inspect = true;
  request.sources[option::Key("inspect")] = {Origin::option, "--distributed"};
  return request;
}

TEST(Inspector, SetsTheVariablesOfThePlugin) {
  EXPECT_EQ(inspector_in(asked(), {}, "/logs/42.0-attempt-0"),
            (Values{{"NCCL_PROFILER_PLUGIN", "libnccl-profiler-inspector.so"},
                    {"NCCL_INSPECTOR_ENABLE", "1"},
                    {"NCCL_INSPECTOR_DUMP_DIR", "/logs/42.0-attempt-0"}}));
  EXPECT_EQ(inspector_in(asked()).count("NCCL_INSPECTOR_DUMP_DIR"), 0U);
  EXPECT_EQ(inspector_in(request::Request()), Values());
}

TEST(Inspector, LeavesTheUsersOwnValues) {
  const Environment environment{{"NCCL_PROFILER_PLUGIN", "mine.so"}};
  EXPECT_EQ(inspector_in(asked(), environment), (Values{{"NCCL_INSPECTOR_ENABLE", "1"}}));
}

TEST(Inspector, IsMissedInAnOlderNccl) {
  EXPECT_EQ(
      inspector_remark("nccl 2.27.5\nmissing \n"),
      "inspect=on records nothing: rank 0 has NCCL 2.27.5, and the Inspector needs 2.28.3 or newer");
  EXPECT_EQ(inspector_remark("nccl 2.28.3\nmissing \n"), "");
  EXPECT_EQ(inspector_remark("nccl 3.0.0\n"), "");
}

TEST(Inspector, IsMissedWhereTheLoaderDoesNotFindIt) {
  const auto line = inspector_remark("nccl 2.28.9\nmissing libnccl-profiler-inspector.so\n");
  EXPECT_NE(line.find("cannot find 'libnccl-profiler-inspector.so'"), std::string::npos) << line;
  EXPECT_NE(line.find("LD_LIBRARY_PATH"), std::string::npos);
}

TEST(Inspector, IsNotMissedWhereNothingIsKnown) {
  for (const auto* told :
       {"", "nccl \nmissing \n", "nccl 2\n", "nccl a.b.c\n", "nccl 2.1.99999999999\n"})
    EXPECT_EQ(inspector_remark(told), "") << told;
  const auto line = inspector_remark("missing a\x1b[2J" + std::string(10'000, 'x'));
  EXPECT_EQ(line.find('\x1b'), std::string::npos);
  EXPECT_LT(line.size(), 400U);
}

TEST(Inspector, OfRcclIsAnotherLibrary) {
  resources::TaskResources resources;
  resources.view.variables = {{.name = "ROCR_VISIBLE_DEVICES", .value = "0"}};
  EXPECT_EQ(inspector_in(asked(), {}, {}, resources)["NCCL_PROFILER_PLUGIN"],
            "librccl-profiler-inspector.so");
}

}  // namespace
}  // namespace muster::plan
