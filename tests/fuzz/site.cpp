// The site's and the user's configuration files, and a file that the site's file includes.
#include "core/error.hpp"
#include "core/request/variable_check.hpp"
#include "core/site/config.hpp"
#include "core/site/job_config.hpp"
#include "core/site/show.hpp"
#include "target.hpp"

#include <optional>
#include <utility>

namespace {

using namespace muster;
using site::ConfigKind;

std::optional<site::Config> parse(std::string_view text, ConfigKind kind, site::Config below = {}) {
  try {
    return site::parse_config(text, "fuzz.yaml", kind, std::move(below));
  } catch (const Error& refusal) {
    fuzz::expect_one_line(refusal.what());
    return std::nullopt;
  }
}

// Comes before an included file.
constexpr char form_feed = '\f';

void check_job(site::Config config) {
  const auto job =
      site::for_job(std::move(config), {.partition = "debug",
                                        .account = "physics",
                                        .features = "ib,h100",
                                        .step_nodes = 2,
                                        .is_in_group = [](const auto&) { return true; }});
  fuzz::expect(job.rules.empty(), "a job has rules of others");
  static_cast<void>(site::to_yaml(job, true));
  static_cast<void>(site::to_json(job));
  std::vector<EnvVar> variables{{"NCCL_DEBUG", "TRACE"}, {"OMP_NUM_THREADS", "64"}};
  request::keep_policy(job.policy.variables, variables);
  Environment kept;
  for (const auto& variable : variables) kept.add(variable.name, variable.value);
  try {
    request::check_variables(job.policy.variables,
                             request::set_by_user(job.policy.variables, kept, {}));
  } catch (const Error& refusal) {
    fuzz::expect_one_line(refusal.what());
    // The bounds of two rules may leave no number between them, and one rule may forbid what another one
    // fixes.
    fuzz::expect(!job.policy.variables.min.empty() || !job.policy.variables.forbid.empty(),
                 "what the policy has made is refused by it");
  }
}

void check_included(std::string_view text, std::string_view included) {
  const auto below = parse(included, ConfigKind::site);
  const auto alone = parse(text, ConfigKind::site);
  if (!below || !alone) return;
  const auto both = parse(text, ConfigKind::site, *below);
  fuzz::expect(both.has_value(), "a good file is refused above another good one");
  for (const auto& [key, setting] : alone->defaults.values)
    fuzz::expect(both->defaults.values.at(key) == setting, "an included file overrides");
  for (const auto& [name, value] : alone->policy.variables.fix)
    fuzz::expect(both->policy.variables.fix.at(name) == value,
                 "an included file's policy overrides");
  fuzz::expect(both->rules.size() == alone->rules.size() + below->rules.size(), "a rule is lost");
  fuzz::expect(both->variables.size() == alone->variables.size() + below->variables.size(),
               "a variable rule is lost");
  check_job(*both);
}

void read_input(std::string_view text) {
  if (const auto cut = text.find(form_feed); cut != std::string_view::npos)
    return check_included(text.substr(0, cut), text.substr(cut + 1));
  const auto user = parse(text, ConfigKind::user);
  if (user) {
    fuzz::expect(user->policy == option::Policy{}, "a user sets policy");
    fuzz::expect(user->topology == site::TopologyRules{}, "a user sets topologies");
    fuzz::expect(user->nics.empty() && user->networks.empty(), "a user sets networks");
  }
  const auto config = parse(text, ConfigKind::site);
  if (!config) return;
  rule_for(config->topology, "a1");
  check_job(*config);
  site::profile_directories(user.value_or(site::Config{}), *config, {}, "/usr/share/muster");
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  return {
      "topology: {cache: auto, gpus: all, rules: [{nodes: 'a[1-2]', file: /a}, {nodes: ['b*'], "
      "nccl: /b, map: [{gpu: 0, cpus: 0-3, nics: [mlx5_0]}]}]}\n",
      "defaults:\n  profile: torch\n  bind: none\npolicy:\n  fix: {port: 20000-21000}\n  forbid: "
      "[bind=none]\nprofiles: [/etc/muster/profiles]\nport_range: 61000-65535\n",
      "defaults: {profile: jax, smt: all}\nprofiles: [~/p]\n",
      "networks:\n  - {partition: gpu, network: ib0}\n  - {features: ib, network: ib1}\nnics:\n  - "
      "{nodes: 'n[1-4]', nics: [mlx5_0, mlx5_1]}\ngather_timeout: 60\n",
      "defaults: {bind: numa}\npolicy: {variables: {fix: {NCCL_IB_TC: 106}, forbid: "
      "[NCCL_DEBUG=TRACE]}}\n\frules:\n  - {partition: debug, min_nodes: 2, defaults: {smt: off}}\n  "
      "- {group: g, gpu: '*H100*', policy: {variables: {max: {OMP_NUM_THREADS: 8}, min: {NCCL_A: "
      "2}}}}\ndefaults: {bind: core}\n",
      "variables:\n  - {fabric: slingshot, set: {NCCL_NET: a}}\n\fvariables:\n  - {gpu: x, "
      "min_nodes: 2, set: {NCCL_NET: b}, unless: [NCCL_NET]}\ninclude: conf.d\n"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::one_input(data, size, {.base = 16U << 20, .per_byte = 16384}, read_input);
}
