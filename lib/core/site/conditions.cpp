#include "core/site/conditions.hpp"

#include "core/fabric/fabric.hpp"
#include "core/site/globs.hpp"

#include <algorithm>

namespace muster::site {
namespace {

bool holds_for_gpu(const std::string& glob, const RuleFacts& facts) {
  if (glob.empty()) return true;
  return facts.gpus && std::ranges::any_of(facts.gpus(), [&](const std::string& model) {
           return matches(glob, model);
         });
}

bool holds_for_group(const std::string& group, const RuleFacts& facts) {
  return group.empty() || (facts.is_in_group && facts.is_in_group(group));
}

bool holds_for_fabric(const std::vector<fabric::Fabric>& fabrics, const RuleFacts& facts) {
  return fabrics.empty() || (facts.fabric && std::ranges::count(fabrics, facts.fabric()) > 0);
}

bool covers_glob(const std::string& wide, const std::string& narrow) {
  return wide.empty() || wide == narrow || (wide == "*" && !narrow.empty());
}

}  // namespace

bool matches(const Conditions& conditions, const RuleFacts& facts) {
  return facts.step_nodes >= conditions.min_nodes &&
         matches(conditions.partition, facts.partition) &&
         matches(conditions.account, facts.account) && holds_for(conditions.nodes, facts.node) &&
         matches_any(conditions.feature, facts.features) &&
         holds_for_group(conditions.group, facts) && holds_for_gpu(conditions.gpu, facts) &&
         holds_for_fabric(conditions.fabrics, facts);
}

bool covers(const Conditions& wide, const Conditions& narrow) {
  return covers_glob(wide.partition, narrow.partition) &&
         covers_glob(wide.account, narrow.account) && covers_glob(wide.feature, narrow.feature) &&
         covers_glob(wide.group, narrow.group) && covers_glob(wide.gpu, narrow.gpu) &&
         wide.min_nodes <= narrow.min_nodes &&
         (wide.nodes == NodePatterns{} || wide.nodes == narrow.nodes) &&
         (wide.fabrics.empty() || wide.fabrics == narrow.fabrics);
}

}  // namespace muster::site
