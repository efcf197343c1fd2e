#include "core/profile/profile.hpp"

#include "core/file/trusted_file.hpp"
#include "fixtures/expect_error.hpp"
#include "fixtures/random_text.hpp"
#include "fixtures/scratch_directory.hpp"

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

namespace muster::profile {
namespace {

std::string error_for(std::string_view text) {
  return fixtures::error_of([&] { parse_profile(text, "p.yaml"); });
}

Profile resolve(const std::string& name, const std::map<std::string, std::string>& files) {
  return resolve_profile(name, [&](const std::string& wanted) {
    return parse_profile(files.at(wanted), wanted + ".yaml");
  });
}

std::vector<std::string> names(const Profile& profile) {
  std::vector<std::string> all;
  for (const ProfileVariable& variable : profile.environment) all.push_back(variable.name);
  return all;
}

Expansion expansion(std::string_view environment, const Environment& user,
                    const OtherSettings& others = {}) {
  const PlaceholderValues values{{Placeholder::rank, {"3", Origin::slurm}},
                                 {Placeholder::threads, {"8", Origin::binding}}};
  return expand(resolve("p", {{"p", "environment: " + std::string(environment)}}), values, user,
                others);
}

EnvVar of_site(const std::string& name, const std::string& value) {
  EnvVar variable{name, value, Origin::site};
  variable.where = "muster.yaml:3:7";
  return variable;
}

TEST(ParseProfile, ReadsSummaryModeIncludeAndEnvironment) {
  const ProfileFile file = parse_profile(
      "summary: a test\nmode: agent\ninclude: torch\nenvironment:\n  A: \"{rank}\"\n  B: 1\n",
      "p.yaml");
  EXPECT_EQ(file.summary, "a test");
  EXPECT_EQ(file.mode, Mode::agent);
  EXPECT_EQ(file.include, "torch");
  ASSERT_EQ(file.environment.size(), 2U);
  EXPECT_EQ(file.environment[1].value, Template::parse("1", ""));
}

TEST(ParseProfile, ReadsWhatTheFrameworkNeedsAndDoesNotWant) {
  const ProfileFile file = parse_profile(
      "without: [A, B]\nrequires: [slurm_ranks, equal_tasks_per_node]\ngpus: own\nstore: agent\n",
      "p.yaml");
  EXPECT_EQ(file.without, (std::vector<std::string>{"A", "B"}));
  EXPECT_EQ(file.requirements, (std::vector<Requirement>{Requirement::slurm_ranks,
                                                         Requirement::equal_tasks_per_node}));
  EXPECT_EQ(file.gpus, option::Gpus::own);
  EXPECT_EQ(file.store, option::Store::agent);
  EXPECT_EQ(error_for("requires: [one_task_per_nod]\n"),
            "p.yaml:1:12: requires 'one_task_per_nod': unknown value; did you mean "
            "'one_task_per_node'?");
  EXPECT_NE(error_for("without: [1A]").find("variable '1A'"), std::string::npos);
  EXPECT_NE(error_for("gpus: all").find("gpus 'all'"), std::string::npos);
  EXPECT_NE(error_for("store: rank1").find("store 'rank1'"), std::string::npos);
}

TEST(ParseProfile, NamesLineAndColumnAndTheNearestWord) {
  EXPECT_EQ(error_for("summary: x\nenviroment: {}\n"),
            "p.yaml:2:1: unknown key 'enviroment': not part of a profile; did you mean "
            "'environment'?");
  EXPECT_EQ(error_for("mode: agnet\n"),
            "p.yaml:1:7: mode 'agnet': unknown value; did you mean 'agent'?");
  EXPECT_EQ(error_for("environment:\n  A: \"{world_siez}\"\n"),
            "p.yaml:2:6: unknown placeholder '{world_siez}'; did you mean "
            "'world_size'?");
}

TEST(ParseProfile, RefusesWhatNoEnvironmentCanHold) {
  EXPECT_NE(error_for("environment: {1A: x}").find("variable '1A'"), std::string::npos);
  EXPECT_NE(error_for("environment: {A=B: x}").find("variable 'A=B'"), std::string::npos);
  EXPECT_NE(error_for("environment: {A: }").find("without a value"), std::string::npos);
  EXPECT_NE(error_for("environment: {A: [1]}").find("a list where"), std::string::npos);
  EXPECT_NE(error_for("environment: {A: \"x\\0y\"}").find("NUL byte"), std::string::npos);
  EXPECT_NE(error_for("environment: {A: " + std::string(4097, 'x') + "}").find("too long"),
            std::string::npos);
}

TEST(ParseProfile, RefusesAnIncludeThatIsAPath) {
  EXPECT_NE(error_for("include: ../../etc/passwd").find("not a path"), std::string::npos);
}

TEST(ResolveProfile, LeavesOutWhatAProfileDoesNotWantOfTheIncludedOne) {
  const std::map<std::string, std::string> files{
      {"a", "include: b\nwithout: [X]\nrequires: [slurm_ranks]\nenvironment: {Z: own}"},
      {"b",
       "requires: [equal_tasks_per_node]\ngpus: own\nstore: agent\nenvironment: {X: below, Y: below}"}};
  const Profile profile = resolve("a", files);
  EXPECT_EQ(names(profile), (std::vector<std::string>{"Y", "Z"}));
  EXPECT_EQ(profile.requirements, (std::vector<Requirement>{Requirement::equal_tasks_per_node,
                                                            Requirement::slurm_ranks}));
  EXPECT_EQ(profile.gpus, option::Gpus::own);
  EXPECT_EQ(profile.store, option::Store::agent);
  const auto slip = fixtures::error_of([] {
    resolve("a", {{"a", "include: b\nwithout: [Q]"}, {"b", "environment: {X: x}"}});
  });
  EXPECT_NE(slip.find("'without' lists Q"), std::string::npos);
}

TEST(ResolveProfile, WantsOneTaskPerNodeInAgentMode) {
  const Profile profile = resolve("a", {{"a", "mode: agent"}});
  EXPECT_EQ(profile.requirements, std::vector<Requirement>{Requirement::one_task_per_node});
}

TEST(ResolveProfile, PutsIncludedVariablesFirstAndReplacesByName) {
  const Profile profile =
      resolve("a", {{"a", "include: b\nenvironment: {Y: own, Z: own}"},
                    {"b", "mode: agent\nsummary: b\nenvironment: {X: below, Y: below}"}});
  EXPECT_EQ(profile.name, "a");
  EXPECT_EQ(profile.mode, Mode::agent);
  EXPECT_EQ(profile.summary, "");
  EXPECT_EQ(names(profile), (std::vector<std::string>{"X", "Y", "Z"}));
  EXPECT_EQ(profile.environment[1].value, Template::parse("own", ""));
}

TEST(ResolveProfile, RefusesACycle) {
  EXPECT_EQ(fixtures::error_of([] {
              resolve("a", {{"a", "include: b"}, {"b", "include: a"}});
            }),
            "profile a: its includes form a cycle (a -> b -> a); remove one include");
  EXPECT_EQ(fixtures::error_of([] {
              resolve("a", {{"a", "include: b"}, {"b", "include: b"}});
            }),
            "profile a: its includes form a cycle (a -> b -> b); remove one include");
}

TEST(ResolveProfile, RefusesAnEndlessChain) {
  const auto next = [](const std::string& name) {
    return parse_profile("include: x" + name, "p.yaml");
  };
  EXPECT_NE(fixtures::error_of([&] { resolve_profile("x", next); }).find("more than 16 includes"),
            std::string::npos);
}

TEST(Expand, SetsWhatHasAValue) {
  const Expansion result = expansion("{RANK: '{rank}', PORT: '{master_port}', C: x}", {});
  EXPECT_EQ(result.variables, (std::vector<EnvVar>{{"RANK", "3", Origin::slurm, true},
                                                   {"C", "x", Origin::profile, false}}));
}

TEST(Expand, KeepsTheUsersOwnValues) {
  const Expansion result =
      expansion("{OMP_NUM_THREADS: '{threads}', C: x, HCA: '{ib_hca}'}",
                {{"OMP_NUM_THREADS", "2"}, {"C", ""}, {"HCA", "mlx5"}, {"OTHER", "y"}});
  EXPECT_EQ(result.variables,
            (std::vector<EnvVar>{{"OMP_NUM_THREADS", "2", Origin::user, false, true},
                                 {"C", "", Origin::user, false, true},
                                 {"HCA", "mlx5", Origin::user, false, true}}));
  EXPECT_TRUE(result.warnings.empty());
}

TEST(Expand, AddsNoOpinionToTheUsersOwnOnTheSameThing) {
  const auto names = [](const Environment& user) {
    std::vector<std::string> all;
    for (const auto& variable :
         expansion("{OMP_PLACES: cores, OMP_PROC_BIND: 'false'}", user).variables)
      all.push_back(variable.name + "=" + variable.value);
    return all;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names({}), (Names{"OMP_PLACES=cores", "OMP_PROC_BIND=false"}));
  EXPECT_EQ(names({{"OMP_PLACES", "sockets"}}), (Names{"OMP_PLACES=sockets"}));
  EXPECT_EQ(names({{"OMP_PROC_BIND", "close"}}),
            (Names{"OMP_PLACES=cores", "OMP_PROC_BIND=close"}));
  EXPECT_EQ(names({{"GOMP_CPU_AFFINITY", "0-3"}}), Names{});
  EXPECT_EQ(names({{"KMP_AFFINITY", "compact"}}), Names{});
}

TEST(Expand, NamesNoNicToWhomTheUserToldWhichFabricToUse) {
  const auto count = [](const Environment& user) {
    return expansion(
               "{NCCL_IB_HCA: =mlx5_0, UCX_NET_DEVICES: 'mlx5_0:1', FI_CXI_DEVICE_NAME: cxi0}",
               user)
        .variables.size();
  };
  EXPECT_EQ(count({}), 3U);
  EXPECT_EQ(count({{"NCCL_IB_DISABLE", "1"}}), 2U);
  EXPECT_EQ(count({{"NCCL_NET", "Socket"}}), 2U);
  EXPECT_EQ(count({{"NCCL_NET", "IB"}}), 3U);
  EXPECT_EQ(count({{"UCX_TLS", "tcp,self"}}), 2U);
  EXPECT_EQ(count({{"MPICH_OFI_NIC_MAPPING", "0:0-3"}}), 2U);
}

TEST(Expand, TakesTheSitesVariablesBeforeTheProfilesAndAfterTheUsers) {
  const OtherSettings others{
      .site = {of_site("A", "site"), of_site("B", "site"), of_site("C", "site")}, .files = {}};
  EXPECT_EQ(expansion("{A: profile, D: profile}", {{"B", "user"}}, others).variables,
            (std::vector<EnvVar>{of_site("A", "site"),
                                 {"D", "profile", Origin::profile},
                                 {"B", "user", Origin::user, false, true},
                                 of_site("C", "site")}));
}

TEST(Expand, LeavesIdentityToTheProfile) {
  const auto result =
      expansion("{RANK: '{rank}'}", {}, {.site = {of_site("RANK", "0")}, .files = {}});
  EXPECT_EQ(result.variables, (std::vector<EnvVar>{{"RANK", "3", Origin::slurm, true}}));
}

TEST(Expand, HidesNoFileOfNccls) {
  const OtherSettings others{
      .site = {of_site("NCCL_PROTO", "Simple"), of_site("NCCL_ALGO", "Ring")},
      .files = {{"NCCL_PROTO", "LL"}, {"NCCL_SOCKET_IFNAME", "eth0"}}};
  EXPECT_EQ(expansion("{NCCL_SOCKET_IFNAME: ib0}", {}, others).variables,
            std::vector<EnvVar>{of_site("NCCL_ALGO", "Ring")});
}

TEST(Expand, KnowsThatTheSitesNetworkMakesAListOfNicsVoid) {
  const OtherSettings others{.site = {of_site("NCCL_NET", "AWS Libfabric")}, .files = {}};
  EXPECT_EQ(expansion("{NCCL_IB_HCA: =mlx5_0}", {}, others).variables,
            std::vector<EnvVar>{of_site("NCCL_NET", "AWS Libfabric")});
}

TEST(Expand, LeavesOutWhatTheUserHasDecidedOtherwise) {
  const OtherSettings others{.site = {of_site("UCX_NET_DEVICES", "mlx5_0:1")}, .files = {}};
  EXPECT_TRUE(expansion("{}", {{"UCX_TLS", "tcp"}}, others).variables.empty());
}

TEST(Expand, ReplacesAnExportedIdentityAndSaysSo) {
  const Expansion result = expansion("{RANK: '{rank}'}", {{"RANK", "0"}});
  EXPECT_EQ(result.variables, (std::vector<EnvVar>{{"RANK", "3", Origin::slurm, true}}));
  EXPECT_EQ(result.warnings,
            std::vector<std::string>{
                "RANK=0 in your environment is replaced: it identifies each task, so one exported "
                "value cannot be right for all; unset it"});
  EXPECT_TRUE(expansion("{RANK: '{rank}'}", {{"RANK", "3"}}).warnings.empty());
}

// In a batch job, SLURM_NTASKS_PER_NODE is the job's, and the user did not export it.
TEST(Expand, ReplacesSlurmsOwnVariablesWithoutAWord) {
  const Expansion result = expansion("{SLURM_X: '{rank}'}", {{"SLURM_X", "8"}});
  EXPECT_EQ(result.variables, (std::vector<EnvVar>{{"SLURM_X", "3", Origin::slurm, true}}));
  EXPECT_TRUE(result.warnings.empty());
}

TEST(LoadProfile, TakesTheFirstDirectoryThatHasIt) {
  const fixtures::ScratchDirectory first;
  const fixtures::ScratchDirectory second;
  first.write("a.yaml", "summary: first\ninclude: b\n");
  second.write("a.yaml", "summary: second\n");
  second.write("b.yaml", "environment: {B: 1}\n");
  const file::Trust trust = file::trust_root_and(::getuid());
  const std::vector<std::string> directories{first.path(), "/nonexistent", second.path()};
  const Profile profile = load_profile("a", directories, trust);
  EXPECT_EQ(profile.summary, "first");
  EXPECT_EQ(names(profile), std::vector<std::string>{"B"});
  EXPECT_EQ(profile_names(directories), (std::vector<std::string>{"a", "b"}));
}

TEST(LoadProfile, SuggestsTheNearestProfile) {
  const fixtures::ScratchDirectory scratch;
  scratch.write("torch.yaml", "");
  EXPECT_EQ(
      fixtures::error_of([&] { load_profile("trch", {scratch.path()}, file::trust_any_owner()); }),
      "unknown profile 'trch': no profile directory contains trch.yaml; did you mean 'torch'?");
}

TEST(LoadProfile, SuggestsASwitchOrSlurmsWordWhereThatWasMeant) {
  fixtures::ScratchDirectory scratch;
  scratch.write("torch.yaml", "");
  const auto error = [&](const std::string& name) {
    return fixtures::error_of(
        [&] { load_profile(name, {scratch.path()}, file::trust_any_owner()); });
  };
  EXPECT_NE(error("explan").find("did you mean 'explain'?"), std::string::npos);
  EXPECT_NE(error("hlep").find("did you mean 'help'?"), std::string::npos);
  EXPECT_NE(error("standalone").find("leave it out: muster finds"), std::string::npos);
  EXPECT_NE(error("zzzzzz").find("; use torch"), std::string::npos);
}

TEST(LoadProfile, SaysWhereItLookedWhenThereIsNoneAtAll) {
  EXPECT_EQ(
      fixtures::error_of([] { load_profile("torch", {"/nonexistent"}, file::trust_any_owner()); }),
      "profile 'torch': there are no profiles in /nonexistent; check muster's installation");
}

TEST(LoadProfile, NeverOpensAPathOutsideItsDirectories) {
  const fixtures::ScratchDirectory scratch;
  scratch.write("secret.yaml", "summary: secret\n");
  for (const auto* name : {"../secret", "x/../secret", "", ".", "secret.yaml"}) {
    EXPECT_THROW(
        load_profile(name, {scratch.path() + "/sub", scratch.path()}, file::trust_any_owner()),
        Error)
        << name;
  }
}

TEST(ParseProfile, AnswersAnyTextWithAProfileOrAnErrorInOneLine) {
  fixtures::RandomText random(9);
  const std::string valid = "summary: x\nmode: rank\nenvironment:\n  A: \"{rank}\"\n  B: '{{'\n";
  for (int i = 0; i < 10'000; ++i) {
    std::string text = valid;
    for (std::size_t count = random.below(6); count > 0; --count) text = random.mutate(text);
    try {
      parse_profile(text, "p.yaml");
    } catch (const Error& error) {
      ASSERT_TRUE(fixtures::is_one_line(error.what())) << error.what();
    }
  }
}

}  // namespace
}  // namespace muster::profile
